package fabrictest

import (
	"math"
	"math/rand/v2"
	"testing"

	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// bernoulli is open-loop traffic in which every source creates a packet in a
// cycle with a fixed probability.
type bernoulli struct {
	fabric fabric.Fabric
	q      *engine.Queue
	rng    []*rand.Rand
	cycle  units.Time
	prob   float64 // of a packet, per source and cycle
	flits  int
	dest   func(src int, r *rand.Rand) int

	from, to units.Time // packets created in between are measured
	pending  int        // measured packets that have not arrived
	count    int64
	packet   units.Time // sum of packet latencies
	network  units.Time // sum of network latencies
	received int64      // packets that arrived in between
}

// Latencies are means in cycles, and Accepted the flits per node and cycle that have arrived.
type Latencies struct{ Packet, Network, Accepted float64 }

// Measure offers traffic of so many flits per node and cycle, and measures the packets that are created in a window
// of so many cycles after others to warm up.
func Measure(t testing.TB, f fabric.Fabric, q *engine.Queue, cfg fabric.Config, flits int, offered float64, warm, window int64, seed uint64, dest func(int, *rand.Rand) int) Latencies {
	t.Helper()
	cycle := cfg.Rate.Transfer(cfg.Flit)
	b := &bernoulli{
		fabric: f, q: q, cycle: cycle, prob: offered / float64(flits), flits: flits, dest: dest,
		from: units.Time(warm) * cycle, to: units.Time(warm+window) * cycle,
	}
	for e := range cfg.Net.EndPoints {
		b.rng = append(b.rng, rand.New(rand.NewPCG(uint64(e), seed)))
		b.next(e, 0)
	}
	for b.step() {
	}
	n := float64(b.count) * float64(cycle)
	return Latencies{float64(b.packet) / n, float64(b.network) / n, float64(b.received) * float64(flits) / float64(window) / float64(len(b.rng))}
}

// next schedules the first packet of a source that is created at a time or
// later.
func (b *bernoulli) next(e int, earliest units.Time) {
	gap := math.Floor(math.Log(1-b.rng[e].Float64()) / math.Log1p(-b.prob))
	b.q.Push(engine.Event{At: earliest + units.Time(gap)*b.cycle, Kind: fabric.FirstDevice, A: uint32(e)})
}

// step handles one event and reports whether measured packets may be under way.
func (b *bernoulli) step() bool {
	ev, ok := b.fabric.Run(units.Never)
	if !ok {
		return false
	}
	if ev.Kind == fabric.FirstDevice {
		e := int(ev.A)
		b.fabric.Send(fabric.Packet{Src: e, Dst: b.dest(e, b.rng[e]), Flits: b.flits})
		if ev.At >= b.from && ev.At < b.to {
			b.pending++
		}
		b.next(e, ev.At+b.cycle)
		return true
	}
	d := b.fabric.Delivery(ev.A)
	b.fabric.Release(ev.A)
	if d.Tail >= b.from && d.Tail < b.to {
		b.received++
	}
	if d.Queued >= b.from && d.Queued < b.to {
		b.pending--
		b.count++
		b.packet += d.Tail - d.Queued
		b.network += d.Tail - d.Entered
	}
	return b.pending > 0 || b.q.Now() < b.to
}

// AnyNode picks any of n nodes, the source included, as BookSim2 does.
func AnyNode(n int) func(int, *rand.Rand) int {
	return func(_ int, r *rand.Rand) int { return r.IntN(n) }
}
