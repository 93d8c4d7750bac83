package packet

import (
	"fmt"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/topology"
	"musubi/units"

	"pgregory.net/rapid"
)

// chain makes a row of switches whose links have the given numbers of lanes of
// 8 Gbit/s. The first and the last are those of a host at either end.
func chain(t testing.TB, widths []int) (*topology.Network, *routing.Routes, []units.Rate) {
	t.Helper()
	net := nettest.Generate(t, fmt.Sprintf("mesh:%dx1", len(widths)-1), 1)
	rates := make([]units.Rate, len(widths))
	for i, w := range widths {
		speed := topology.Speed{Width: w, Lane: "QDR"}
		switch {
		case i == 0:
			net.EndPoints[0].Speed = speed
		case i == len(widths)-1:
			net.EndPoints[len(net.EndPoints)-1].Speed = speed
		default:
			net.Links[i-1].Speed = speed
		}
		rates[i], _ = speed.Rate()
	}
	alg, err := routing.Lookup("minimal")
	if err != nil {
		t.Fatal(err)
	}
	routes, err := alg.Build(net, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return net, routes, rates
}

// naiveTails moves every flit of some packets, all sent at time 0, from one end of
// a chain to the other, and returns when the tails arrive. A flit may leave a
// switch while it arrives, but not faster than it does.
func naiveTails(cfg fabric.Config, rates []units.Rate, packets []int) (tails []units.Time) {
	last := len(rates) - 1
	cable := func(i int) units.Time {
		if i == 0 || i == last {
			return cfg.HostCable
		}
		return cfg.Cable
	}
	room := int(cfg.Buffer / cfg.Flit)
	freed := make([][]units.Time, len(rates)) // by link: when its sender knows that each flit has left the buffer
	free := make([]units.Time, len(rates))    // when each link has carried the flits so far
	sent := 0                                 // flits before this packet
	for _, n := range packets {
		var starts, ends []units.Time // of the flits, on the link before
		for i, rate := range rates {
			delay := units.Time(0)
			if i > 0 {
				delay = cable(i-1) + cfg.Switch
			}
			if missing := sent + n - room; missing > 0 { // the header waits for room for all
				free[i] = max(free[i], freed[i][missing-1])
			}
			var nextStarts, nextEnds []units.Time
			for k := range n {
				start := free[i]
				end := start + rate.Transfer(cfg.Flit)
				if i > 0 {
					start = max(start, starts[k]+delay)
					end = max(start+rate.Transfer(cfg.Flit), ends[k]+delay)
					freed[i-1] = append(freed[i-1], end+cable(i-1))
				}
				nextStarts, nextEnds = append(nextStarts, start), append(nextEnds, end)
				free[i] = end
			}
			starts, ends = nextStarts, nextEnds
		}
		tail := ends[n-1] + cable(last)
		for range n { // the device takes the packet as a whole
			freed[last] = append(freed[last], tail+cable(last))
		}
		tails = append(tails, tail)
		sent += n
	}
	return tails
}

// TestLinksOfDifferentRates compares chains of fast and slow links with the naive
// model. Where buffers are large the tails agree exactly. Where packets wait for
// room the engine may be late, for it takes flits to leave evenly that leave
// faster at first: those that have piled up before a faster link.
func TestLinksOfDifferentRates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		widths := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 4, 8}), 3, 6).Draw(rt, "widths")
		packets := rapid.SliceOfN(rapid.IntRange(1, 32), 1, 40).Draw(rt, "packets")
		large := rapid.Bool().Draw(rt, "large buffers")
		net, routes, rates := chain(t, widths)
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.LinkRates, cfg.Cable = true, 15*units.Nanosecond
		cfg.Buffer = units.Bytes(rapid.IntRange(cfg.MaxPacket, 3*cfg.MaxPacket).Draw(rt, "buffer")) * cfg.Flit
		if large {
			cfg.Buffer = 4096 * cfg.Flit
		}
		f, err := New(cfg, new(engine.Queue))
		if err != nil {
			rt.Fatal(err)
		}
		for _, n := range packets {
			f.Send(fabric.Packet{Src: 0, Dst: len(net.EndPoints) - 1, Flits: n})
		}
		want := naiveTails(cfg, rates, packets)
		for i := range packets {
			ev, _ := f.Run(units.Never)
			got := f.Delivery(ev.A).Tail
			f.Release(ev.A)
			if got < want[i] || got > want[i]+want[i]/20 || large && got != want[i] {
				rt.Fatalf("tail of packet %d of %d flits arrives at %v, want %v", i, packets[i], got, want[i])
			}
		}
		if err := f.Conserved(); err != nil {
			rt.Error(err)
		}
	})
}
