// Package fabrictest is what tests of the engines share: configurations, traffic, and what any engine must do.
package fabrictest

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/topology"
	"musubi/units"
)

// Build makes a network and its routes, or fails the test.
func Build(t testing.TB, spec string, hosts int, algorithm string, opt routing.Options) (*topology.Network, *routing.Routes) {
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

// FlitTime is how long a flit of DefaultConfig takes.
const FlitTime = 10 * units.Nanosecond

// DefaultConfig describes a fabric with a clock of 10 ns per flit of 8 bytes.
func DefaultConfig(net *topology.Network, routes *routing.Routes) fabric.Config {
	return fabric.Config{
		Net: net, Routes: routes,
		Flit: 8, Rate: 6400 * units.MbitPerSecond,
		Classes: 1, VCs: routes.VCs, Buffer: 64 * 8,
		Flow: fabric.Credit, MaxPacket: 32,
		Switch: 30 * units.Nanosecond, Cable: 10 * units.Nanosecond, HostCable: 10 * units.Nanosecond,
	}
}

// Uniform is open-loop uniform traffic: every end point sends packets of a fixed
// length to random others, with exponential gaps.
type Uniform struct {
	fabric    fabric.Fabric
	q         *engine.Queue
	rng       []*rand.Rand
	flits     int
	gap       float64 // mean, in picoseconds
	until     units.Time
	Delivered int64
	latency   units.Time
}

// Meter measures packet-hops per second of processor time, which other programs on the machine
// disturb less than they do the wall clock.
type Meter struct {
	fabric fabric.Fabric
	hops   int64
	used   time.Duration
}

// NewMeter begins to measure.
func NewMeter(f fabric.Fabric) Meter { return Meter{f, f.Traffic().Hops, processorTime()} }

// Report reports the rate since NewMeter, and returns the packet-hops.
func (m *Meter) Report(b *testing.B) int64 {
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

// NewUniform offers a share of what the links of end points carry, until some time.
func NewUniform(f fabric.Fabric, q *engine.Queue, cfg fabric.Config, flits int, offered float64, until units.Time) *Uniform {
	l := &Uniform{fabric: f, q: q, flits: flits, until: until}
	l.gap = float64(cfg.Rate.Transfer(units.Bytes(flits)*cfg.Flit)) / offered
	for e := range cfg.Net.EndPoints {
		l.rng = append(l.rng, rand.New(rand.NewPCG(uint64(e), 7)))
		l.next(e)
	}
	return l
}

func (l *Uniform) next(e int) {
	at := l.q.Now() + units.Time(l.rng[e].ExpFloat64()*l.gap)
	if at < l.until {
		l.q.Push(engine.Event{At: at, Kind: fabric.FirstDevice, A: uint32(e)})
	}
}

// Run goes on until the limit or until nothing is left to do.
func (l *Uniform) Run(limit units.Time) {
	for {
		ev, ok := l.fabric.Run(limit)
		if !ok {
			return
		}
		if ev.Kind == fabric.FirstDevice {
			e := int(ev.A)
			dst := l.rng[e].IntN(len(l.rng) - 1)
			if dst >= e {
				dst++
			}
			l.fabric.Send(fabric.Packet{Src: e, Dst: dst, Flits: l.flits})
			l.next(e)
			continue
		}
		d := l.fabric.Delivery(ev.A)
		l.Delivered++
		l.latency += d.Tail - d.Queued
		l.fabric.Release(ev.A)
	}
}

// RunLate is Run with packets of random classes and lengths up to that of the
// load, of which the tails are not always ready, and with a device that takes some
// time over each packet. It calls check between events.
func (l *Uniform) RunLate(classes int, delay units.Time, check func()) {
	const release = fabric.FirstDevice + 1
	for {
		ev, ok := l.fabric.Run(units.Never)
		check()
		switch {
		case !ok:
			return
		case ev.Kind == fabric.FirstDevice:
			e := int(ev.A)
			rng := l.rng[e]
			l.fabric.Send(fabric.Packet{
				Src: e, Dst: rng.IntN(len(l.rng)), Flits: 1 + rng.IntN(l.flits),
				Class: rng.IntN(classes), Ready: ev.At + units.Time(rng.IntN(100))*units.Nanosecond,
			})
			l.next(e)
		case ev.Kind == fabric.Delivered:
			l.Delivered++
			l.q.Push(engine.Event{At: l.q.Now() + delay, Kind: release, A: ev.A})
		case ev.Kind == release:
			l.fabric.Release(ev.A)
		}
	}
}

// ZeroLoad is the closed form of the latency of a packet in an empty network of
// equal links, from header leaving its source to tail arriving.
func ZeroLoad(cfg fabric.Config, hops, flits int) units.Time {
	return 2*cfg.HostCable + units.Time(hops)*cfg.Cable + units.Time(hops+1)*cfg.Switch + cfg.Rate.Transfer(units.Bytes(flits)*cfg.Flit)
}

// CheckCycle fails the test unless each channel of a deadlock leads to the next.
func CheckCycle(t testing.TB, net *topology.Network, d *fabric.Deadlock) {
	t.Helper()
	for i, h := range d.Cycle {
		next := d.Cycle[(i+1)%len(d.Cycle)]
		if net.To(h.Channel).Switch != net.From(next.Channel).Switch || h.Packets == 0 {
			t.Errorf("link %d of the cycle %+v does not lead to the next or holds nothing", i, d.Cycle)
		}
	}
}
