package fabric

import (
	"fmt"
	"strings"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/units"

	"pgregory.net/rapid"
)

// newFlit prepares a flit engine or fails the test.
func newFlit(t testing.TB, cfg Config) (*FlitFabric, *engine.Queue) {
	t.Helper()
	q := new(engine.Queue)
	f, err := NewFlit(cfg, q)
	if err != nil {
		t.Fatal(err)
	}
	return f, q
}

// flitRouters are routers of every kind, for switches of at least six cycles.
func flitRouters() map[string]Router {
	return map[string]Router{
		"plain":             {},
		"held switch":       {HoldSwitch: true, Iterations: 2},
		"wormhole":          {Switching: Wormhole},
		"stages":            {Switching: Wormhole, RoutingDelay: 1, VCAllocDelay: 1, CrossbarDelay: 1, Lanes: 2, AnyHostVC: true},
		"slow stages":       {RoutingDelay: 2, VCAllocDelay: 1, SwitchAllocDelay: 2, CrossbarDelay: 1, CreditDelay: 2},
		"held wormhole":     {Switching: Wormhole, HoldSwitch: true, VCAllocDelay: 2},
		"no crossbar delay": {VCAllocDelay: 1, Lanes: 3},
	}
}

// TestFlitZeroLoadLatencyIsTheClosedForm checks the formula in the documentation
// of FlitFabric for every pair of end points, whatever the router's stages.
func TestFlitZeroLoadLatencyIsTheClosedForm(t *testing.T) {
	for name, router := range flitRouters() {
		for _, flow := range []Flow{Credit, StopGo} {
			net, routes := build(t, "torus:4x3", 2, "ecube", routing.Options{})
			cfg := testConfig(net, routes)
			cfg.Flow, cfg.Router = flow, router
			cfg.Switch, cfg.Cable, cfg.HostCable = 60*units.Nanosecond, 20*units.Nanosecond, 10*units.Nanosecond
			f, _ := newFlit(t, cfg)
			for src := range net.EndPoints {
				for dst := range net.EndPoints {
					flits := 1 + (src+3*dst)%cfg.MaxPacket
					f.Send(Packet{Src: src, Dst: dst, Flits: flits})
					ev, ok := f.Run(units.Never)
					if !ok || ev.Kind != Delivered {
						t.Fatalf("%s: packet from %d to %d was not delivered", name, src, dst)
					}
					d := f.Delivery(ev.A)
					if got, want := d.Tail-d.Queued, zeroLoad(cfg, d.Hops, flits); got != want {
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

// TestEnginesAgreeAtZeroLoad compares everything that the two engines report of
// single packets.
func TestEnginesAgreeAtZeroLoad(t *testing.T) {
	net, routes := build(t, "mesh:3x3", 1, "ecube", routing.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		cfg := testConfig(net, routes)
		cfg.Flow = rapid.SampledFrom([]Flow{Credit, StopGo}).Draw(rt, "flow")
		cycles := func(least int, label string) units.Time {
			return units.Time(rapid.IntRange(least, 12).Draw(rt, label)) * 10 * units.Nanosecond
		}
		cfg.Switch, cfg.Cable, cfg.HostCable = cycles(1, "switch"), cycles(0, "cable"), cycles(0, "host cable")
		p := Packet{
			Src: rapid.IntRange(0, 8).Draw(rt, "src"), Dst: rapid.IntRange(0, 8).Draw(rt, "dst"),
			Flits: rapid.IntRange(1, cfg.MaxPacket).Draw(rt, "flits"), NotifySent: true, NotifyHeader: true,
		}
		if p.Flits > 1 { // the header of a single flit would have to wait with the tail
			p.Ready = units.Time(rapid.IntRange(0, 60).Draw(rt, "ready")) * 10 * units.Nanosecond
		}
		trace := func(f Fabric) string {
			var b strings.Builder
			id := f.Send(p)
			for range 3 {
				ev, _ := f.Run(units.Never)
				fmt.Fprintf(&b, "%d at %v; ", ev.Kind, ev.At)
			}
			fmt.Fprintf(&b, "%+v", f.Delivery(id))
			return b.String()
		}
		cutThrough, err := NewPacket(cfg, new(engine.Queue))
		if err != nil {
			rt.Fatal(err)
		}
		flits, err := NewFlit(cfg, new(engine.Queue))
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

// TestEveryFlitArrivesOnce overloads random networks under every combination of
// switching, flow control and router, with devices that release late, then lets
// them drain.
func TestEveryFlitArrivesOnce(t *testing.T) {
	routers := flitRouters()
	names := []string{"plain", "held switch", "wormhole", "stages", "slow stages", "held wormhole", "no crossbar delay"}
	rapid.Check(t, func(rt *rapid.T) {
		switches := 2 * rapid.IntRange(2, 5).Draw(rt, "half the switches")
		spec := fmt.Sprintf("random:switches=%d,degree=3,seed=%d", switches, rapid.IntRange(1, 1000).Draw(rt, "seed"))
		net, routes := build(t, spec, rapid.IntRange(1, 3).Draw(rt, "hosts"), "dl", routing.Options{VCs: rapid.IntRange(1, 3).Draw(rt, "layers")})
		cfg := testConfig(net, routes)
		cfg.Flow = rapid.SampledFrom([]Flow{Credit, StopGo}).Draw(rt, "flow")
		cfg.Router = routers[rapid.SampledFrom(names).Draw(rt, "router")]
		cfg.Classes = rapid.IntRange(1, 2).Draw(rt, "classes")
		cfg.Rate = 6 * units.GbitPerSecond // a cycle is not a whole number of picoseconds
		cfg.Switch = 80 * units.Nanosecond
		cfg.Cable = units.Time(rapid.IntRange(0, 40).Draw(rt, "cable")) * units.Nanosecond
		least := cfg.MaxPacket + 15
		if cfg.Router.Switching == Wormhole {
			least = 15
		}
		cfg.Buffer = units.Bytes(rapid.IntRange(least, 80).Draw(rt, "buffer")) * cfg.Flit
		f, err := NewFlit(cfg, new(engine.Queue))
		if err != nil {
			rt.Fatal(err)
		}
		l := newLoad(f, f.q, cfg, rapid.IntRange(1, cfg.MaxPacket).Draw(rt, "flits"), rapid.Float64Range(0.1, 1).Draw(rt, "load"), 5*units.Microsecond)
		delay := units.Time(rapid.IntRange(0, 900).Draw(rt, "release after")) * units.Nanosecond
		l.runLate(cfg.Classes, delay, func() {
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
		if f.Traffic().Sent != l.delivered {
			rt.Fatalf("%d packets sent, %d delivered", f.Traffic().Sent, l.delivered)
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
			net, routes := build(t, fmt.Sprintf("ring:%d", nodes), 1, c.algorithm, routing.Options{})
			cfg := testConfig(net, routes)
			cfg.Buffer = 4 * cfg.Flit
			cfg.Router = Router{Switching: Wormhole, Lanes: c.lanes, VCAllocDelay: delay}
			f, _ := newFlit(t, cfg)
			for src := range nodes {
				for range 3 {
					f.Send(Packet{Src: src, Dst: (src + 3) % nodes, Flits: cfg.MaxPacket})
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
			checkCycle(t, net, d)
		}
	}
}

// TestFlitEndPointHoldsBack checks that packets which a device does not take
// hold back others, and that the simulation comes to rest meanwhile.
func TestFlitEndPointHoldsBack(t *testing.T) {
	for _, c := range []struct {
		switching Switching
		buffer    int // flits
		held      int // packets of 32 flits that are delivered without a release
	}{
		{CutThrough, 64, 2}, {CutThrough, 127, 3}, {Wormhole, 8, 1}, {Wormhole, 40, 2},
	} {
		net, routes := build(t, "mesh:2x1", 1, "minimal", routing.Options{})
		cfg := testConfig(net, routes)
		cfg.Buffer = units.Bytes(c.buffer) * cfg.Flit
		cfg.Router.Switching = c.switching
		f, _ := newFlit(t, cfg)
		for range 20 {
			f.Send(Packet{Src: 0, Dst: 1, Flits: cfg.MaxPacket})
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

func TestNewFlitRefuses(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`unknown switching "store"; known: cut-through, wormhole`:                         func(c *Config) { c.Router.Switching = "store" },
		"expected at least 32 for the largest packet":                                     func(c *Config) { c.Buffer = 31 * c.Flit },
		"expected at least 1 for a flit":                                                  func(c *Config) { c.Buffer, c.Router.Switching = c.Flit-1, Wormhole },
		"expected at least 35 for what arrives until a stop takes effect":                 func(c *Config) { c.Flow, c.Buffer = StopGo, 34*c.Flit },
		"use the packet engine":                                                           func(c *Config) { c.LinkRates = true },
		"switch latency of 30ns is 3 cycles of 10ns, but the stages of the router take 4": func(c *Config) { c.Router.RoutingDelay = 3 },
		"switch latency of 0ps is 0 cycles of 10ns, but the stages of the router take 1":  func(c *Config) { c.Switch = 0 },
		"1 classes of 1 virtual channels with 65 lanes each; expected at most 64 in all":  func(c *Config) { c.Router.Lanes = 65 },
		"router with credit delay -1; expected 0 to":                                      func(c *Config) { c.Router.CreditDelay = -1 },
		"latency of 1s is more than":                                                      func(c *Config) { c.Cable = units.Second },
		`alternate routes minimal are for network "mesh:2x1"`:                             func(c *Config) { c.Router.Alternates = otherRoutes(t) },
		"routing minimal uses 1 virtual channels but the switches have 0":                 func(c *Config) { c.VCs = 0 },
		"flit of 2MiB; the flit engine expects at most 1MiB":                              func(c *Config) { c.Flit, c.Buffer = 2<<20, 1<<40 },
	} {
		net, routes := build(t, "mesh:3x1", 1, "minimal", routing.Options{})
		cfg := testConfig(net, routes)
		change(&cfg)
		if _, err := NewFlit(cfg, new(engine.Queue)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
}

func otherRoutes(t *testing.T) []*routing.Routes {
	_, routes := build(t, "mesh:2x1", 1, "minimal", routing.Options{})
	return []*routing.Routes{routes}
}
