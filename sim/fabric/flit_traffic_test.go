package fabric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/topology"
	"musubi/units"
)

// textbook gives the switches of a configuration the router of BookSim2's
// defaults, with so many virtual channels and flits per buffer: wormhole
// switching, four stages of a cycle each, cables of one cycle.
func textbook(cfg Config, vcs, buffer int) Config {
	cycle := cfg.Rate.Transfer(cfg.Flit)
	cfg.Switch, cfg.Cable, cfg.HostCable = 4*cycle, cycle, cycle
	cfg.Buffer = units.Bytes(buffer) * cfg.Flit
	cfg.Router = Router{
		Switching: Wormhole, Lanes: vcs / cfg.VCs, AnyHostVC: true,
		RoutingDelay: 1, VCAllocDelay: 1, SwitchAllocDelay: 1, CrossbarDelay: 1,
	}
	return cfg
}

// dimensionOrder routes a k-ary 2-mesh or 2-cube as BookSim2's dim_order does: x
// first; in a torus, virtual channel 1 in a dimension whose coordinate is to
// become smaller and 0 otherwise, whichever way round. Of two ways of equal
// length it takes the upward one in dimension d if bit d of ties is set.
func dimensionOrder(t testing.TB, net *topology.Network, k int, torus bool, ties int) *routing.Routes {
	t.Helper()
	vcs := 1
	if torus {
		vcs = 2
	}
	b, err := routing.NewBuilder("dimension order", net, vcs)
	if err != nil {
		t.Fatal(err)
	}
	channel := make(map[[2]int]int)
	for c := range net.Channels() {
		channel[[2]int{net.From(c).Switch, net.To(c).Switch}] = c
	}
	for src := range net.Switches {
		for dst := range net.Switches {
			var path routing.Path
			at := src
			for d, stride := range []int{1, k} {
				from, to := at/stride%k, dst/stride%k
				vc := 0
				if torus && from > to {
					vc = 1
				}
				for _, next := range walk(from, to, k, torus, ties>>d&1 == 1) {
					there := at + (next-at/stride%k)*stride
					path = append(path, routing.MakeHop(channel[[2]int{at, there}], vc))
					at = there
				}
			}
			b.Variants(src, dst, 1, 1)
			b.Add(path, 0)
		}
	}
	return b.Routes()
}

// walk lists the coordinates from one to another on a line or ring of k.
func walk(from, to, k int, ring, tieGoesUp bool) []int {
	up, distance := to > from, (to-from+k)%k
	if ring {
		up = 2*distance < k || 2*distance == k && tieGoesUp
	}
	var coordinates []int
	for from != to {
		if up {
			from = (from + 1) % k
		} else {
			from = (from + k - 1) % k
		}
		coordinates = append(coordinates, from)
	}
	return coordinates
}

// bookSim describes a k-ary 2-mesh or 2-cube with the textbook router. As in
// BookSim2, each packet throws a coin between ways round of equal length.
func bookSim(t testing.TB, kind string, k, vcs, buffer int) Config {
	t.Helper()
	net := nettest.Generate(t, fmt.Sprintf("%s:%dx%d", kind, k, k), 1)
	torus := kind == "torus"
	cfg := textbook(testConfig(net, dimensionOrder(t, net, k, torus, 0)), vcs, buffer)
	if torus && k%2 == 0 {
		for ties := 1; ties < 4; ties++ {
			cfg.Router.Alternates = append(cfg.Router.Alternates, dimensionOrder(t, net, k, torus, ties))
		}
	}
	return cfg
}

// bernoulli is open-loop traffic in which every source creates a packet in a
// cycle with a fixed probability.
type bernoulli struct {
	fabric Fabric
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

// latencies are means in cycles.
type latencies struct{ packet, network, accepted float64 }

// measure offers traffic of so many flits per node and cycle.
func measure(t testing.TB, f Fabric, q *engine.Queue, cfg Config, flits int, offered float64, warm, window int64, seed uint64, dest func(int, *rand.Rand) int) latencies {
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
	return latencies{float64(b.packet) / n, float64(b.network) / n, float64(b.received) * float64(flits) / float64(window) / float64(len(b.rng))}
}

// next schedules the first packet of a source that is created at a time or
// later.
func (b *bernoulli) next(e int, earliest units.Time) {
	gap := math.Floor(math.Log(1-b.rng[e].Float64()) / math.Log1p(-b.prob))
	b.q.Push(engine.Event{At: earliest + units.Time(gap)*b.cycle, Kind: FirstDevice, A: uint32(e)})
}

// step handles one event and reports whether measured packets may be under way.
func (b *bernoulli) step() bool {
	ev, ok := b.fabric.Run(units.Never)
	if !ok {
		return false
	}
	if ev.Kind == FirstDevice {
		e := int(ev.A)
		b.fabric.Send(Packet{Src: e, Dst: b.dest(e, b.rng[e]), Flits: b.flits})
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

// uniform picks any of n nodes, the source included, as BookSim2 does.
func uniform(n int) func(int, *rand.Rand) int {
	return func(_ int, r *rand.Rand) int { return r.IntN(n) }
}

// permutation is a traffic pattern of a k by k network in which each node sends
// to one other.
func permutation(name string, k int) func(int, *rand.Rand) int {
	return func(src int, _ *rand.Rand) int {
		x, y := src%k, src/k
		switch name {
		case "transpose":
			return x*k + y
		case "bitcomp":
			return k*k - 1 - src
		case "tornado":
			shift := (k+1)/2 - 1
			return (y+shift)%k*k + (x+shift)%k
		}
		panic("unknown pattern " + name)
	}
}
