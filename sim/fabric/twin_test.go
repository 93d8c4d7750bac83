package fabric_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/sim/flit"
	"musubi/sim/packet"
	"musubi/units"

	"pgregory.net/rapid"
)

var (
	long    = flag.Bool("long", false, "run the long tests")
	nightly = flag.Bool("nightly", false, "run the tests that are too long for each change")
)

// twins is a scenario in which both engines apply: cut-through switching with a
// crossbar connection per packet. Lengths are in flits, the cable in cycles.
type twins struct {
	topology, algorithm string
	hosts, vcs          int
	flow                fabric.Flow
	buffer, largest     int
	flits, cable        int
}

func (c twins) config(t testing.TB) fabric.Config {
	t.Helper()
	net, routes := fabrictest.Build(t, c.topology, c.hosts, c.algorithm, routing.Options{VCs: c.vcs})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Flow, cfg.MaxPacket = c.flow, c.largest
	cfg.Buffer = units.Bytes(c.buffer) * cfg.Flit
	cfg.Cable = units.Time(c.cable) * fabrictest.FlitTime
	cfg.Router = fabric.Router{HoldSwitch: true, Iterations: 3}
	return cfg
}

// twin is an engine and its queue.
type twin struct {
	fabric.Fabric
	q *engine.Queue
}

// both returns the packet engine and the flit engine of a scenario.
func (c twins) both(t testing.TB) [2]twin {
	t.Helper()
	cfg := c.config(t)
	q := new(engine.Queue)
	packets, err := packet.New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	p := new(engine.Queue)
	flits, err := flit.New(cfg, p)
	if err != nil {
		t.Fatal(err)
	}
	return [2]twin{{packets, q}, {flits, p}}
}

// saturation returns what both engines accept of full load from each end point,
// in flits per cycle.
func (c twins) saturation(t testing.TB, warm, window units.Time) (accepted [2]float64) {
	cfg := c.config(t)
	for i, f := range c.both(t) {
		l := fabrictest.NewUniform(f, f.q, cfg, c.flits, 0.98, units.Never)
		l.Run(warm * fabrictest.FlitTime)
		before := l.Delivered
		l.Run((warm + window) * fabrictest.FlitTime)
		accepted[i] = float64((l.Delivered-before)*int64(c.flits)) / float64(window) / float64(len(cfg.Net.EndPoints))
	}
	return accepted
}

// latency returns the mean latency of packets in both engines, in cycles.
func (c twins) latency(t testing.TB, offered float64, window int64) (mean [2]float64) {
	cfg := c.config(t)
	for i, f := range c.both(t) {
		mean[i] = fabrictest.Measure(t, f, f.q, cfg, c.flits, offered, window/10, window, 1, fabrictest.AnyNode(len(cfg.Net.EndPoints))).Packet
	}
	return mean
}

// deviation returns by how much the flit engine's value exceeds the packet
// engine's, relatively.
func deviation(values [2]float64) float64 { return values[1]/values[0] - 1 }

// TestEnginesAgreeAtZeroLoad compares everything that the two engines report of
// single packets.
func TestEnginesAgreeAtZeroLoad(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:3x3", 1, "ecube", routing.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.Flow = rapid.SampledFrom([]fabric.Flow{fabric.Credit, fabric.StopGo}).Draw(rt, "flow")
		cycles := func(least int, label string) units.Time {
			return units.Time(rapid.IntRange(least, 12).Draw(rt, label)) * 10 * units.Nanosecond
		}
		cfg.Switch, cfg.Cable, cfg.HostCable = cycles(1, "switch"), cycles(0, "cable"), cycles(0, "host cable")
		p := fabric.Packet{
			Src: rapid.IntRange(0, 8).Draw(rt, "src"), Dst: rapid.IntRange(0, 8).Draw(rt, "dst"),
			Flits: rapid.IntRange(1, cfg.MaxPacket).Draw(rt, "flits"), NotifySent: true, NotifyHeader: true,
		}
		if p.Flits > 1 { // the header of a single flit would have to wait with the tail
			p.Ready = units.Time(rapid.IntRange(0, 60).Draw(rt, "ready")) * 10 * units.Nanosecond
		}
		trace := func(f fabric.Fabric) string {
			var b strings.Builder
			id := f.Send(p)
			for range 3 {
				ev, _ := f.Run(units.Never)
				fmt.Fprintf(&b, "%d at %v; ", ev.Kind, ev.At)
			}
			fmt.Fprintf(&b, "%+v", f.Delivery(id))
			return b.String()
		}
		cutThrough, err := packet.New(cfg, new(engine.Queue))
		if err != nil {
			rt.Fatal(err)
		}
		flits, err := flit.New(cfg, new(engine.Queue))
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := trace(flits), trace(cutThrough); !sameEvents(got, want) {
			rt.Errorf("flit engine:   %s\npacket engine: %s", got, want)
		}
	})
}

// sameEvents compares traces whose events may come in either order at one time.
func sameEvents(a, b string) bool {
	split := func(s string) map[string]int {
		parts := make(map[string]int)
		for _, p := range strings.Split(s, "; ") {
			parts[p]++
		}
		return parts
	}
	return fmt.Sprint(split(a)) == fmt.Sprint(split(b))
}

// TestEnginesAgreeNearSaturation holds the two engines together. They differ in
// how they arbitrate: the packet engine takes turns among all virtual channels of
// all inputs at each output, the flit engine matches inputs with outputs.
func TestEnginesAgreeNearSaturation(t *testing.T) {
	for _, c := range []twins{
		{"mesh:4x4", "ecube", 1, 0, fabric.Credit, 64, 32, 16, 1},
		{"mesh:4x4", "ecube", 1, 0, fabric.Credit, 64, 32, 1, 4},
		{"mesh:4x4", "ecube", 1, 0, fabric.StopGo, 64, 32, 16, 1},
		{"mesh:4x4", "ecube", 1, 0, fabric.StopGo, 64, 32, 16, 10}, // little more than the round trip
		{"mesh:4x4", "ecube", 1, 0, fabric.StopGo, 128, 32, 4, 10},
		{"torus:4x4", "ecube", 1, 0, fabric.Credit, 64, 32, 16, 1},
		{"mesh:4x4", "dl", 4, 2, fabric.StopGo, 512, 229, 229, 2}, // RHiNET-2
		{"random:switches=16,degree=4,seed=5", "dl", 2, 4, fabric.Credit, 64, 32, 8, 2},
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
		{"mesh:8x8", "ecube", 1, 0, fabric.Credit, 64, 32, 16, 1},
		{"torus:8x8", "ecube", 1, 0, fabric.Credit, 64, 32, 16, 1},
		{"mesh:8x8", "ecube", 1, 4, fabric.Credit, 64, 32, 16, 1},
		{"torus:4x4", "ecube", 1, 0, fabric.Credit, 64, 32, 16, 1},
		{"mesh:4x4", "dl", 4, 2, fabric.StopGo, 512, 229, 229, 2}, // RHiNET-2
		{"random:switches=16,degree=4,seed=5", "dl", 2, 4, fabric.Credit, 64, 32, 8, 2},
	}
	overload, window := units.Time(150_000), int64(400_000)
	switch {
	case *nightly:
	case *long:
		cases = cases[4:] // those of RHiNET-2
	default:
		cases, overload, window = cases[5:], overload/10, window/20
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
	seeds, longer := 1, int64(2) // windows
	switch {
	case *nightly:
		seeds, longer = 100, 5
	case *long:
		seeds, longer = 8, 5
	}
	worst := map[float64]float64{} // by part of the saturation
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		cable, largest := rng.IntN(12), 8+rng.IntN(60)
		c := twins{
			topology: fmt.Sprintf("random:switches=%d,degree=4,seed=%d", 8+2*rng.IntN(5), seed), algorithm: "dl",
			hosts: 1 + rng.IntN(3), vcs: 1 + rng.IntN(4), flow: []fabric.Flow{fabric.Credit, fabric.StopGo}[rng.IntN(2)],
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
		}{{0.3, 0.01, 1}, {0.6, 0.03, 1}, {0.8, 0.08, longer}} {
			check(at.part, deviation(c.latency(t, at.part*min(accepted[0], accepted[1]), at.windows*window)), at.most)
		}
	}
	t.Logf("worst deviations by part of saturation: %.4f", worst)
}
