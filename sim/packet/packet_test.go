package packet

import (
	"fmt"
	"testing"

	"musubi/internal/check"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	check.DrawLess()
	check.CollectLess()
	m.Run()
}

// mustPacket prepares the packet engine or fails the test.
func mustPacket(t testing.TB, cfg fabric.Config) *Fabric {
	t.Helper()
	f, err := New(cfg, new(engine.Queue))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A packet alone takes the time of the closed form, and its header is told of before it by the time that all flits take.
func TestZeroLoadLatencyIsTheClosedForm(t *testing.T) {
	for _, spec := range []string{"mesh:4x3", "torus:4x4", "fullmesh:5", "mesh:1x1"} {
		for _, flow := range []fabric.Flow{fabric.Credit, fabric.StopGo} {
			net, routes := fabrictest.Build(t, spec, 2, "dl", routing.Options{})
			cfg := fabrictest.DefaultConfig(net, routes)
			cfg.Flow = flow
			cfg.Rate = 6 * units.GbitPerSecond // a flit is not a whole number of picoseconds
			q := new(engine.Queue)
			f, err := New(cfg, q)
			if err != nil {
				t.Fatal(err)
			}
			for src := range net.EndPoints {
				for dst := range net.EndPoints {
					flits := 1 + (src+3*dst)%cfg.MaxPacket
					f.Send(fabric.Packet{Src: src, Dst: dst, Flits: flits, NotifyHeader: true})
					ev, ok := f.Run(units.Never)
					header := q.Now()
					if !ok || ev.Kind != fabric.Header {
						t.Fatalf("%s: the header of the packet from %d to %d did not come first", spec, src, dst)
					}
					if ev, ok = f.Run(units.Never); !ok || ev.Kind != fabric.Delivered {
						t.Fatalf("%s: packet from %d to %d was not delivered", spec, src, dst)
					}
					d := f.Delivery(ev.A)
					if got, want := d.Tail-d.Queued, fabrictest.ZeroLoad(cfg, d.Hops, flits); got != want {
						t.Errorf("%s: %d flits from %d to %d over %d hops take %v, want %v", spec, flits, src, dst, d.Hops, got, want)
					}
					if whole := cfg.Rate.Transfer(units.Bytes(flits) * cfg.Flit); d.Header != header || d.Tail-header != whole {
						t.Errorf("%s: the header of %d flits is told at %v, and came at %v; expected %v before %v", spec, flits, header, d.Header, whole, d.Tail)
					}
					if d.Entered != d.Queued || d.Src != src || d.Dst != dst || d.Flits != flits {
						t.Errorf("%s: packet from %d to %d delivered as %+v", spec, src, dst, d)
					}
					f.Release(ev.A)
				}
			}
			if err := f.Conserved(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestEveryPacketArrivesOnce overloads random networks with every combination of
// flow control, classes, cables and buffers, with devices that release late, then
// lets them drain.
func TestEveryPacketArrivesOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		switches := 2 * rapid.IntRange(2, 8).Draw(rt, "half the switches")
		spec := fmt.Sprintf("random:switches=%d,degree=3,seed=%d", switches, rapid.IntRange(1, 1000).Draw(rt, "seed"))
		net, routes := fabrictest.Build(t, spec, rapid.IntRange(1, 3).Draw(rt, "hosts"), "dl", routing.Options{VCs: rapid.IntRange(1, 3).Draw(rt, "layers")})
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.Flow = rapid.SampledFrom([]fabric.Flow{fabric.Credit, fabric.StopGo}).Draw(rt, "flow")
		cfg.Classes = rapid.IntRange(1, 2).Draw(rt, "classes")
		cfg.Cable = units.Time(rapid.IntRange(0, 200).Draw(rt, "cable")) * units.Nanosecond
		least := cfg.MaxPacket
		if cfg.Flow == fabric.StopGo {
			least += int((2*max(cfg.Cable, cfg.HostCable) + fabrictest.FlitTime - 1) / fabrictest.FlitTime)
		}
		cfg.Buffer = units.Bytes(least+rapid.IntRange(0, 60).Draw(rt, "more than the least buffer")) * cfg.Flit
		q := new(engine.Queue)
		f, err := New(cfg, q)
		if err != nil {
			rt.Fatal(err)
		}
		flits := rapid.IntRange(1, cfg.MaxPacket).Draw(rt, "flits")
		l := fabrictest.NewUniform(f, q, cfg, flits, rapid.Float64Range(0.1, 1).Draw(rt, "load"), 4*units.Microsecond)
		delay := units.Time(rapid.IntRange(0, 900).Draw(rt, "release after")) * units.Nanosecond
		l.RunLate(cfg.Classes, delay, func() {
			for i := range f.lanes {
				if room := f.roomNow(&f.lanes[i]); room < 0 {
					rt.Fatalf("the buffer of lane %d overflows by %d flits", i, -room)
				}
			}
		})
		if d := f.Stuck(); d != nil {
			rt.Fatal(d)
		}
		if err := f.Conserved(); err != nil {
			rt.Fatal(err)
		}
		if f.Traffic().Sent != l.Delivered {
			rt.Fatalf("%d packets sent, %d delivered", f.Traffic().Sent, l.Delivered)
		}
		for i, busy := range f.Busy() {
			if busy > q.Now() {
				rt.Fatalf("link %d was busy for %v of %v", i, busy, q.Now())
			}
		}
	})
}

// roomNow returns the room in a lane without what packets under way to it will
// take, whether its sender knows of it yet or not.
func (f *Fabric) roomNow(l *lane) int32 {
	room := l.room
	for d := l.drains.oldest(); d != nil; d = f.after(d) {
		room += d.gone(f.q.Now())
	}
	return room
}

// TestSaturation places the throughput of uniform traffic between the bisection
// bound, which nothing can exceed, and what dimension-order routing with input
// queues is known to reach (Dally and Towles, chapters 3 and 25).
func TestSaturation(t *testing.T) {
	for _, c := range []struct {
		topology string
		bound    float64 // of the offered load, by the most used channel
	}{
		{"mesh:8x8", 0.5 * 63 / 64},
		{"torus:4x4", 1}, // limited by the links of the hosts
	} {
		net, routes := fabrictest.Build(t, c.topology, 1, "ecube", routing.Options{})
		cfg := fabrictest.DefaultConfig(net, routes)
		q := new(engine.Queue)
		f, err := New(cfg, q)
		if err != nil {
			t.Fatal(err)
		}
		l := fabrictest.NewUniform(f, q, cfg, 16, 1, units.Never)
		const warmup, measure = 20 * units.Microsecond, 100 * units.Microsecond
		l.Run(warmup)
		before := l.Delivered
		l.Run(warmup + measure)
		flitTime := cfg.Rate.Transfer(cfg.Flit)
		accepted := float64((l.Delivered-before)*16) * float64(flitTime) / float64(measure) / float64(len(net.EndPoints))
		if accepted > c.bound || accepted < 0.55*c.bound {
			t.Errorf("%s accepts %.3f flits per host and flit time; want more than 0.55 of the bound %.3f, and not more than it", c.topology, accepted, c.bound)
		}
		t.Logf("%s accepts %.3f", c.topology, accepted)
	}
}

// TestBusyLinksCarryFlits checks that a link which waits for a tail is held, but
// not busy.
func TestBusyLinksCarryFlits(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:2x1", 1, "minimal", routing.Options{})
	f := mustPacket(t, fabrictest.DefaultConfig(net, routes))
	f.Send(fabric.Packet{Src: 0, Dst: 1, Flits: 10, Ready: units.Microsecond})
	f.Run(units.Never)
	for _, l := range []int{0, fabric.InjectionLink(net, 0), fabric.EjectionLink(net, 1)} {
		if got := f.Busy()[l]; got != 10*fabrictest.FlitTime {
			t.Errorf("link %d was busy for %v, want %v", l, got, 10*fabrictest.FlitTime)
		}
	}
}

// TestRingDeadlocks shows that the engine finds the classic deadlock and names
// its cycle: shortest paths around a ring with one virtual channel.
func TestRingDeadlocks(t *testing.T) {
	net, routes := fabrictest.Build(t, "ring:6", 1, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Buffer = units.Bytes(cfg.MaxPacket) * cfg.Flit
	q := new(engine.Queue)
	f, err := New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	fabrictest.NewUniform(f, q, cfg, cfg.MaxPacket, 1, 300*units.Microsecond).Run(units.Never)
	d := f.Stuck()
	if d == nil {
		t.Fatal("the ring did not deadlock")
	}
	if len(d.Cycle) != 6 {
		t.Errorf("cycle %v; want the six channels of one direction", d.Cycle)
	}
	fabrictest.CheckCycle(t, net, d)
}

// TestEndPointHoldsBack checks that packets which a device does not take fill
// the buffers back to their source and go on when it does.
func TestEndPointHoldsBack(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:2x1", 1, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	q := new(engine.Queue)
	f, err := New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	const packets = 20
	for range packets {
		f.Send(fabric.Packet{Src: 0, Dst: 1, Flits: cfg.MaxPacket})
	}
	var held []uint32
	for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
		held = append(held, ev.A)
	}
	if want := int(cfg.Buffer/cfg.Flit) / cfg.MaxPacket; len(held) != want {
		t.Fatalf("%d packets were delivered and not taken, want %d", len(held), want)
	}
	if d := f.Stuck(); d == nil || len(d.Cycle) != 0 {
		t.Errorf("stuck: %v; want packets that no device takes", d)
	}
	for len(held) > 0 {
		f.Release(held[0])
		held = held[1:]
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			held = append(held, ev.A)
		}
	}
	if err := f.Conserved(); err != nil {
		t.Error(err)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:4x4", 1, "ecube", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	q := new(engine.Queue)
	f, err := New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	l := fabrictest.NewUniform(f, q, cfg, 16, 0.4, units.Never)
	end := 500 * units.Microsecond
	l.Run(end)
	allocs := testing.AllocsPerRun(100, func() {
		end += units.Microsecond
		l.Run(end)
	})
	if allocs > 1 { // some slice may still grow now and then
		t.Errorf("%v allocations per simulated microsecond, want none", allocs)
	}
}

func BenchmarkPacket(b *testing.B) {
	for _, c := range []struct {
		name, topology string
		load           float64
	}{
		{"mesh8x8/half", "mesh:8x8", 0.2}, {"mesh8x8/near-saturation", "mesh:8x8", 0.34},
		{"torus32x32/half", "torus:32x32", 0.06},
	} {
		b.Run(c.name, func(b *testing.B) {
			net, routes := fabrictest.Build(b, c.topology, 1, "ecube", routing.Options{})
			cfg := fabrictest.DefaultConfig(net, routes)
			cfg.VCs = 4
			q := new(engine.Queue)
			f, err := New(cfg, q)
			if err != nil {
				b.Fatal(err)
			}
			l := fabrictest.NewUniform(f, q, cfg, 16, c.load, units.Never)
			l.Run(20 * units.Microsecond)
			start, events := q.Now(), q.Handled()
			m := fabrictest.NewMeter(f)
			b.ReportAllocs()
			for b.Loop() {
				start += units.Microsecond
				l.Run(start)
			}
			hops := m.Report(b)
			b.ReportMetric(float64(q.Handled()-events)/float64(hops), "events/hop")
			b.ReportMetric(float64(f.inNetwork), "in-network")
		})
	}
}
