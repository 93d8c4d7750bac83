package fabric

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/units"
)

// TestEnginesAgreeNearSaturation holds the two engines together where both
// apply: cut-through switching with a crossbar connection per packet. They differ
// in how they arbitrate: the packet engine takes turns among all virtual channels
// of all inputs at each output, the flit engine matches inputs with outputs.
func TestEnginesAgreeNearSaturation(t *testing.T) {
	for _, c := range []struct {
		topology string
		flow     Flow
		load     float64
	}{
		{"mesh:4x4", Credit, 0.3}, {"mesh:4x4", Credit, 0.55}, {"mesh:4x4", StopGo, 0.5}, {"torus:4x4", Credit, 0.65},
	} {
		net, routes := build(t, c.topology, 1, "ecube", routing.Options{})
		cfg := testConfig(net, routes)
		cfg.Flow = c.flow
		cfg.Router = Router{HoldSwitch: true, Iterations: 2}
		packets, err := NewPacket(cfg, new(engine.Queue))
		if err != nil {
			t.Fatal(err)
		}
		flits, q := newFlit(t, cfg)
		want := measure(t, packets, packets.q, cfg, 16, c.load, 2000, 25000, 1, uniform(len(net.EndPoints)))
		got := measure(t, flits, q, cfg, 16, c.load, 2000, 25000, 1, uniform(len(net.EndPoints)))
		if off := got.packet/want.packet - 1; math.Abs(off) > 0.02 {
			t.Errorf("%s, %s, load %.2f: mean latency of %.2f cycles with flits, %.2f with packets: %+.1f %%", c.topology, c.flow, c.load, got.packet, want.packet, 100*off)
		}
	}
}

// TestFlitRunsAreRepeatable runs a scenario twice and compares every delivery.
func TestFlitRunsAreRepeatable(t *testing.T) {
	run := func() (trace []string) {
		cfg := bookSim(t, "torus", 4, 4, 8)
		f, q := newFlit(t, cfg)
		newLoad(f, q, cfg, 16, 0.6, 10*units.Microsecond)
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			if ev.Kind == FirstDevice {
				f.Send(Packet{Src: int(ev.A), Dst: int(ev.At) % 16, Flits: 16})
				continue
			}
			trace = append(trace, fmt.Sprintf("%+v", f.Delivery(ev.A)))
			f.Release(ev.A)
		}
		return trace
	}
	if a, b := run(), run(); len(a) == 0 || !slices.Equal(a, b) {
		t.Error("two runs of the same scenario differ")
	}
}

// TestSendDoesNotDependOnTheOrderOfEvents sends a packet at the time of a cycle,
// once before the engine has simulated the cycle and once after.
func TestSendDoesNotDependOnTheOrderOfEvents(t *testing.T) {
	deliver := func(pushFirst bool) (tails []units.Time) {
		net, routes := build(t, "mesh:3x1", 1, "minimal", routing.Options{})
		f, q := newFlit(t, testConfig(net, routes))
		wake := engine.Event{At: 50 * units.Nanosecond, Kind: FirstDevice}
		if pushFirst {
			q.Push(wake)
		}
		f.Send(Packet{Src: 0, Dst: 2, Flits: 16})
		if !pushFirst {
			if ev, ok := f.Run(45 * units.Nanosecond); ok {
				t.Fatalf("unexpected event %+v", ev)
			}
			q.Push(wake)
		}
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			if ev.Kind == FirstDevice {
				f.Send(Packet{Src: 1, Dst: 2, Flits: 16})
				continue
			}
			tails = append(tails, f.Delivery(ev.A).Tail)
			f.Release(ev.A)
		}
		return tails
	}
	if a, b := deliver(true), deliver(false); len(a) != 2 || !slices.Equal(a, b) {
		t.Errorf("tails arrive at %v or %v", a, b)
	}
}

func TestFlitSteadyStateDoesNotAllocate(t *testing.T) {
	net, routes := build(t, "mesh:4x4", 1, "ecube", routing.Options{})
	cfg := textbook(testConfig(net, routes), 4, 8)
	f, q := newFlit(t, cfg)
	l := newLoad(f, q, cfg, 16, 0.4, units.Never)
	end := 150 * units.Microsecond
	l.run(end)
	allocs := testing.AllocsPerRun(100, func() {
		end += units.Microsecond
		l.run(end)
	})
	if allocs > 1 { // some slice may still grow now and then
		t.Errorf("%v allocations per simulated microsecond, want none", allocs)
	}
}
