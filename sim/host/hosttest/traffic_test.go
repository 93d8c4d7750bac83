package hosttest_test

import (
	"math"
	"testing"

	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// neighbour sends all packets to the next end point.
func neighbour(src, n int, _ func(int) int) int { return (src + 1) % n }

// TestTrafficGoesOnWhileLittleArrives measures so lightly loaded a network that
// now and then nothing arrives for a while. The sources must not take that for a
// deadlock.
func TestTrafficGoesOnWhileLittleArrives(t *testing.T) {
	const load, flits = 0.001, 200
	c := hosttest.NewCluster(t, "rhinet2", "mesh:4x4", 1)
	flit := c.Machine.Link.Rate.Transfer(c.Machine.Link.Flit)
	got, err := c.RunTraffic(host.Traffic{Destination: neighbour, Flits: flits, Load: load, Warmup: 0, Measure: 1_000_000 * flit})
	if err != nil {
		t.Fatal(err)
	}
	// 80 packets are expected, with a standard deviation of 9.
	if math.Abs(got.Offered/load-1) > 0.5 || got.Saturated {
		t.Errorf("offered %.5f, saturated: %v; want about %v and no saturation", got.Offered, got.Saturated, load)
	}
}

// TestTrafficOfHardlyAnyLoadEnds checks loads at which the next packet is further
// away than simulated time reaches.
func TestTrafficOfHardlyAnyLoadEnds(t *testing.T) {
	for _, load := range []float64{1e-9, 1e-18, 1e-300, math.SmallestNonzeroFloat64} {
		c := hosttest.NewCluster(t, "rhinet2", "mesh:2x1", 1)
		got, err := c.RunTraffic(host.Traffic{Destination: neighbour, Flits: 8, Load: load, Warmup: 0, Measure: 100 * units.Microsecond})
		if err != nil || got.Saturated || got.Packet.Count() != 0 {
			t.Errorf("load %g: error %v, saturated: %v, %d packets; want none of them", load, err, got.Saturated, got.Packet.Count())
		}
	}
}

// TestOverloadIsAcceptedAtTheRateOfTheLink sends everything to one end point, which
// takes what its link carries, and no more is counted for what drains later.
func TestOverloadIsAcceptedAtTheRateOfTheLink(t *testing.T) {
	const sources = 16
	c := hosttest.NewCluster(t, "rhinet2", "mesh:4x4", 1)
	toFirst := func(int, int, func(int) int) int { return 0 }
	got, err := c.RunTraffic(host.Traffic{Destination: toFirst, Flits: 20, Load: 0.5, Warmup: 50 * units.Microsecond, Measure: 200 * units.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	if link := got.Accepted * sources; link < 0.98 || link > 1.001 || !got.Saturated {
		t.Errorf("%.3f flits arrive per flit time, saturated: %v; want 1 and saturation", link, got.Saturated)
	}
}

// TestTrafficIsABernoulliProcess compares the packets generated with the binomial
// distribution, whose standard deviation the tolerance is four times.
func TestTrafficIsABernoulliProcess(t *testing.T) {
	const flits, slots = 4, 20_000
	for _, load := range []float64{0.05, 0.3} {
		c := hosttest.NewCluster(t, "rhinet2", "mesh:4x4", 1)
		flit := c.Machine.Link.Rate.Transfer(1000*c.Machine.Link.Flit) / 1000
		got, err := c.RunTraffic(host.Traffic{Destination: neighbour, Flits: flits, Load: load, Warmup: 1000 * flit, Measure: slots * flit})
		if err != nil {
			t.Fatal(err)
		}
		p, trials := load/flits, float64(16*slots)
		packets, want := float64(got.Packet.Count()), p*trials
		if off := math.Abs(packets - want); off > 4*math.Sqrt(want*(1-p)) {
			t.Errorf("load %v: %.0f packets, want about %.0f", load, packets, want)
		}
		if off := math.Abs(got.Offered*trials/flits/packets - 1); off > 1e-4 {
			t.Errorf("load %v: offered %v with latencies of %.0f packets", load, got.Offered, packets)
		}
		if math.Abs(got.Accepted/got.Offered-1) > 0.01 || got.Saturated {
			t.Errorf("load %v: accepted %.4f of %.4f, saturated: %v", load, got.Accepted, got.Offered, got.Saturated)
		}
	}
}

// TestUnsettledTrafficIsTold measures an empty network that fills, and then one that has.
func TestUnsettledTrafficIsTold(t *testing.T) {
	for _, test := range []struct {
		load            float64
		warmup, measure units.Time
		settled         bool
	}{
		{0.5, 0, 10 * units.Microsecond, false},
		{0.2, 20 * units.Microsecond, 200 * units.Microsecond, true},
	} {
		c := hosttest.NewCluster(t, "iqrouter", "mesh:4x4", 1)
		uniform := func(_, n int, draw func(int) int) int { return draw(n) }
		got, err := c.RunTraffic(host.Traffic{Destination: uniform, Flits: 8, Load: test.load, Warmup: test.warmup, Measure: test.measure})
		if err != nil || got.Saturated || got.Settled != test.settled {
			t.Errorf("measured for %v after %v: error %v, saturated: %v, settled: %v; want %v", test.measure, test.warmup, err, got.Saturated, got.Settled, test.settled)
		}
	}
}
