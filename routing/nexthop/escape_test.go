package nexthop_test

import (
	"slices"
	"testing"

	"musubi/routing/nexthop"
	"musubi/topology"
)

// ringRules let packets go round a ring of four switches on lane 1, and escape to lane 0, on which the
// link from the last switch to the first is not used.
type ringRules struct {
	net      *topology.Network
	strand   bool // a packet at switch 1 has no escape
	comeBack bool // packets go from lane 0 to lane 1
}

func (r *ringRules) Network() *topology.Network   { return r.net }
func (r *ringRules) Lanes() int                   { return 2 }
func (r *ringRules) LaneName(lane int) string     { return []string{"escape", "free"}[lane] }
func (r *ringRules) Lossless(int, int) bool       { return true }
func (r *ringRules) Headings() int                { return 4 }
func (r *ringRules) HeadingName(h int32) string   { return r.net.SwitchName(int(h)) }
func (r *ringRules) Targets(h int32) []int32      { return r.net.EndPointsAt(int(h)) }
func (r *ringRules) Uniform(int, int, int32) bool { return true }
func (r *ringRules) EscapeLane(lane int) bool     { return lane == 0 }

func (r *ringRules) Entries(int32) []nexthop.Entry {
	var list []nexthop.Entry
	for sw := range 4 {
		list = append(list, nexthop.Entry{Switch: sw, Port: 3, Lane: 1, EndPoints: r.net.EndPointsAt(sw)})
	}
	return list
}

// channel returns the channel to the neighbour up or down.
func (r *ringRules) channel(sw, to int) int32 {
	out := r.net.Out(sw)
	return out[slices.IndexFunc(out, func(c int32) bool { return r.net.To(int(c)).Switch == to })]
}

func (r *ringRules) Next(steps []nexthop.Step, sw, _, lane int, h int32) []nexthop.Step {
	to := int(h)
	if sw == to {
		return append(steps, nexthop.Delivered.Step())
	}
	if lane == 1 || r.comeBack {
		steps = append(steps, nexthop.Step{r.channel(sw, (sw+1)%4), h, 1})
	}
	if lane == 1 && r.strand && sw == 1 {
		return steps
	}
	next := sw + 1
	if to < sw {
		next = sw - 1
	}
	return append(steps, nexthop.Step{r.channel(sw, next), h, 0})
}

func TestEscapeLanes(t *testing.T) {
	n := topology.Network{Name: "ring"}
	for sw := range 4 {
		n.Switches = append(n.Switches, topology.Switch{ID: string(rune('a' + sw)), Ports: 2})
		n.AddHosts("h", sw, 1)
		n.Links = append(n.Links, topology.Link{A: topology.Port{Switch: sw, Number: 1}, B: topology.Port{Switch: (sw + 1) % 4, Number: 2}})
	}
	net, err := topology.New(n)
	if err != nil {
		t.Fatal(err)
	}
	plain := func(r *ringRules) nexthop.Rules { return struct{ nexthop.Rules }{r} } // which does not tell of escapes
	for _, c := range []struct {
		name  string
		rules nexthop.Rules
		free  bool
	}{
		{"with escapes", &ringRules{net: net}, true},
		{"unknown escapes", plain(&ringRules{net: net}), false},
		{"a packet without an escape", &ringRules{net: net, strand: true}, false},
		{"packets that come back", &ringRules{net: net, comeBack: true}, false},
	} {
		p := nexthop.Prove(c.rules)
		if p.DeadlockFree() != c.free || (p.Escape != nil) != c.free {
			t.Errorf("%s: cycle %v, escape lanes %v; want freedom from deadlock to be %v", c.name, p.Cycle, p.Escape, c.free)
		}
	}
}
