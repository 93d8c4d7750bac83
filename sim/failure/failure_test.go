package failure

import (
	"fmt"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/flit"
	"musubi/sim/packet"
	"musubi/topology"
	"musubi/units"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	check.DrawLess()
	check.CollectLess()
	m.Run()
}

const us = units.Microsecond

// bench is a network in which links may fail, with packets that know their place in their flow.
type bench struct {
	net    *topology.Network
	q      *engine.Queue
	under  *Fabric // nil: nothing can fail
	fabric fabric.Fabric

	sent, arrived map[[3]int]uint64 // by source, destination and class
	at            []units.Time      // when packets arrived
}

// newBench takes a name of package routing or adaptive.
func newBench(t testing.TB, net *topology.Network, name string, classes int, cfg *Config) *bench {
	t.Helper()
	return newBenchOf(t, net, name, classes, cfg, nil)
}

// newBenchOf is newBench of switches of the flit engine, if router is not nil.
func newBenchOf(t testing.TB, net *topology.Network, name string, classes int, cfg *Config, router *fabric.Router) *bench {
	t.Helper()
	var routes *routing.Routes
	var scheme [2]adaptive.Scheme
	vcs := 1
	if adaptive.Has(name) {
		for i := range scheme {
			scheme[i], _ = adaptive.Build(name, net, adaptive.Options{Seed: 1})
		}
		vcs = scheme[0].VCs()
		name = "minimal"
	}
	algorithm, err := routing.Lookup(name)
	if err == nil {
		routes, err = algorithm.Build(net, routing.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	vcs = max(vcs, routes.VCs)
	b := &bench{net: net, q: new(engine.Queue), sent: make(map[[3]int]uint64), arrived: make(map[[3]int]uint64)}
	base := fabric.Config{
		Net: net, Routes: routes, Choice: scheme[0], Flit: 8, Rate: 6400 * units.MbitPerSecond, Classes: classes, VCs: vcs, Buffer: 64 * 8,
		Flow: fabric.Credit, MaxPacket: 32, Switch: 30 * units.Nanosecond, Cable: 10 * units.Nanosecond, HostCable: 10 * units.Nanosecond, Breaks: cfg != nil,
	}
	var below fabric.Breakable
	if router != nil {
		base.Router = *router
		below, err = flit.New(base, b.q)
	} else {
		below, err = packet.New(base, b.q)
	}
	if err != nil {
		t.Fatal(err)
	}
	if b.fabric = below; cfg != nil {
		cfg.Net, cfg.Ports = net, 1
		cfg.Routing = NewRouting(routes, Fits(vcs, func(*routing.Routes) error { return nil }))
		if scheme[1] != nil {
			cfg.Routing.Choose(scheme[1], func(left *topology.Network) (adaptive.Scheme, error) {
				return adaptive.Build(scheme[1].Name(), left, adaptive.Options{Seed: 1})
			})
		}
		if scheme[0] != nil {
			routes = nil
		}
		b.under = New(below, *cfg, routes, b.q)
		b.fabric = b.under
	}
	b.fabric = fabric.NewInOrder(b.fabric, b.q)
	return b
}

// send lets a packet be sent at a time.
func (b *bench) send(at units.Time, src, dst, class int) {
	b.q.Push(engine.Event{At: at, Kind: fabric.FirstDevice, A: uint32(src), Args: engine.Args{B: uint32(dst), C: uint32(class)}})
}

// run goes on until nothing is left to do, and fails if packets come in another order than they went.
func (b *bench) run(flits int) error {
	for {
		ev, ok := b.fabric.Run(units.Never)
		switch {
		case !ok:
			return nil
		case ev.Kind == fabric.FirstDevice:
			flow := [3]int{int(ev.A), int(ev.B), int(ev.C)}
			b.fabric.Send(fabric.Packet{Src: flow[0], Dst: flow[1], Class: flow[2], Flits: flits, Tag: b.sent[flow], NotifySent: true, NotifyHeader: true})
			b.sent[flow]++
		case ev.Kind == fabric.Delivered:
			d := b.fabric.Delivery(ev.A)
			flow := [3]int{d.Src, d.Dst, d.Class}
			if d.Tag != b.arrived[flow] {
				return fmt.Errorf("packet %d of %v came when %d had", d.Tag, flow, b.arrived[flow])
			}
			b.arrived[flow]++
			b.at = append(b.at, ev.At)
			b.fabric.Release(ev.A)
		}
	}
}

// TestEveryPacketArrivesOnceAndInOrder lets links, switches and hosts of random networks fail and heal
// while packets are under way.
func TestEveryPacketArrivesOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		switches := 2 * rapid.IntRange(2, 5).Draw(rt, "half the switches")
		spec := fmt.Sprintf("random:switches=%d,degree=3,seed=%d", switches, rapid.IntRange(1, 1000).Draw(rt, "seed"))
		if rapid.Bool().Draw(rt, "regular") {
			spec = rapid.SampledFrom([]string{"torus:3x3", "fattree:k=4", "dragonfly:a=2,h=1,p=1", "ring:5", "hyperx:3x3"}).Draw(rt, "network")
		}
		net := nettest.Generate(t, spec, 1)
		name := rapid.SampledFrom([]string{"updown", "dl", "lash", "ecmp", "spray", "adaptive", "ugal"}).Draw(rt, "routing")
		cfg := Config{
			Detection: units.Time(rapid.IntRange(0, 8).Draw(rt, "detection")) * us, Timeout: units.Time(rapid.IntRange(1, 8).Draw(rt, "timeout")) * us,
			Seed: 1,
		}
		if rapid.Bool().Draw(rt, "at random") {
			cfg.MTBF, cfg.MTTR = 40*us, 4*us
		}
		for range rapid.IntRange(0, 6).Draw(rt, "failures") {
			cfg.Events = append(cfg.Events, drawEvent(rt, net))
		}
		var router *fabric.Router
		if rapid.Bool().Draw(rt, "flits") {
			router = &fabric.Router{Switching: rapid.SampledFrom([]fabric.Switching{fabric.CutThrough, fabric.Wormhole}).Draw(rt, "switching")}
			router.VCAllocDelay = rapid.IntRange(0, 1).Draw(rt, "allocation")
			router.HoldSwitch = rapid.Bool().Draw(rt, "hold")
		}
		b := newBenchOf(t, net, name, 2, &cfg, router)
		ends := len(net.EndPoints)
		for range rapid.IntRange(1, 300).Draw(rt, "packets") {
			at := units.Time(rapid.IntRange(0, 30_000).Draw(rt, "at")) * units.Nanosecond
			b.send(at, rapid.IntRange(0, ends-1).Draw(rt, "from"), rapid.IntRange(0, ends-1).Draw(rt, "to"), rapid.IntRange(0, 1).Draw(rt, "class"))
		}
		if err := b.run(rapid.IntRange(1, 32).Draw(rt, "flits")); err != nil {
			rt.Fatal(err)
		}
		b.balances(rt)
	})
}

// drawEvent draws a failure that heals.
func drawEvent(rt *rapid.T, net *topology.Network) Event {
	e := Event{Host: -1}
	switch kind := rapid.IntRange(0, 2).Draw(rt, "kind"); kind {
	case 0:
		e.What = net.SwitchName(rapid.IntRange(0, len(net.Switches)-1).Draw(rt, "switch"))
	case 1:
		e.What = ofLink(net, rapid.IntRange(0, len(net.Links)-1).Draw(rt, "link")).What
	default:
		e.What = net.EndPointName(rapid.IntRange(0, len(net.EndPoints)-1).Draw(rt, "host"))
	}
	from := rapid.IntRange(0, 30_000).Draw(rt, "from [ns]")
	text := fmt.Sprintf("%s@%dns..%dns", e.What, from, from+rapid.IntRange(1, 20_000).Draw(rt, "for [ns]"))
	if rapid.IntRange(0, 3).Draw(rt, "slower") == 0 {
		text += "/3"
	}
	events, err := Parse(text, net, 1)
	if err != nil {
		rt.Fatal(err)
	}
	return events[0]
}

// balances checks what a run leaves in which everything has healed, or healed in time.
func (b *bench) balances(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}) {
	if err := b.under.Cut(); err != nil {
		t.Fatal(err)
	}
	if d := b.fabric.Stuck(); d != nil {
		t.Fatal(d)
	}
	if err := b.fabric.Conserved(); err != nil {
		t.Fatal(err)
	}
	var sent int64
	for flow, n := range b.sent {
		sent += int64(n)
		if b.arrived[flow] != n {
			t.Fatalf("%d packets of %v sent, %d arrived", n, flow, b.arrived[flow])
		}
	}
	r, traffic := b.under.Report(), b.fabric.Traffic()
	if r.Lost != r.Resent || r.Lost != traffic.Lost || traffic.Sent > sent+r.Resent || traffic.Delivered != sent {
		t.Fatalf("%d packets: %+v, %+v", sent, r, traffic)
	}
}

// Packets that choose go on to choose on a torus, or HyperX, that has lost a link to escape to: those of ugal by other
// detours, those of adaptive by dimension order around it. Without a switch, and on a mesh, they take routes, and they choose as
// before when that heals.
func TestPacketsGoOnChoosing(t *testing.T) {
	for _, c := range []struct{ network, fail, routing, by string }{
		{"torus:4x4", "s0[2]@2us", "adaptive", "anew"}, {"hyperx:4x4", "s0[1]@2us", "adaptive", "anew"}, {"torus:4x4", "s0[2]@2us", "ugal", "as before"},
		{"mesh:3x3", "s0[2]@2us", "adaptive", "routes"}, {"torus:4x4", "s5@2us", "adaptive", "routes"}, {"torus:4x4", "s0[2]@2us..4us", "adaptive", "as before"},
	} {
		net := nettest.Generate(t, c.network, 1)
		events, err := Parse(c.fail, net, 1)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Detection: us, Timeout: us, Seed: 1, Events: events}
		b := newBench(t, net, c.routing, 1, &cfg)
		for n := range 600 {
			if src, dst := n%len(net.EndPoints), n*7%len(net.EndPoints); net.EndPoints[src].At.Switch != 5 && net.EndPoints[dst].At.Switch != 5 {
				b.send(units.Time(n)*20*units.Nanosecond, src, dst, 0)
			}
		}
		if err := b.run(16); err != nil {
			t.Fatal(err)
		}
		b.balances(t)
		by := "anew"
		switch cfg.Routing.chosen {
		case nil:
			by = "routes"
		case cfg.Routing.avoiding:
			by = "as before"
		}
		if by != c.by {
			t.Errorf("%s on %s, %s: packets go by %s; want %s", c.routing, c.network, c.fail, by, c.by)
		}
	}
}

// TestNoFailureCostsNothing checks that packets take the same time where links could fail, and do not.
func TestNoFailureCostsNothing(t *testing.T) {
	net := nettest.Generate(t, "torus:3x3", 2)
	for _, name := range []string{"dl", "adaptive", "flit dl", "flit adaptive"} {
		name, flits := strings.CutPrefix(name, "flit ")
		var router *fabric.Router
		if flits {
			router = &fabric.Router{}
		}
		var at [2][]units.Time
		for i, cfg := range []*Config{nil, {Timeout: us}} {
			b := newBenchOf(t, net, name, 1, cfg, router)
			for n := range 2000 {
				b.send(units.Time(n%97)*20*units.Nanosecond, n%18, n*7%18, 0)
			}
			if err := b.run(16); err != nil {
				t.Fatal(err)
			}
			at[i] = b.at
		}
		if fmt.Sprint(at[0]) != fmt.Sprint(at[1]) {
			t.Errorf("%s: packets arrive at other times where links can fail", name)
		}
	}
}

// TestOnePacketIsLost follows a packet whose link fails under it, by hand.
func TestOnePacketIsLost(t *testing.T) {
	net := nettest.Generate(t, "ring:4", 1)
	first := func(text string, cfg Config, router *fabric.Router) units.Time {
		t.Helper()
		var err error
		if cfg.Events, err = Parse(text, net, 1); err != nil {
			t.Fatal(err)
		}
		b := newBenchOf(t, net, "updown", 1, &cfg, router)
		b.send(0, 0, 1, 0)
		if err := b.run(10); err != nil {
			t.Fatal(err)
		}
		b.balances(t)
		return b.at[0]
	}
	// A packet of 10 flits of 10 ns takes three cables of 10 ns, two switches of 30 ns, and itself.
	const whole = 190 * units.Nanosecond
	link := ofLink(net, linkBetween(net, 0, 1)).What
	for _, c := range []struct {
		text string
		cfg  Config
		want units.Time
	}{
		{link + "@1us", Config{Timeout: us}, whole},
		// Its header has passed when the link fails; it goes again after its timeout.
		{link + "@100ns..500ns", Config{Timeout: us}, us + whole},
		// The link still is out of service then, and nobody knows.
		{link + "@100ns..1500ns", Config{Timeout: us, Detection: 10 * us}, 2*us + whole},
		// It is known, and the packet goes the other way, by two switches more.
		{link + "@100ns", Config{Timeout: us, Detection: 200 * units.Nanosecond}, us + whole + 80*units.Nanosecond},
		// The packet is short of the link, which takes four times as long.
		{link + "@0ns/4", Config{Timeout: us}, whole + 300*units.Nanosecond},
		// The host is disconnected, which is known before the timeout, and waits until it is known that it is back.
		{"h1@100ns..3us", Config{Timeout: us, Detection: 500 * units.Nanosecond}, 3500*units.Nanosecond + whole},
	} {
		for _, router := range []*fabric.Router{nil, {}} {
			want := c.want
			if router != nil && strings.HasSuffix(c.text, "/4") {
				want -= 30 * units.Nanosecond // flits are apart, and none is longer on its way
			}
			if got := first(c.text, c.cfg, router); got != want {
				t.Errorf("%s: the packet arrives at %v, want %v (router %v)", c.text, got, want, router)
			}
		}
	}
}

// linkBetween returns the number of a link between two switches.
func linkBetween(net *topology.Network, a, b int) int {
	for i, l := range net.Links {
		if l.A.Switch == a && l.B.Switch == b || l.A.Switch == b && l.B.Switch == a {
			return i
		}
	}
	return -1
}

// TestDisconnectedForGood checks that a pair which nothing joins any more is named, and nothing else lost.
func TestDisconnectedForGood(t *testing.T) {
	net := nettest.Generate(t, "ring:4", 1)
	events, err := Parse("s2@1us", net, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, net, "updown", 1, &Config{Events: events, Timeout: us, Detection: us})
	for n := range 40 {
		b.send(units.Time(n)*100*units.Nanosecond, 0, 1+n%3, 0)
	}
	if err := b.run(10); err != nil {
		t.Fatal(err)
	}
	err = b.under.Cut()
	if err == nil || !strings.Contains(err.Error(), "h0 and h2 are disconnected for good") || !strings.Contains(err.Error(), "s2") {
		t.Errorf("got %v", err)
	}
	if b.arrived[[3]int{0, 1, 0}] != 14 || b.arrived[[3]int{0, 3, 0}] != 13 {
		t.Errorf("arrived %v; want all packets to h1 and h3", b.arrived)
	}
}

func TestParseRefuses(t *testing.T) {
	net := nettest.Generate(t, "ring:4", 1)
	for text, want := range map[string]string{
		"":               "no time",
		"s0":             "no time",
		"s9@1us":         `no switch "s9"`,
		"s0[7]@1us":      "port 7 of switch s0 has no link",
		"s0@soon":        "is not a time",
		"s0@2us..1us":    "from 2us to 1us",
		"s0@1us..2us/0":  "how many times slower",
		"s0@1us/x":       "how many times slower",
		"s0@1us + s1":    "no time",
		"s0@-1us":        "",
		"s0@1us..2us..3": "is not a time",
	} {
		if _, err := Parse(text, net, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
