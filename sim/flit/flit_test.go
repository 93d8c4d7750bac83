package flit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"

	"pgregory.net/rapid"
)

// newFlit prepares a flit engine or fails the test.
func newFlit(t testing.TB, cfg fabric.Config) (*Fabric, *engine.Queue) {
	t.Helper()
	q := new(engine.Queue)
	f, err := New(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	return f, q
}

// flitRouters are routers of every kind, for switches of at least six cycles.
func flitRouters() map[string]fabric.Router {
	return map[string]fabric.Router{
		"plain":             {},
		"held switch":       {HoldSwitch: true, Iterations: 2},
		"wormhole":          {Switching: fabric.Wormhole},
		"stages":            {Switching: fabric.Wormhole, RoutingDelay: 1, VCAllocDelay: 1, CrossbarDelay: 1, Lanes: 2, AnyHostVC: true},
		"slow stages":       {RoutingDelay: 2, VCAllocDelay: 1, SwitchAllocDelay: 2, CrossbarDelay: 1, CreditDelay: 2},
		"held wormhole":     {Switching: fabric.Wormhole, HoldSwitch: true, VCAllocDelay: 2},
		"no crossbar delay": {VCAllocDelay: 1, Lanes: 3},
	}
}

// TestFlitZeroLoadLatencyIsTheClosedForm checks the formula in the documentation
// of Fabric for every pair of end points, whatever the router's stages.
func TestFlitZeroLoadLatencyIsTheClosedForm(t *testing.T) {
	for name, router := range flitRouters() {
		for _, flow := range []fabric.Flow{fabric.Credit, fabric.StopGo} {
			net, routes := fabrictest.Build(t, "torus:4x3", 2, "ecube", routing.Options{})
			cfg := fabrictest.DefaultConfig(net, routes)
			cfg.Flow, cfg.Router = flow, router
			cfg.Switch, cfg.Cable, cfg.HostCable = 60*units.Nanosecond, 20*units.Nanosecond, 10*units.Nanosecond
			f, _ := newFlit(t, cfg)
			for src := range net.EndPoints {
				for dst := range net.EndPoints {
					flits := 1 + (src+3*dst)%cfg.MaxPacket
					f.Send(fabric.Packet{Src: src, Dst: dst, Flits: flits})
					ev, ok := f.Run(units.Never)
					if !ok || ev.Kind != fabric.Delivered {
						t.Fatalf("%s: packet from %d to %d was not delivered", name, src, dst)
					}
					d := f.Delivery(ev.A)
					if got, want := d.Tail-d.Queued, fabrictest.ZeroLoad(cfg, d.Hops, flits); got != want {
						t.Errorf("%s, %s: %d flits from %d to %d over %d hops take %v, want %v", name, flow, flits, src, dst, d.Hops, got, want)
					}
					f.Release(ev.A)
				}
			}
			for _, ok := f.Run(units.Never); ok; _, ok = f.Run(units.Never) {
			}
			if err := f.Conserved(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestEveryFlitArrivesOnce overloads random networks under every combination of
// switching, flow control and router, with devices that release late, then lets
// them drain.
func TestEveryFlitArrivesOnce(t *testing.T) {
	routers := flitRouters()
	names := []string{"plain", "held switch", "wormhole", "stages", "slow stages", "held wormhole", "no crossbar delay"}
	rapid.Check(t, func(rt *rapid.T) {
		switches := 2 * rapid.IntRange(2, 5).Draw(rt, "half the switches")
		spec := fmt.Sprintf("random:switches=%d,degree=3,seed=%d", switches, rapid.IntRange(1, 1000).Draw(rt, "seed"))
		net, routes := fabrictest.Build(t, spec, rapid.IntRange(1, 3).Draw(rt, "hosts"), "dl", routing.Options{VCs: rapid.IntRange(1, 3).Draw(rt, "layers")})
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.Flow = rapid.SampledFrom([]fabric.Flow{fabric.Credit, fabric.StopGo}).Draw(rt, "flow")
		cfg.Router = routers[rapid.SampledFrom(names).Draw(rt, "router")]
		cfg.Classes = rapid.IntRange(1, 2).Draw(rt, "classes")
		cfg.Rate = 6 * units.GbitPerSecond // a cycle is not a whole number of picoseconds
		cfg.Switch = 80 * units.Nanosecond
		cfg.Cable = units.Time(rapid.IntRange(0, 40).Draw(rt, "cable")) * units.Nanosecond
		least := cfg.MaxPacket + 15
		if cfg.Router.Switching == fabric.Wormhole {
			least = 15
		}
		cfg.Buffer = units.Bytes(rapid.IntRange(least, 80).Draw(rt, "buffer")) * cfg.Flit
		f, err := New(cfg, new(engine.Queue))
		if err != nil {
			rt.Fatal(err)
		}
		l := fabrictest.NewUniform(f, f.q, cfg, rapid.IntRange(1, cfg.MaxPacket).Draw(rt, "flits"), rapid.Float64Range(0.1, 1).Draw(rt, "load"), 5*units.Microsecond)
		delay := units.Time(rapid.IntRange(0, 900).Draw(rt, "release after")) * units.Nanosecond
		l.RunLate(cfg.Classes, delay, func() {
			for i := range f.lanes {
				if f.lanes[i].credits < 0 {
					rt.Fatalf("the buffer of lane %d overflows", i)
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
			if busy > f.q.Now() {
				rt.Fatalf("link %d was busy for %v of %v", i, busy, f.q.Now())
			}
		}
	})
}

// TestWormholeDeadlocks has every node of a ring send to the third after it. With
// shortest paths the packets deadlock, on one virtual channel and also on two
// that routing does not tell apart; with a dateline they do not.
func TestWormholeDeadlocks(t *testing.T) {
	const nodes = 7
	for _, c := range []struct {
		algorithm string
		lanes     int
		deadlock  bool
	}{
		{"minimal", 1, true}, {"minimal", 2, true}, {"ecube", 1, false}, {"ecube", 2, false},
	} {
		for _, delay := range []int{0, 1} {
			net, routes := fabrictest.Build(t, fmt.Sprintf("ring:%d", nodes), 1, c.algorithm, routing.Options{})
			cfg := fabrictest.DefaultConfig(net, routes)
			cfg.Buffer = 4 * cfg.Flit
			cfg.Router = fabric.Router{Switching: fabric.Wormhole, Lanes: c.lanes, VCAllocDelay: delay}
			f, _ := newFlit(t, cfg)
			for src := range nodes {
				for range 3 {
					f.Send(fabric.Packet{Src: src, Dst: (src + 3) % nodes, Flits: cfg.MaxPacket})
				}
			}
			for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
				f.Release(ev.A)
			}
			d := f.Stuck()
			if !c.deadlock {
				if d != nil || f.Traffic().Delivered != 3*nodes {
					t.Errorf("%s, %d lanes: %d packets delivered, stuck: %v", c.algorithm, c.lanes, f.Traffic().Delivered, d)
				}
				continue
			}
			if d == nil || len(d.Cycle) == 0 || len(d.Cycle)%nodes != 0 {
				t.Fatalf("%s, %d lanes: stuck: %v; want a cycle through all %d switches", c.algorithm, c.lanes, d, nodes)
			}
			fabrictest.CheckCycle(t, net, d)
		}
	}
}

// TestFlitEndPointHoldsBack checks that packets which a device does not take
// hold back others, and that the simulation comes to rest meanwhile.
func TestFlitEndPointHoldsBack(t *testing.T) {
	for _, c := range []struct {
		switching fabric.Switching
		buffer    int // flits
		held      int // packets of 32 flits that are delivered without a release
	}{
		{fabric.CutThrough, 64, 2}, {fabric.CutThrough, 127, 3}, {fabric.Wormhole, 8, 1}, {fabric.Wormhole, 40, 2},
	} {
		net, routes := fabrictest.Build(t, "mesh:2x1", 1, "minimal", routing.Options{})
		cfg := fabrictest.DefaultConfig(net, routes)
		cfg.Buffer = units.Bytes(c.buffer) * cfg.Flit
		cfg.Router.Switching = c.switching
		f, _ := newFlit(t, cfg)
		for range 20 {
			f.Send(fabric.Packet{Src: 0, Dst: 1, Flits: cfg.MaxPacket})
		}
		var held []uint32
		collect := func() {
			for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
				held = append(held, ev.A)
			}
		}
		collect()
		if len(held) != c.held {
			t.Errorf("%s, buffer of %d: %d packets were delivered and not taken, want %d", c.switching, c.buffer, len(held), c.held)
		}
		if d := f.Stuck(); d == nil || len(d.Cycle) != 0 {
			t.Errorf("stuck: %v; want packets that no device takes", d)
		}
		for len(held) > 0 {
			f.Release(held[0])
			held = held[1:]
			collect()
		}
		if err := f.Conserved(); err != nil {
			t.Errorf("%s, buffer of %d: %v", c.switching, c.buffer, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for want, change := range map[string]func(*fabric.Config){
		`unknown switching "store"; known: cut-through, wormhole`:                         func(c *fabric.Config) { c.Router.Switching = "store" },
		"expected at least 32 for the largest packet":                                     func(c *fabric.Config) { c.Buffer = 31 * c.Flit },
		"expected at least 1 for a flit":                                                  func(c *fabric.Config) { c.Buffer, c.Router.Switching = c.Flit-1, fabric.Wormhole },
		"expected at least 35 for what arrives until a stop takes effect":                 func(c *fabric.Config) { c.Flow, c.Buffer = fabric.StopGo, 34*c.Flit },
		"use the packet engine":                                                           func(c *fabric.Config) { c.LinkRates = true },
		"switch latency of 30ns is 3 cycles of 10ns, but the stages of the router take 4": func(c *fabric.Config) { c.Router.RoutingDelay = 3 },
		"switch latency of 0ps is 0 cycles of 10ns, but the stages of the router take 1":  func(c *fabric.Config) { c.Switch = 0 },
		"1 classes of 1 virtual channels with 65 lanes each; expected at most 64 in all":  func(c *fabric.Config) { c.Router.Lanes = 65 },
		"router with credit delay -1; expected 0 to":                                      func(c *fabric.Config) { c.Router.CreditDelay = -1 },
		"latency of 1s is more than":                                                      func(c *fabric.Config) { c.Cable = units.Second },
		`alternate routes minimal are for network "mesh:2x1"`:                             func(c *fabric.Config) { c.Router.Alternates = otherRoutes(t) },
		"routing minimal uses 1 virtual channels but the switches have 0":                 func(c *fabric.Config) { c.VCs = 0 },
		"flit of 2MiB; the flit engine expects at most 1MiB":                              func(c *fabric.Config) { c.Flit, c.Buffer = 2<<20, 1<<40 },
	} {
		net, routes := fabrictest.Build(t, "mesh:3x1", 1, "minimal", routing.Options{})
		cfg := fabrictest.DefaultConfig(net, routes)
		change(&cfg)
		if _, err := New(cfg, new(engine.Queue)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
}

func otherRoutes(t *testing.T) []*routing.Routes {
	_, routes := fabrictest.Build(t, "mesh:2x1", 1, "minimal", routing.Options{})
	return []*routing.Routes{routes}
}

// TestFlitRunsAreRepeatable runs a scenario twice and compares every delivery.
func TestFlitRunsAreRepeatable(t *testing.T) {
	run := func() (trace []string) {
		cfg := bookSim(t, "torus", 4, 4, 8)
		f, q := newFlit(t, cfg)
		fabrictest.NewUniform(f, q, cfg, 16, 0.6, 10*units.Microsecond)
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			if ev.Kind == fabric.FirstDevice {
				f.Send(fabric.Packet{Src: int(ev.A), Dst: int(ev.At) % 16, Flits: 16})
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
		net, routes := fabrictest.Build(t, "mesh:3x1", 1, "minimal", routing.Options{})
		f, q := newFlit(t, fabrictest.DefaultConfig(net, routes))
		wake := engine.Event{At: 50 * units.Nanosecond, Kind: fabric.FirstDevice}
		if pushFirst {
			q.Push(wake)
		}
		f.Send(fabric.Packet{Src: 0, Dst: 2, Flits: 16})
		if !pushFirst {
			if ev, ok := f.Run(45 * units.Nanosecond); ok {
				t.Fatalf("unexpected event %+v", ev)
			}
			q.Push(wake)
		}
		for ev, ok := f.Run(units.Never); ok; ev, ok = f.Run(units.Never) {
			if ev.Kind == fabric.FirstDevice {
				f.Send(fabric.Packet{Src: 1, Dst: 2, Flits: 16})
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
	net, routes := fabrictest.Build(t, "mesh:4x4", 1, "ecube", routing.Options{})
	cfg := textbook(fabrictest.DefaultConfig(net, routes), 4, 8)
	f, q := newFlit(t, cfg)
	l := fabrictest.NewUniform(f, q, cfg, 16, 0.4, units.Never)
	end := 150 * units.Microsecond
	l.Run(end)
	allocs := testing.AllocsPerRun(100, func() {
		end += units.Microsecond
		l.Run(end)
	})
	if allocs > 1 { // some slice may still grow now and then
		t.Errorf("%v allocations per simulated microsecond, want none", allocs)
	}
}
