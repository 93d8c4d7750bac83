package fabric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/units"
)

// twins is a scenario in which both engines apply: cut-through switching with a
// crossbar connection per packet. Lengths are in flits, the cable in cycles.
type twins struct {
	topology, algorithm string
	hosts, vcs          int
	flow                Flow
	buffer, largest     int
	flits, cable        int
}

func (c twins) config(t testing.TB) Config {
	t.Helper()
	net, routes := build(t, c.topology, c.hosts, c.algorithm, routing.Options{VCs: c.vcs})
	cfg := testConfig(net, routes)
	cfg.Flow, cfg.MaxPacket = c.flow, c.largest
	cfg.Buffer = units.Bytes(c.buffer) * cfg.Flit
	cfg.Cable = units.Time(c.cable) * flitTime
	cfg.Router = Router{HoldSwitch: true, Iterations: 3}
	return cfg
}

// both returns the packet engine and the flit engine of a scenario.
func (c twins) both(t testing.TB) [2]Fabric {
	t.Helper()
	cfg := c.config(t)
	packets, err := NewPacket(cfg, new(engine.Queue))
	if err != nil {
		t.Fatal(err)
	}
	flits, _ := newFlit(t, cfg)
	return [2]Fabric{packets, flits}
}

func queueOf(f Fabric) *engine.Queue {
	if p, ok := f.(*PacketFabric); ok {
		return p.q
	}
	return f.(*FlitFabric).q
}

// saturation returns what both engines accept of full load from each end point,
// in flits per cycle.
func (c twins) saturation(t testing.TB, warm, window units.Time) (accepted [2]float64) {
	cfg := c.config(t)
	for i, f := range c.both(t) {
		l := newLoad(f, queueOf(f), cfg, c.flits, 0.98, units.Never)
		l.run(warm * flitTime)
		before := l.delivered
		l.run((warm + window) * flitTime)
		accepted[i] = float64((l.delivered-before)*int64(c.flits)) / float64(window) / float64(len(cfg.Net.EndPoints))
	}
	return accepted
}

// latency returns the mean latency of packets in both engines, in cycles.
func (c twins) latency(t testing.TB, offered float64, window int64) (mean [2]float64) {
	cfg := c.config(t)
	for i, f := range c.both(t) {
		mean[i] = measure(t, f, queueOf(f), cfg, c.flits, offered, window/10, window, 1, uniform(len(cfg.Net.EndPoints))).packet
	}
	return mean
}

// deviation returns by how much the flit engine's value exceeds the packet
// engine's, relatively.
func deviation(values [2]float64) float64 { return values[1]/values[0] - 1 }

// TestEnginesAgreeNearSaturation holds the two engines together. They differ in
// how they arbitrate: the packet engine takes turns among all virtual channels of
// all inputs at each output, the flit engine matches inputs with outputs.
func TestEnginesAgreeNearSaturation(t *testing.T) {
	for _, c := range []twins{
		{"mesh:4x4", "ecube", 1, 0, Credit, 64, 32, 16, 1},
		{"mesh:4x4", "ecube", 1, 0, Credit, 64, 32, 1, 4},
		{"mesh:4x4", "ecube", 1, 0, StopGo, 64, 32, 16, 1},
		{"mesh:4x4", "ecube", 1, 0, StopGo, 64, 32, 16, 10}, // little more than the round trip
		{"mesh:4x4", "ecube", 1, 0, StopGo, 128, 32, 4, 10},
		{"torus:4x4", "ecube", 1, 0, Credit, 64, 32, 16, 1},
		{"mesh:4x4", "dl", 4, 2, StopGo, 512, 229, 229, 2}, // RHiNET-2
		{"random:switches=16,degree=4,seed=5", "dl", 2, 4, Credit, 64, 32, 8, 2},
	} {
		accepted := c.saturation(t, 2000, 4000)
		if off := deviation(accepted); math.Abs(off) > 0.05 {
			t.Errorf("%+v: the flit engine accepts %.4f flits per cycle, the packet engine %.4f: %+.1f %%", c, accepted[1], accepted[0], 100*off)
		}
		load := 0.6 * accepted[0]
		mean := c.latency(t, load, 5000)
		if off := deviation(mean); math.Abs(off) > 0.02 {
			t.Errorf("%+v, load %.3f: mean latency of %.2f cycles with flits, %.2f with packets: %+.1f %%", c, load, mean[1], mean[0], 100*off)
		}
	}
}

// TestEnginesAgreeAtNineTenthsOfSaturation measures for so long that latencies so
// near to saturation settle. What the engines accept of an overload shows how they
// arbitrate most: with four virtual channels the flit engine's matching of inputs
// with outputs loses three per cent.
func TestEnginesAgreeAtNineTenthsOfSaturation(t *testing.T) {
	cases := []twins{
		{"mesh:8x8", "ecube", 1, 0, Credit, 64, 32, 16, 1},
		{"torus:8x8", "ecube", 1, 0, Credit, 64, 32, 16, 1},
		{"mesh:8x8", "ecube", 1, 4, Credit, 64, 32, 16, 1},
		{"torus:4x4", "ecube", 1, 0, Credit, 64, 32, 16, 1},
		{"mesh:4x4", "dl", 4, 2, StopGo, 512, 229, 229, 2}, // RHiNET-2
		{"random:switches=16,degree=4,seed=5", "dl", 2, 4, Credit, 64, 32, 8, 2},
	}
	overload, window := units.Time(150_000), int64(400_000)
	switch {
	case *nightly:
	case *long:
		cases = cases[4:] // those of RHiNET-2
	default:
		cases, overload, window = cases[5:], overload/5, window/8
	}
	for _, c := range cases {
		accepted := c.saturation(t, 5000, overload)
		if off := deviation(accepted); math.Abs(off) > 0.04 {
			t.Errorf("%+v: the flit engine accepts %.4f flits per cycle, the packet engine %.4f: %+.1f %%", c, accepted[1], accepted[0], 100*off)
		}
		for _, part := range []float64{0.8, 0.9} {
			mean := c.latency(t, part*min(accepted[0], accepted[1]), window)
			if off := deviation(mean); math.Abs(off) > 0.02 {
				t.Errorf("%+v, %.1f of saturation: mean latency of %.2f cycles with flits, %.2f with packets: %+.1f %%", c, part, mean[1], mean[0], 100*off)
			}
		}
	}
}

// TestEnginesAgreeOnRandomNetworks sweeps irregular networks and reports the worst
// deviations: the engines drift apart where several virtual channels share buffers
// of hardly more than a packet. The nearer to saturation, the more is chance.
func TestEnginesAgreeOnRandomNetworks(t *testing.T) {
	seeds := 1
	switch {
	case *nightly:
		seeds = 100
	case *long:
		seeds = 8
	}
	worst := map[float64]float64{} // by part of the saturation
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		cable, largest := rng.IntN(12), 8+rng.IntN(60)
		c := twins{
			topology: fmt.Sprintf("random:switches=%d,degree=4,seed=%d", 8+2*rng.IntN(5), seed), algorithm: "dl",
			hosts: 1 + rng.IntN(3), vcs: 1 + rng.IntN(4), flow: []Flow{Credit, StopGo}[rng.IntN(2)],
			buffer: largest + 2*cable + 4 + rng.IntN(2*largest), largest: largest, flits: 1 + rng.IntN(largest), cable: cable,
		}
		accepted := c.saturation(t, 5000, 10_000)
		check := func(part, off, most float64) {
			worst[part] = max(worst[part], math.Abs(off))
			if math.Abs(off) > most {
				t.Errorf("seed %d, %+v, %.2f of saturation: the engines deviate by %+.1f %%", seed, c, part, 100*off)
			}
		}
		check(1, deviation(accepted), 0.10)
		window := int64(10_000 + 1000*c.flits)
		for _, at := range []struct {
			part, most float64
			windows    int64
		}{{0.3, 0.01, 1}, {0.6, 0.03, 1}, {0.8, 0.08, 5}} {
			check(at.part, deviation(c.latency(t, at.part*min(accepted[0], accepted[1]), at.windows*window)), at.most)
		}
	}
	t.Logf("worst deviations by part of saturation: %.4f", worst)
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
