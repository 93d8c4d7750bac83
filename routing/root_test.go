package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/check"
	"musubi/routing/internal/tree"
	"musubi/topology"
	"musubi/topology/networks"
)

// No root that was tried is better than the first one, and each costs what Up*/Down* from there costs.
func TestRootCostsAreThoseOfUpDown(t *testing.T) {
	for seed := range uint64(20) {
		net := anyNetwork(t, rand.New(rand.NewPCG(seed, 41)))
		costs, err := RootCosts(net, Options{Selection: LowPort})
		check.Must(t, err)
		if want := min(mostRoots, len(net.Switches)); len(costs) != want {
			t.Errorf("seed %d: %d roots are tried, want %d", seed, len(costs), want)
		}
		for i, c := range costs {
			s := build(t, "updown", net, Options{Selection: LowPort, Root: c.Root}).Statistics()
			if s.Hops != c.Hops || s.ChannelLoad.Max != c.Load {
				t.Errorf("seed %d, root %d: %+v; Up*/Down* has %+v and %d", seed, c.Root, c, s.Hops, s.ChannelLoad.Max)
			}
			if first := costs[0]; c.Hops.Mean < first.Hops.Mean || i > 0 && c.Hops.Mean == costs[i-1].Hops.Mean && c.Load < costs[i-1].Load {
				t.Errorf("seed %d: %+v comes at place %d, the first is %+v", seed, c, i, first)
			}
		}
	}
}

func TestTheMiddleOfAChainIsMostCentral(t *testing.T) {
	net, err := networks.Open("mesh:5x1", 1)
	check.Must(t, err)
	if got := central(net, 1); got[0] != 2 {
		t.Errorf("switch %d is the most central of a chain of five, want 2", got[0])
	}
}

// With several roots Up*/Down* is free of deadlock, and connects all or says that it does not.
func TestSeveralRoots(t *testing.T) {
	built := 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 43))
		net := anyNetwork(t, random)
		n := len(net.Switches)
		opt := Options{Root: random.IntN(n), MoreRoots: []int{random.IntN(n), random.IntN(n)}, DestinationOnly: seed%2 == 0}
		for _, name := range []string{"updown", "dl", "layered"} {
			a, err := Lookup(name)
			check.Must(t, err)
			r, err := a.Build(net, opt)
			if (err == nil) != upDownReaches(net, opt) {
				t.Errorf("seed %d, %s: error %v, though a way exists between all: %v", seed, name, err, upDownReaches(net, opt))
			}
			if err != nil {
				continue
			}
			built++
			if p := Verify(r); !p.OK() {
				t.Errorf("seed %d, %s: %d of %d unreachable, cycle %v", seed, name, p.Unreachable, p.Pairs, p.Cycle)
			}
		}
	}
	if built < 30 {
		t.Errorf("%d routings; expected more", built)
	}
	for _, name := range []string{"prefix", "l-turn"} {
		a, err := Lookup(name)
		check.Must(t, err)
		net, err := networks.Open("mesh:3x3", 1)
		check.Must(t, err)
		_, err = a.Build(net, Options{MoreRoots: []int{1}})
		check.Error(t, err, name+" has a spanning tree of one root; expected one, not 2")
	}
}

// upDownReaches looks at all ways up and then down.
func upDownReaches(net *topology.Network, opt Options) bool {
	t := tree.New(net, opt.Root, opt.MoreRoots...)
	for src := range net.Switches {
		type place struct {
			sw   int
			down bool
		}
		seen := map[place]bool{{src, false}: true}
		reached := map[int]bool{src: true}
		for queue := []place{{src, false}}; len(queue) > 0; queue = queue[1:] {
			for _, c := range net.Out(queue[0].sw) {
				next := place{net.To(int(c)).Switch, !t.Up(int(c))}
				if queue[0].down && !next.down || seen[next] {
					continue
				}
				seen[next], reached[next.sw] = true, true
				queue = append(queue, next)
			}
		}
		for dst := range net.Switches {
			if len(net.EndPointsAt(src)) > 0 && len(net.EndPointsAt(dst)) > 0 && !reached[dst] {
				return false
			}
		}
	}
	return true
}

// The top switches of a fat tree as roots spread the load that one root gathers.
func TestRootsOfAFatTree(t *testing.T) {
	net, err := networks.Open("fattree:k=4", 0)
	check.Must(t, err)
	var top []int
	for s, level := range net.SwitchLevels() {
		if level == 2 {
			top = append(top, s)
		}
	}
	opt := Options{DestinationOnly: true, Root: top[0]}
	one, err := CostOfRoots(net, opt)
	check.Must(t, err)
	opt.MoreRoots = top[1:]
	all, err := CostOfRoots(net, opt)
	check.Must(t, err)
	if len(top) != 4 || all.Load >= one.Load || all.Hops.Mean > one.Hops.Mean {
		t.Errorf("%d roots: %+v; one: %+v", len(top), all, one)
	}
}
