package packet

import (
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/topology"
	"musubi/units"

	"pgregory.net/rapid"
)

// answer answers a multicast at the branch by which a delivered packet has come.
func answer(t testing.TB, f *Fabric, d fabric.Delivery) {
	t.Helper()
	if !f.Combine(d.Tree, fabric.Packet{Flits: answerFlits, Class: answerClass, Tag: uint64(d.Dst)}) {
		t.Fatalf("nobody waits for the answer to %+v", d)
	}
}

// answered returns when, by the closed formula, the header of the answer of some end
// points leaves the switch that is so many hops from the source of the multicast: where
// the tree branches as soon as the last answer is there as a whole, and otherwise like
// that of any packet. at is when each end point has answered.
func answered(cfg fabric.Config, src, depth int, to []int, at map[int]units.Time) (leaves units.Time) {
	branches := make(map[routing.Hop][]int)
	var parts []units.Time // when the answer of each branch leaves for this switch, and the cable
	for _, e := range to {
		if path, _ := cfg.Routes.Path(src, e); len(path) > depth {
			branches[path[depth]] = append(branches[path[depth]], e)
		} else {
			parts = append(parts, at[e]+cfg.HostCable)
		}
	}
	for _, behind := range branches {
		parts = append(parts, answered(cfg, src, depth+1, behind, at)+cfg.Cable)
	}
	for _, part := range parts {
		if len(parts) > 1 {
			part += cfg.Rate.Transfer(answerFlits * cfg.Flit)
		}
		leaves = max(leaves, part+cfg.Switch)
	}
	return leaves
}

// TestAnswersComeTogether has all end points answer a multicast at once and compares
// the time at which the source hears with the closed formula.
func TestAnswersComeTogether(t *testing.T) {
	for _, spec := range []string{"mesh:4x3", "fattree:k=4", "fullmesh:5", "mesh:1x1", "mesh:7x1"} {
		net, routes := fabrictest.Build(t, spec, 2, "updown", routing.Options{Selection: routing.LowPort})
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.Classes = 2
		for src := range net.EndPoints {
			f := mustPacket(t, cfg)
			tree := f.Multicast(fabric.Packet{Src: src, Flits: 20}, everyone(len(net.EndPoints), src))
			at := make(map[int]units.Time)
			var to []int
			heard := units.Never
			for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
				d := f.Delivery(ev.A)
				f.Release(ev.A)
				if d.Class == forthClass {
					at[d.Dst] = d.Tail
					to = append(to, d.Dst)
					answer(t, f, d)
					continue
				}
				if heard != units.Never || d.Dst != src || d.Tree != tree {
					t.Errorf("%s: answer to %d arrives as %+v; want one for %#x", spec, src, d, uint64(tree))
				}
				heard = d.Tail
			}
			want := answered(cfg, src, 0, to, at) + cfg.Rate.Transfer(answerFlits*cfg.Flit) + cfg.HostCable
			if heard != want {
				t.Errorf("%s: end point %d hears at %v that all have answered; want %v", spec, src, heard, want)
			}
			f.Forget(tree)
			if err := f.Conserved(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestBranchesAnswerOnce checks what a switch makes of answers that are sent again,
// with a multicast to three hosts of a switch.
func TestBranchesAnswerOnce(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:1x1", 4, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Classes = 2
	f := mustPacket(t, cfg)
	branch := make(map[int]fabric.Delivery)
	run := func() (heard int) {
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			d := f.Delivery(ev.A)
			f.Release(ev.A)
			if d.Class == answerClass {
				heard++
			} else {
				branch[d.Dst] = d
			}
		}
		return heard
	}
	tree := f.Multicast(fabric.Packet{Src: 0, Flits: 8}, everyone(4, 0))
	run()
	for _, step := range []struct {
		again bool // the multicast is sent again first
		who   []int
		heard int
	}{
		{false, []int{1, 1, 2, 1}, 0},
		{true, []int{2}, 0},
		{false, []int{3}, 1},
		{false, []int{1, 2, 3}, 0},
		{true, []int{1, 2, 3}, 1},
		{true, []int{2}, 1},
	} {
		if step.again {
			f.MulticastAgain(tree, fabric.Packet{Src: 0, Flits: 8})
			run()
		}
		for _, e := range step.who {
			answer(t, f, branch[e])
		}
		if heard := run(); heard != step.heard {
			t.Errorf("after %+v the source hears %d times", step, heard)
		}
	}
	f.Forget(tree)
	if f.Combine(branch[1].Tree, fabric.Packet{Flits: 1, Class: answerClass}) {
		t.Error("an answer to a forgotten multicast was sent")
	}
	if err := f.Conserved(); err != nil {
		t.Error(err)
	}
}

// TestForgottenAnswersEnd forgets a multicast while the answers are under way.
func TestForgottenAnswersEnd(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:3x1", 2, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Classes = 2
	f := mustPacket(t, cfg)
	tree := f.Multicast(fabric.Packet{Src: 0, Flits: 8}, everyone(6, 0))
	left := 5
	for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
		d := f.Delivery(ev.A)
		f.Release(ev.A)
		if d.Class == answerClass {
			t.Errorf("answer to a forgotten multicast arrives: %+v", d)
			continue
		}
		answer(t, f, d)
		if left--; left == 0 {
			f.Forget(tree)
		}
	}
	if got := f.Traffic().Combined; got != 5 {
		t.Errorf("%d answers ended in switches; want 5", got)
	}
	if err := f.Conserved(); err != nil {
		t.Error(err)
	}
	if len(f.trees) != 2 || f.freeTree != 1 {
		t.Errorf("the place of the tree is not free: %+v", f.trees)
	}
}

// TestHearingMeansThatAllHaveIt sends multicasts again over links with errors until
// the source has an answer without one. By then all targets must have had a copy
// without one.
func TestHearingMeansThatAllHaveIt(t *testing.T) {
	const again = fabric.FirstDevice
	rapid.Check(t, func(rt *rapid.T) {
		cfg, _ := drawRoutes(t, rt)
		cfg.Classes = 2
		cfg.Errors = rapid.Float64Range(0, 2e-5).Draw(rt, "errors")
		cfg.Seed = rapid.Uint64().Draw(rt, "seed")
		renew := rapid.Bool().Draw(rt, "a new tree each time")
		q := new(engine.Queue)
		f, err := New(cfg, q)
		if err != nil {
			rt.Fatal(err)
		}
		ends := len(cfg.Net.EndPoints)
		trees, has, heard := make([]fabric.Tree, ends), make([]map[int]bool, ends), make([]bool, ends)
		send := func(src int) {
			p := fabric.Packet{Src: src, Flits: cfg.MaxPacket, Tag: uint64(src)}
			if trees[src] != 0 && !renew {
				f.MulticastAgain(trees[src], p)
			} else {
				f.Forget(trees[src])
				trees[src] = f.Multicast(p, everyone(ends, src))
			}
			q.Push(engine.Event{At: q.Now() + 20*units.Microsecond, Kind: again, A: uint32(src)})
		}
		for src := range ends {
			has[src] = make(map[int]bool)
			send(src)
		}
		for ev, ok := f.Run(10 * units.Second); ok; ev, ok = f.Run(10 * units.Second) {
			if ev.Kind == again {
				if !heard[ev.A] {
					send(int(ev.A))
				}
				continue
			}
			d := f.Delivery(ev.A)
			f.Release(ev.A)
			if d.Corrupt {
				continue
			}
			if d.Class == forthClass {
				has[d.Src][d.Dst] = true
				f.Combine(d.Tree, fabric.Packet{Flits: answerFlits, Class: answerClass})
				continue
			}
			if heard[d.Dst] = true; len(has[d.Dst]) != ends-1 {
				rt.Fatalf("%d hears that all have what it has sent, but %d of %d do", d.Dst, len(has[d.Dst]), ends-1)
			}
		}
		for src := range ends {
			if !heard[src] {
				rt.Fatalf("%d has not heard that all have what it has sent", src)
			}
			f.Forget(trees[src])
		}
		if err := f.Conserved(); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestMulticastsDeadlockOnARing plants a deadlock: shortest paths around a ring.
func TestMulticastsDeadlockOnARing(t *testing.T) {
	net, routes := fabrictest.Build(t, "ring:6", 1, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Buffer = units.Bytes(cfg.MaxPacket) * cfg.Flit
	f := mustPacket(t, cfg)
	for range 10 {
		for src := range 6 {
			f.Forget(f.Multicast(fabric.Packet{Src: src, Flits: cfg.MaxPacket}, []fabric.Target{{Dst: (src + 1) % 6}, {Dst: (src + 2) % 6}, {Dst: (src + 3) % 6}}))
		}
	}
	for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
		f.Release(ev.A)
	}
	d := f.Stuck()
	if d == nil {
		t.Fatal("the ring did not deadlock")
	}
	if len(d.Cycle) != 6 {
		t.Errorf("cycle %v; want the six channels of one direction", d.Cycle)
	}
	fabrictest.CheckCycle(t, net, d)
	if f.Conserved() == nil {
		t.Error("what is stuck counts as delivered")
	}
}

// TestMulticastsWaitForDevices checks that packets which no device takes are not told
// to be in a deadlock, copied or not.
func TestMulticastsWaitForDevices(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:3x3", 2, "ecube", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	f := mustPacket(t, cfg)
	for range 8 {
		for src := range net.EndPoints {
			f.Forget(f.Multicast(fabric.Packet{Src: src, Flits: cfg.MaxPacket}, everyone(len(net.EndPoints), src)))
		}
	}
	var held []uint32
	collect := func() {
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			held = append(held, ev.A)
		}
	}
	collect()
	if d := f.Stuck(); d == nil || len(d.Cycle) != 0 {
		t.Errorf("stuck: %v; want packets that no device takes", d)
	}
	for len(held) > 0 {
		f.Release(held[0])
		held = held[1:]
		collect()
	}
	if err := f.Conserved(); err != nil {
		t.Error(err)
	}
}

// spread gives the links of a network speeds of 8 and 32 Gbit/s.
func spread(net *topology.Network, seed int) {
	speed := func(i int) topology.Speed {
		return topology.Speed{Width: 1 + 3*((i*seed+i/3)%2), Lane: "QDR"}
	}
	for i := range net.Links {
		net.Links[i].Speed = speed(i)
	}
	for i := range net.EndPoints {
		net.EndPoints[i].Speed = speed(i + 1)
	}
}
