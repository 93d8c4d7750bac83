package packet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/topology"
	"musubi/units"

	"pgregory.net/rapid"
)

// arrivals runs a fabric until nothing is left to do and returns what it has delivered,
// released at once.
func arrivals(t testing.TB, f *Fabric) (all []fabric.Delivery) {
	t.Helper()
	for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
		if ev.Kind != fabric.Delivered {
			t.Fatalf("event of kind %d; want deliveries only", ev.Kind)
		}
		all = append(all, f.Delivery(ev.A))
		f.Release(ev.A)
	}
	if d := f.Stuck(); d != nil {
		t.Fatal(d)
	}
	if err := f.Conserved(); err != nil {
		t.Fatal(err)
	}
	return all
}

// everyone returns all end points but one as targets.
func everyone(endPoints, but int) (to []fabric.Target) {
	for e := range endPoints {
		if e != but {
			to = append(to, fabric.Target{Dst: e})
		}
	}
	return to
}

// TestMulticastToOneIsAUnicast compares loaded networks in which all packets are
// unicasts with such where they are multicasts to one end point.
func TestMulticastToOneIsAUnicast(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		spec := []string{"mesh:4x3", "torus:4x4", "random:switches=8,degree=3,seed=5"}[rng.IntN(3)]
		net, routes := fabrictest.Build(t, spec, 2, "dl", routing.Options{VCs: 2})
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.Flow, cfg.Ports = []fabric.Flow{fabric.Credit, fabric.StopGo}[rng.IntN(2)], 1+rng.IntN(2)
		plan := rng.Uint64()
		var seen [2][]fabric.Delivery
		var carried [2][]fabric.Load
		for multicast := range 2 {
			draw := rand.New(rand.NewPCG(plan, 1))
			f := mustPacket(t, cfg)
			for range 500 {
				p := fabric.Packet{
					Src: draw.IntN(len(net.EndPoints)), Dst: draw.IntN(len(net.EndPoints)), Out: draw.IntN(cfg.Ports), In: draw.IntN(cfg.Ports),
					Flits: 1 + draw.IntN(cfg.MaxPacket), Ready: units.Time(draw.IntN(3000)) * units.Nanosecond, Tag: draw.Uint64(),
				}
				if multicast == 0 {
					f.Send(p)
				} else {
					f.Forget(f.Multicast(p, []fabric.Target{{Dst: p.Dst, In: p.In}}))
				}
			}
			seen[multicast] = arrivals(t, f)
			for i := range seen[multicast] {
				seen[multicast][i].Tree = 0
			}
			carried[multicast] = f.Carried()
		}
		if !slices.Equal(seen[0], seen[1]) || !slices.Equal(carried[0], carried[1]) {
			t.Errorf("seed %d: %s with %s: multicasts to one end point differ from unicasts", seed, spec, cfg.Flow)
		}
	}
}

// edges counts how often the tree of the paths from a source to some end points goes
// over each link, by the definition: once for each different beginning of a path.
func edges(cfg fabric.Config, src fabric.Target, to []fabric.Target) []int64 {
	net := cfg.Net
	count := make([]int64, net.Channels()+2*len(net.EndPoints)*max(cfg.Ports, 1))
	link := func(t fabric.Target) int { return fabric.InjectionLink(net, t.Dst*max(cfg.Ports, 1)+t.In) }
	count[link(src)] = 1
	begun := make(map[string]bool)
	for _, target := range to {
		path, _ := cfg.Routes.Path(src.Dst, target.Dst)
		for i, hop := range path {
			if begin := fmt.Sprint(path[:i+1]); !begun[begin] {
				begun[begin] = true
				count[hop.Channel()]++
			}
		}
		count[link(target)+1] = 1
	}
	return count
}

// TestMulticastReachesAllLeavesAtOnce checks that the tail reaches each end point of an
// empty network as soon as that of a unicast, which is the closed formula, where the
// tree goes once over each link.
func TestMulticastReachesAllLeavesAtOnce(t *testing.T) {
	for _, spec := range []string{"mesh:4x3", "torus:4x4", "fattree:k=4", "fullmesh:5", "mesh:1x1"} {
		for _, flow := range []fabric.Flow{fabric.Credit, fabric.StopGo} {
			net, routes := fabrictest.Build(t, spec, 2, "updown", routing.Options{Selection: routing.LowPort})
			cfg := fabrictest.DefaultConfig(net, routes)
			cfg.Flow = flow
			cfg.Rate = 6 * units.GbitPerSecond
			compared := 0
			for src := range net.EndPoints {
				to := everyone(len(net.EndPoints), -1)
				if slices.Max(edges(cfg, fabric.Target{Dst: src}, to)) > 1 {
					continue
				}
				compared++
				f := mustPacket(t, cfg)
				const flits = 20
				f.Multicast(fabric.Packet{Src: src, Flits: flits, Tag: 7}, to)
				all := arrivals(t, f)
				if len(all) != len(net.EndPoints) {
					t.Fatalf("%s: %d end points reached; want %d", spec, len(all), len(net.EndPoints))
				}
				for _, d := range all {
					path, _ := routes.Path(src, d.Dst)
					if want := fabrictest.ZeroLoad(cfg, len(path), flits); d.Tail != want || d.Hops != len(path) || d.Src != src || d.Tag != 7 {
						t.Errorf("%s: the tail from %d to %d over %d hops arrives at %v; want %v: %+v", spec, src, d.Dst, len(path), d.Tail, want, d)
					}
				}
			}
			if compared == 0 {
				t.Errorf("%s: no source has a tree that goes once over each link", spec)
			}
		}
	}
}

// TestCopiesToBusyOutputsComeLater has a packet go to three hosts of a switch, of which
// one is receiving another.
func TestCopiesToBusyOutputsComeLater(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:1x1", 5, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	f := mustPacket(t, cfg)
	f.Send(fabric.Packet{Src: 4, Dst: 1, Flits: 32})
	f.Multicast(fabric.Packet{Src: 0, Flits: 8}, []fabric.Target{{Dst: 1}, {Dst: 2}, {Dst: 3}})
	f.Send(fabric.Packet{Src: 0, Dst: 2, Flits: 8}) // waits behind it
	long, short := cfg.Rate.Transfer(32*cfg.Flit), cfg.Rate.Transfer(8*cfg.Flit)
	entry := cfg.HostCable + cfg.Switch // of the first headers into their outputs
	want := map[[2]int][]units.Time{
		{4, 1}: {entry + long + cfg.HostCable},
		{0, 2}: {entry + short + cfg.HostCable, entry + long + 2*short + cfg.HostCable},
		{0, 3}: {entry + short + cfg.HostCable},
		{0, 1}: {entry + long + short + cfg.HostCable},
	}
	got := make(map[[2]int][]units.Time)
	for _, d := range arrivals(t, f) {
		got[[2]int{d.Src, d.Dst}] = append(got[[2]int{d.Src, d.Dst}], d.Tail)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("tails arrive at %v; want %v", got, want)
	}
}

// TestRoomIsFreeWhenTheLastCopyHasGone has a packet go to a host with a fast link and one
// with a slow link, together, and another one after it that finds the buffer full.
func TestRoomIsFreeWhenTheLastCopyHasGone(t *testing.T) {
	for _, to := range [][]fabric.Target{{{Dst: 1}, {Dst: 2}}, {{Dst: 2}, {Dst: 1}}} {
		net, routes := fabrictest.Build(t, "mesh:1x1", 3, "minimal", routing.Options{})
		for e, width := range []int{4, 4, 1} {
			net.EndPoints[e].Speed = topology.Speed{Width: width, Lane: "QDR"}
		}
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.LinkRates = true
		const flits = 32
		cfg.Buffer = flits * cfg.Flit
		f := mustPacket(t, cfg)
		f.Multicast(fabric.Packet{Src: 0, Flits: flits}, to)
		f.Send(fabric.Packet{Src: 0, Dst: 1, Flits: flits, Tag: 1})
		fast, slow := (32 * units.GbitPerSecond).Transfer(flits*cfg.Flit), (8 * units.GbitPerSecond).Transfer(flits*cfg.Flit)
		entry := cfg.HostCable + cfg.Switch
		gone := entry + slow // the slow copy
		want := map[string]units.Time{
			"0 to 1": entry + fast + cfg.HostCable,
			"0 to 2": gone + cfg.HostCable,
			"1 to 1": gone + cfg.HostCable + entry + fast + cfg.HostCable,
		}
		got := make(map[string]units.Time)
		for _, d := range arrivals(t, f) {
			got[fmt.Sprintf("%d to %d", d.Tag, d.Dst)] = d.Tail
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("to %v: tails arrive at %v; want %v", to, got, want)
		}
	}
}

// TestSentOncePerMulticast checks that a long packet whose copies have left before its
// own tail is told of once, and is still known then.
func TestSentOncePerMulticast(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:1x1", 4, "minimal", routing.Options{})
	f := mustPacket(t, fabrictest.DefaultConfig(net, routes))
	f.Multicast(fabric.Packet{Src: 0, Flits: 32, Tag: 9, NotifySent: true}, everyone(4, 0))
	counts := make(map[uint32]int)
	for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
		counts[ev.Kind]++
		if d := f.Delivery(ev.A); d.Tag != 9 || d.Src != 0 {
			t.Errorf("event of kind %d about %+v", ev.Kind, d)
		}
		if ev.Kind == fabric.Delivered {
			f.Release(ev.A)
		}
	}
	if counts[fabric.Sent] != 1 || counts[fabric.Delivered] != 3 {
		t.Errorf("%d times sent, %d times delivered; want 1 and 3", counts[fabric.Sent], counts[fabric.Delivered])
	}
}

// reversed returns routes that take each path the other way round.
func reversed(t testing.TB, r *routing.Routes) *routing.Routes {
	t.Helper()
	b, err := routing.NewBuilder(r.Algorithm+" backwards", r.Net, r.VCs)
	if err != nil {
		t.Fatal(err)
	}
	for src := range r.Net.Switches {
		for dst := range r.Net.Switches {
			var back [][]int // numbers of the paths, by row and column of their reverses
			r.SwitchPaths(dst, src, func(i, j, rows, cols, id int) {
				if back == nil {
					back = make([][]int, cols)
					for k := range back {
						back[k] = make([]int, rows)
					}
				}
				back[j][i] = id
			})
			if back == nil {
				continue
			}
			b.Variants(src, dst, len(back), len(back[0]))
			for _, row := range back {
				for _, id := range row {
					vc, _ := r.HostVCs(id)
					b.Add(turned(r.PathByID(id)), vc)
				}
			}
		}
	}
	return b.Routes()
}

// turned returns a path the other way round.
func turned(p routing.Path) routing.Path {
	back := slices.Clone(p)
	slices.Reverse(back)
	for i, hop := range back {
		back[i] = routing.MakeHop(hop.Channel()^1, hop.VC())
	}
	return back
}

// drawRoutes draws a network of switches and a routing that is proved for it.
func drawRoutes(t testing.TB, rt *rapid.T) (fabric.Config, *routing.Routes) {
	switches := 2 * rapid.IntRange(2, 8).Draw(rt, "half the switches")
	spec := rapid.SampledFrom([]string{
		fmt.Sprintf("random:switches=%d,degree=3,seed=%d", switches, rapid.IntRange(1, 1000).Draw(rt, "seed")),
		"torus:4x4", "torus:3x3x3", "mesh:4x3", "fattree:k=4",
	}).Draw(rt, "network")
	algorithm := rapid.SampledFrom([]string{"dl", "lash", "updown", "sbp", "l-turn"}).Draw(rt, "routing")
	net, routes := fabrictest.Build(t, spec, rapid.IntRange(1, 3).Draw(rt, "hosts"), algorithm, routing.Options{})
	if proof := routing.Verify(routes); !proof.OK() {
		rt.Fatalf("%s on %s is not sound", algorithm, spec)
	}
	return fabrictest.DefaultConfig(net, routes), routes
}

// TestReversedRoutesAreFreeOfDeadlock verifies that the packets that go Back have no
// cycle of dependencies where the others have none.
func TestReversedRoutesAreFreeOfDeadlock(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, routes := drawRoutes(t, rt)
		forth, back := routing.Verify(routes), routing.Verify(reversed(t, routes))
		if !back.OK() || back.Dependencies != forth.Dependencies {
			rt.Fatalf("%s backwards: sound: %v, %d dependencies; want as many as forwards, %d", routes.Algorithm, back.OK(), back.Dependencies, forth.Dependencies)
		}
	})
}

// TestBackTakesThePathTheOtherWayRound compares packets that go Back with ordinary ones
// on reversed routes.
func TestBackTakesThePathTheOtherWayRound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg, routes := drawRoutes(t, rt)
		plan := rapid.Uint64().Draw(rt, "traffic")
		var seen [2][]fabric.Delivery
		var carried [2][]fabric.Load
		for back := range 2 {
			draw := rand.New(rand.NewPCG(plan, 1))
			if back == 0 {
				cfg.Routes = reversed(t, routes)
			} else {
				cfg.Routes = routes
			}
			f := mustPacket(t, cfg)
			for range 200 {
				f.Send(fabric.Packet{
					Src: draw.IntN(len(cfg.Net.EndPoints)), Dst: draw.IntN(len(cfg.Net.EndPoints)), Flits: 1 + draw.IntN(cfg.MaxPacket), Back: back == 1,
				})
			}
			seen[back], carried[back] = arrivals(t, f), f.Carried()
		}
		if !slices.Equal(seen[0], seen[1]) || !slices.Equal(carried[0], carried[1]) {
			rt.Errorf("packets that go back by %s differ from those on reversed routes", routes.Algorithm)
		}
	})
}
