package fabric

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/topology"
	"musubi/units"
)

// build makes a network and its routes, or fails the test.
func build(t testing.TB, spec string, hosts int, algorithm string, opt routing.Options) (*topology.Network, *routing.Routes) {
	t.Helper()
	net := nettest.Generate(t, spec, hosts)
	alg, err := routing.Lookup(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	routes, err := alg.Build(net, opt)
	if err != nil {
		t.Fatal(err)
	}
	return net, routes
}

// testConfig describes a fabric with a clock of 10 ns per flit of 8 bytes.
func testConfig(net *topology.Network, routes *routing.Routes) Config {
	return Config{
		Net: net, Routes: routes,
		Flit: 8, Rate: 6400 * units.MbitPerSecond,
		Classes: 1, VCs: routes.VCs, Buffer: 64 * 8,
		Flow: Credit, MaxPacket: 32,
		Switch: 30 * units.Nanosecond, Cable: 10 * units.Nanosecond, HostCable: 10 * units.Nanosecond,
	}
}

// load is open-loop uniform traffic: every end point sends packets of a fixed
// length to random others, with exponential gaps.
type load struct {
	fabric    Fabric
	q         *engine.Queue
	rng       []*rand.Rand
	flits     int
	gap       float64 // mean, in picoseconds
	until     units.Time
	delivered int64
	latency   units.Time
}

// meter measures packet-hops per second of processor time, which other programs on the machine
// disturb less than they do the wall clock.
type meter struct {
	fabric Fabric
	hops   int64
	used   time.Duration
}

func newMeter(f Fabric) meter { return meter{f, f.Traffic().Hops, processorTime()} }

// report reports the rate since newMeter, and returns the packet-hops.
func (m *meter) report(b *testing.B) int64 {
	hops := m.fabric.Traffic().Hops - m.hops
	b.ReportMetric(float64(hops)/(processorTime()-m.used).Seconds(), "packet-hops/cpu-s")
	return hops
}

// processorTime returns the time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func newLoad(f Fabric, q *engine.Queue, cfg Config, flits int, offered float64, until units.Time) *load {
	l := &load{fabric: f, q: q, flits: flits, until: until}
	l.gap = float64(cfg.Rate.Transfer(units.Bytes(flits)*cfg.Flit)) / offered
	for e := range cfg.Net.EndPoints {
		l.rng = append(l.rng, rand.New(rand.NewPCG(uint64(e), 7)))
		l.next(e)
	}
	return l
}

func (l *load) next(e int) {
	at := l.q.Now() + units.Time(l.rng[e].ExpFloat64()*l.gap)
	if at < l.until {
		l.q.Push(engine.Event{At: at, Kind: FirstDevice, A: uint32(e)})
	}
}

// run goes on until the limit or until nothing is left to do.
func (l *load) run(limit units.Time) {
	for {
		ev, ok := l.fabric.Run(limit)
		if !ok {
			return
		}
		if ev.Kind == FirstDevice {
			e := int(ev.A)
			dst := l.rng[e].IntN(len(l.rng) - 1)
			if dst >= e {
				dst++
			}
			l.fabric.Send(Packet{Src: e, Dst: dst, Flits: l.flits})
			l.next(e)
			continue
		}
		d := l.fabric.Delivery(ev.A)
		l.delivered++
		l.latency += d.Tail - d.Queued
		l.fabric.Release(ev.A)
	}
}

// runLate is run with packets of random classes and lengths up to that of the
// load, of which the tails are not always ready, and with a device that takes some
// time over each packet. It calls check between events.
func (l *load) runLate(classes int, delay units.Time, check func()) {
	const release = FirstDevice + 1
	for {
		ev, ok := l.fabric.Run(units.Never)
		check()
		switch {
		case !ok:
			return
		case ev.Kind == FirstDevice:
			e := int(ev.A)
			rng := l.rng[e]
			l.fabric.Send(Packet{
				Src: e, Dst: rng.IntN(len(l.rng)), Flits: 1 + rng.IntN(l.flits),
				Class: rng.IntN(classes), Ready: ev.At + units.Time(rng.IntN(100))*units.Nanosecond,
			})
			l.next(e)
		case ev.Kind == Delivered:
			l.delivered++
			l.q.Push(engine.Event{At: l.q.Now() + delay, Kind: release, A: ev.A})
		case ev.Kind == release:
			l.fabric.Release(ev.A)
		}
	}
}
