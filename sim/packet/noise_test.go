package packet

import (
	"math"
	"slices"
	"strings"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"
)

// within fails unless so many of n independent trials of a probability are within five
// standard deviations of their mean.
func within(t *testing.T, what string, got, n int, p float64) {
	t.Helper()
	mean, deviation := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
	if off := math.Abs(float64(got) - mean); off > 5*deviation {
		t.Errorf("%s: %d of %d; want %.1f, give or take %.1f", what, got, n, mean, 5*deviation)
	}
}

// corrupted sends packets of some flits from one end of a row of switches to the other
// and tells which arrive corrupt.
func corrupted(t *testing.T, switches, flits, packets int, rate float64, seed uint64) (which []bool) {
	t.Helper()
	widths := make([]int, switches+1)
	for i := range widths {
		widths[i] = 1
	}
	net, routes, _ := chain(t, widths)
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Errors, cfg.Seed = rate, seed
	f := mustPacket(t, cfg)
	for range packets {
		f.Send(fabric.Packet{Src: 0, Dst: len(net.EndPoints) - 1, Flits: flits})
	}
	for _, d := range arrivals(t, f) {
		which = append(which, d.Corrupt)
	}
	return which
}

func count(which []bool) (n int) {
	for _, is := range which {
		if is {
			n++
		}
	}
	return n
}

// TestErrorsAreAsFrequentAsTheirRate counts corrupt packets and compares with the
// probability that at least one of all bits is wrong, on all links of the way.
func TestErrorsAreAsFrequentAsTheirRate(t *testing.T) {
	const packets = 20000
	for _, c := range []struct {
		switches, flits int
		rate            float64
	}{
		{1, 1, 1e-3}, {1, 32, 1e-5}, {3, 16, 1e-6}, {6, 32, 1e-5}, {2, 8, 1e-3}, {1, 1, 0.5},
	} {
		bits := float64((c.switches + 1) * c.flits * 64)
		got := corrupted(t, c.switches, c.flits, packets, c.rate, 1)
		within(t, "corrupt packets", count(got), packets, 1-math.Pow(1-c.rate, bits))
	}
}

func TestErrorsDependOnTheSeed(t *testing.T) {
	run := func(seed uint64) []bool { return corrupted(t, 2, 16, 1000, 1e-4, seed) }
	if !slices.Equal(run(1), run(1)) {
		t.Error("two runs with the same seed differ")
	}
	if slices.Equal(run(1), run(2)) {
		t.Error("runs with different seeds do not differ")
	}
	if n := count(corrupted(t, 2, 16, 1000, 0, 1)); n != 0 {
		t.Errorf("%d of 1000 packets are corrupt without errors", n)
	}
}

// TestCopiesShareErrorsBeforeTheyPart checks how often none of the copies of a multicast
// is corrupt: if errors before the switch struck copies one by one, that would be rarer.
func TestCopiesShareErrorsBeforeTheyPart(t *testing.T) {
	const copies, rounds, bad = 4, 5000, 0.3 // of packets on each link
	net, routes := fabrictest.Build(t, "mesh:1x1", copies+1, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	const flits = 8
	cfg.Errors, cfg.Seed = 1-math.Pow(1-bad, 1/float64(flits*64)), 3
	f := mustPacket(t, cfg)
	for round := range rounds {
		f.Forget(f.Multicast(fabric.Packet{Src: 0, Flits: flits, Tag: uint64(round)}, everyone(copies+1, 0)))
	}
	struck := make([]int, rounds)
	each := 0
	for _, d := range arrivals(t, f) {
		if d.Corrupt {
			struck[d.Tag]++
			each++
		}
	}
	none, all := 0, 0
	for _, n := range struck {
		switch n {
		case 0:
			none++
		case copies:
			all++
		}
	}
	within(t, "multicasts without a corrupt copy", none, rounds, (1-bad)*math.Pow(1-bad, copies))
	within(t, "multicasts with corrupt copies only", all, rounds, bad+(1-bad)*math.Pow(bad, copies))
	if want := copies * rounds * (1 - (1-bad)*(1-bad)); math.Abs(float64(each)-want) > want/20 {
		t.Errorf("%d corrupt copies; want about %.0f", each, want)
	}
}

// TestCorruptAnswersDoNotCount has hosts of a switch answer whatever they get. The source
// hears if no answer is corrupt when it comes to the switch, however it arrives itself.
func TestCorruptAnswersDoNotCount(t *testing.T) {
	const copies, rounds, bad = 3, 4000, 0.2 // of answers on each link
	net, routes := fabrictest.Build(t, "mesh:1x1", copies+1, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Classes = 2
	cfg.Errors, cfg.Seed = 1-math.Pow(1-bad, 1/float64(answerFlits*64)), 4
	f := mustPacket(t, cfg)
	heard, sound := 0, 0
	for range rounds {
		tree := f.Multicast(fabric.Packet{Src: 0, Flits: 1}, everyone(copies+1, 0))
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			d := f.Delivery(ev.A)
			f.Release(ev.A)
			if d.Class == forthClass {
				answer(t, f, d)
				continue
			}
			heard++
			if !d.Corrupt {
				sound++
			}
		}
		f.Forget(tree)
	}
	within(t, "combined answers", heard, rounds, math.Pow(1-bad, copies))
	within(t, "combined answers that are not corrupt", sound, rounds, math.Pow(1-bad, copies+1))
	if err := f.Conserved(); err != nil {
		t.Error(err)
	}
}

func TestOdds(t *testing.T) {
	for _, c := range []struct {
		rate   float64
		length units.Bytes
		want   float64
	}{
		{1e-15, 36, 288e-15}, {0.5, 1, 1 - 1.0/256}, {1e-3, 1000, 1 - math.Pow(0.999, 8000)}, {0.9, 1 << 20, 1},
	} {
		if got := float64(odds(c.rate, c.length)) / math.Ldexp(1, 64); math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%v bytes with errors at %v: odds %v, want %v", c.length, c.rate, got, c.want)
		}
	}
}

func TestErrorsMustBeAProbability(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:2x1", 1, "minimal", routing.Options{})
	for _, rate := range []float64{-1e-9, 1, 2, math.NaN(), math.Inf(1)} {
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.Errors = rate
		if _, err := New(cfg, new(engine.Queue)); err == nil || !strings.Contains(err.Error(), "probability") {
			t.Errorf("errors with probability %v: error %v", rate, err)
		}
	}
}
