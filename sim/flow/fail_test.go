package flow_test

import (
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/topology"
	"musubi/units"
)

// ways returns routes of a ring of which every path goes the same way round.
func ways(t *testing.T, net *topology.Network, step int) *routing.Routes {
	t.Helper()
	n := len(net.Switches)
	channel := make(map[[2]int]int)
	for c := range net.Channels() {
		channel[[2]int{net.From(c).Switch, net.To(c).Switch}] = c
	}
	b, err := routing.NewBuilder("one way", net, 1)
	if err != nil {
		t.Fatal(err)
	}
	for src := range n {
		for dst := range n {
			var path routing.Path
			for at := src; at != dst; {
				to := (at + step + n) % n
				path = append(path, routing.MakeHop(channel[[2]int{at, to}], 0))
				at = to
			}
			b.Variants(src, dst, 1, 1)
			b.Add(path, 0)
		}
	}
	return b.Routes()
}

// TestTheLastPacketKeepsItsPath gives new routes to a message whose last packet is leaving, and has the new path
// fail: all packets are on the old one, and nothing is lost.
func TestTheLastPacketKeepsItsPath(t *testing.T) {
	net := nettest.Generate(t, "ring:4", 1)
	cfg := config(t, net)
	cfg.Routes, cfg.Breaks = ways(t, net, 1), true
	other := ways(t, net, -1)
	w := newFlow(t, cfg)
	f := w.Fabric.(fabric.BreakableFlows)
	const flits = 32
	f.SendBulk(fabric.Bulk{Packet: fabric.Packet{Src: 0, Dst: 2, Flits: flits}, Packets: 3, Last: flits})
	now := 2*flits*10*units.Nanosecond + 100*units.Nanosecond // the last packet is leaving, which takes 320 ns as each does
	w.q.Push(engine.Event{At: now, Kind: begin})
	if ev, ok := w.Run(units.Never); !ok || ev.Kind != begin {
		t.Fatalf("event %+v; expected the one that was pushed", ev)
	}
	f.Fail(other.PathByID(other.PathID(0, 2))[0].Channel())
	f.Reroute(other, nil)
	ev, ok := w.Run(units.Never)
	if !ok || ev.Kind != fabric.Delivered {
		t.Fatalf("event %+v; expected that the message arrives", ev)
	}
	if d := w.Delivery(ev.A); d.Packets != 3 {
		t.Errorf("%+v; expected 3 packets", d)
	}
	w.Release(ev.A)
	if err := w.Conserved(); err != nil {
		t.Error(err)
	}
}
