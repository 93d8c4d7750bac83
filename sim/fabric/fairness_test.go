package fabric_test

import (
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/sim/flit"
	"musubi/sim/packet"
	"musubi/units"
)

// backlogged has each source of lengths (in flits, 0: silent) send to one end
// point without a pause and returns how many flits of each arrive.
func backlogged(f fabric.Fabric, lengths []int, to int, end units.Time) (arrived []int) {
	arrived = make([]int, len(lengths))
	send := func(src int) {
		f.Send(fabric.Packet{Src: src, Dst: to, Flits: lengths[src], NotifySent: true})
	}
	for src, flits := range lengths {
		if flits > 0 {
			send(src)
			send(src)
		}
	}
	for ev, ok := f.Run(end); ok; ev, ok = f.Run(end) {
		d := f.Delivery(ev.A)
		if ev.Kind == fabric.Sent {
			send(d.Src)
			continue
		}
		arrived[d.Src] += d.Flits
		f.Release(ev.A)
	}
	return arrived
}

// engines returns both engines for a row of switches.
func engines(t *testing.T, topology string, hosts int, change func(*fabric.Config)) map[string]fabric.Fabric {
	t.Helper()
	net, routes := fabrictest.Build(t, topology, hosts, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Router = fabric.Router{HoldSwitch: true, Iterations: 2}
	if change != nil {
		change(&cfg)
	}
	packets, err := packet.New(cfg, new(engine.Queue))
	if err != nil {
		t.Fatal(err)
	}
	flits, err := flit.New(cfg, new(engine.Queue))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]fabric.Fabric{"packet": packets, "flit": flits}
}

// TestSourcesShareALink has 15 hosts of a switch send to the 16th.
func TestSourcesShareALink(t *testing.T) {
	lengths := make([]int, 16)
	for src := 1; src < len(lengths); src++ {
		lengths[src] = 16
	}
	for name, f := range engines(t, "mesh:1x1", 16, nil) {
		arrived := backlogged(f, lengths, 0, 100*units.Microsecond)
		for _, flits := range arrived[1:] {
			if off := flits - arrived[1]; off < -16 || off > 16 {
				t.Errorf("%s engine: %v flits arrive; want as many from each to within a packet", name, arrived)
				break
			}
		}
	}
}

// TestMergesHalve documents that round-robin is fair to links and not to sources:
// on a row, each switch gives half of its output to its own host.
func TestMergesHalve(t *testing.T) {
	lengths := []int{0, 16, 16, 16, 16}
	for name, f := range engines(t, "mesh:5x1", 1, nil) {
		arrived := backlogged(f, lengths, 0, 100*units.Microsecond)
		for src := 1; src < 3; src++ {
			if r := float64(arrived[src]) / float64(arrived[src+1]); r < 1.95 || r > 2.05 {
				t.Errorf("%s engine: %v flits arrive; want half as many from each host as from the one before it", name, arrived)
			}
		}
	}
}

// TestLongPacketsAreNotStarved has one source of long packets and some of short
// ones share a link whose far end drains slowly. Short packets must not take all
// the room that appears.
func TestLongPacketsAreNotStarved(t *testing.T) {
	lengths := []int{32, 2, 2, 0, 2, 2, 2, 0, 0, 0, 0, 0}
	for name, f := range engines(t, "mesh:3x1", 4, func(c *fabric.Config) { c.Buffer = 40 * c.Flit }) {
		arrived := backlogged(f, lengths, 8, 200*units.Microsecond)
		if arrived[0] < arrived[1] {
			t.Errorf("%s engine: %v flits arrive; want at least as many in long packets as in short ones of another host of the switch", name, arrived)
		}
	}
}
