package routing

import (
	"testing"

	"musubi/internal/check"
	"musubi/topology/networks"
)

// TestAdvice holds what is said to loads: an algorithm that is advised against loads some link more than another way.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		network, routing string
		root             int
		more             []int
		advice           int
	}{
		{"fattree:k=4", "prefix", 0, nil, 1},
		{"fattree:k=4", "lr-turn", 0, nil, 1},
		{"fattree:k=4", "updown", 16, nil, 1},
		{"fattree:k=4", "updown", 0, nil, 0},
		{"fattree:k=4", "updown", 16, []int{17, 18, 19}, 0},
		{"fattree:k=4", "layered", 0, nil, 0},
		{"torus:4x4", "prefix", 0, nil, 0},
		{"mesh:10x1", "sbp", 0, nil, 1}, // as many virtual channels as the longest path has hops
	} {
		net, err := networks.Open(c.network, 0)
		check.Must(t, err)
		a, err := Lookup(c.routing)
		check.Must(t, err)
		opt := Options{Root: c.root, MoreRoots: c.more}
		r, err := a.Build(net, opt)
		check.Must(t, err)
		got := a.Advice(r, opt)
		if len(got) != c.advice {
			t.Errorf("%s on %s from %d: %q; want %d sentences", c.routing, c.network, c.root, got, c.advice)
		}
		if c.network != "fattree:k=4" {
			continue
		}
		usual := build(t, "updown", net, Options{}).Statistics().ChannelLoad.Max
		if load := r.Statistics().ChannelLoad.Max; (load > 2*usual) != (c.advice > 0) {
			t.Errorf("%s on %s from %d loads a link with %d, Up*/Down* with %d; the advice is %q", c.routing, c.network, c.root, load, usual, got)
		}
	}
}
