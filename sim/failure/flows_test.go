package failure

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/flow"
	"musubi/sim/packet"
	"musubi/topology"
	"musubi/units"

	"pgregory.net/rapid"
)

// message is a long message between two end points.
type message struct {
	at       units.Time
	src, dst int
	packets  int
	flits    int
}

// sea is a network in which long messages flow, or go as packets.
type sea struct {
	q       *engine.Queue
	under   *Fabric
	fabric  fabric.Fabric
	arrived []units.Time
}

// newSea takes a name of package routing. cfg may be nil: nothing can fail.
func newSea(t testing.TB, net *topology.Network, name string, flows bool, cfg *Config) *sea {
	t.Helper()
	algorithm, err := routing.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	routes, err := algorithm.Build(net, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &sea{q: new(engine.Queue)}
	base := fabric.Config{
		Net: net, Routes: routes, Flit: 8, Rate: 6400 * units.MbitPerSecond, Classes: 1, VCs: routes.VCs, Buffer: 64 * 32 * 8,
		Flow: fabric.Credit, MaxPacket: 32, Switch: 30 * units.Nanosecond, Cable: 10 * units.Nanosecond, HostCable: 10 * units.Nanosecond, Breaks: cfg != nil,
	}
	var below fabric.Breakable
	if flows {
		below, err = flow.New(base, s.q)
	} else {
		below, err = packet.New(base, s.q)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.fabric = below; cfg == nil {
		return s
	}
	cfg.Net, cfg.Ports = net, 1
	cfg.Routing = NewRouting(routes, Fits(routes.VCs, func(*routing.Routes) error { return nil }))
	s.under = New(below, *cfg, routes, s.q)
	if flows {
		s.fabric = fabric.InOrderFlows{InOrder: fabric.NewInOrder(Flows{s.under}, s.q)}
	} else {
		s.fabric = fabric.NewInOrder(s.under, s.q)
	}
	return s
}

// carry sends messages, as a whole or as packets in turn, and notes when the last tail of each has arrived. What
// a source sends after a message has left arrives after it.
func (s *sea) carry(messages []message) error {
	bulker, flows := s.fabric.(fabric.Bulker)
	s.arrived = make([]units.Time, len(messages))
	left := make([]int, len(messages))
	for i, m := range messages {
		s.q.Push(engine.Event{At: m.at, Kind: fabric.FirstDevice, A: uint32(i)})
		left[i] = m.packets
	}
	send := func(i int) {
		if m := messages[i]; left[i] > 0 {
			left[i]--
			s.fabric.Send(fabric.Packet{Src: m.src, Dst: m.dst, Flits: m.flits, Tag: uint64(i), NotifySent: true, NotifyHeader: left[i] == 0})
		}
	}
	missing := make([]int, len(messages))
	for ev, ok := s.fabric.Run(units.Never); ok; ev, ok = s.fabric.Run(units.Never) {
		i := int(ev.A)
		if ev.Kind != fabric.FirstDevice {
			i = int(s.fabric.Delivery(ev.A).Tag)
		}
		switch m := messages[i]; {
		case ev.Kind == fabric.Delivered:
			d := s.fabric.Delivery(ev.A)
			if s.arrived[i] > 0 {
				return fmt.Errorf("message %d arrives twice", i)
			}
			if missing[i] -= max(d.Packets, 1); missing[i] == 0 {
				s.arrived[i] = d.Tail
			}
			s.fabric.Release(ev.A)
		case ev.Kind == fabric.Sent:
			send(i)
		case ev.Kind != fabric.FirstDevice:
		case flows && m.packets > 1:
			missing[i], left[i] = m.packets, 0
			bulker.SendBulk(fabric.Bulk{Packet: fabric.Packet{Src: m.src, Dst: m.dst, Flits: m.flits, Tag: uint64(i), NotifySent: i%2 == 0}, Packets: m.packets, Last: m.flits})
		default:
			missing[i] = m.packets
			send(i)
			send(i)
		}
	}
	for i := range messages {
		if missing[i] != 0 || s.arrived[i] == 0 {
			return fmt.Errorf("of message %d %d packets have not arrived", i, missing[i])
		}
	}
	return nil
}

// TestEveryMessageArrivesOnce lets links, switches and hosts of random networks fail, heal and lose rate while
// long messages flow and packets are among them.
func TestEveryMessageArrivesOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		net := nettest.Generate(t, rapid.SampledFrom([]string{"torus:3x3", "fattree:k=4", "dragonfly:a=2,h=1,p=1", "ring:5", "random:switches=6,degree=3,seed=1"}).Draw(rt, "network"), 1)
		cfg := Config{Detection: units.Time(rapid.IntRange(0, 20).Draw(rt, "detection")) * us, Timeout: units.Time(rapid.IntRange(1, 20).Draw(rt, "timeout")) * us, Seed: 1}
		if rapid.Bool().Draw(rt, "at random") {
			cfg.MTBF, cfg.MTTR = 100*us, 10*us
		}
		for range rapid.IntRange(0, 6).Draw(rt, "failures") {
			cfg.Events = append(cfg.Events, drawEvent(rt, net))
		}
		s := newSea(t, net, rapid.SampledFrom([]string{"updown", "dl"}).Draw(rt, "routing"), true, &cfg)
		messages := make([]message, rapid.IntRange(1, 40).Draw(rt, "messages"))
		var packets int64
		for i := range messages {
			m := message{
				at: units.Time(rapid.IntRange(0, 30_000).Draw(rt, "at")) * units.Nanosecond, src: rapid.IntRange(0, len(net.EndPoints)-1).Draw(rt, "from"),
				packets: rapid.SampledFrom([]int{1, 2, 7, 60, 300}).Draw(rt, "packets"), flits: rapid.IntRange(1, 32).Draw(rt, "flits"),
			}
			m.dst = (m.src + rapid.IntRange(1, len(net.EndPoints)-1).Draw(rt, "to")) % len(net.EndPoints)
			messages[i] = m
			packets += int64(m.packets)
		}
		if err := s.carry(messages); err != nil {
			rt.Fatal(err)
		}
		if err := s.under.Cut(); err != nil {
			rt.Fatal(err)
		}
		if err := s.fabric.Conserved(); err != nil {
			rt.Fatal(err)
		}
		r, traffic := s.under.Report(), s.fabric.Traffic()
		if r.Lost != r.Resent || r.Lost != traffic.Lost || traffic.Sent != packets+r.Resent || traffic.Delivered != packets {
			rt.Fatalf("%d packets: %+v, %+v", packets, r, traffic)
		}
		for link, load := range s.fabric.Carried() {
			if load.Packets < 0 || load.Flits < 0 || s.fabric.Busy()[link] < 0 {
				rt.Fatalf("link %d carried %+v", link, load)
			}
		}
	})
}

// TestNoFailureCostsFlowsNothing checks that messages take the same time where links could fail, and do not.
func TestNoFailureCostsFlowsNothing(t *testing.T) {
	net := nettest.Generate(t, "torus:3x3", 2)
	var messages []message
	for n := range 200 {
		messages = append(messages, message{units.Time(n%17) * us, n % 18, (n%18 + 1 + n%16) % 18, 1 + n%5*20, 16})
	}
	var at [2][]units.Time
	for i, cfg := range []*Config{nil, {Timeout: us}} {
		s := newSea(t, net, "updown", true, cfg)
		if err := s.carry(messages); err != nil {
			t.Fatal(err)
		}
		at[i] = s.arrived
	}
	if fmt.Sprint(at[0]) != fmt.Sprint(at[1]) {
		t.Error("messages arrive at other times where links can fail")
	}
}

// TestFlowsLoseAsPackets compares long messages that flow past failures with the same as packets: they arrive within
// 5 % of each other on average (8 % where a link is slow), and lose as many within a quarter.
func TestFlowsLoseAsPackets(t *testing.T) {
	net := nettest.Generate(t, "fattree:k=4", 2)
	var messages []message
	for src := range 8 {
		messages = append(messages, message{0, src, 15 - src, 1000, 32})
	}
	for _, what := range []string{
		"s0[2]@250us", "s0[2]@50us..120us", "s0[2]@100us..300us/4", "s16@200us", "s16@100us..150us", "h15@50us..200us", "s0[2]@50us+s2[2]@60us..200us", "s0[2]@10us..20us",
	} {
		within := 0.05
		if strings.Contains(what, "/") {
			within = 0.08 // packets that wait for a slow link hold back others, and flows do not
		}
		var ends [2]units.Time
		var reports [2]Report
		for i := range 2 {
			events, err := Parse(what, net, 1)
			if err != nil {
				t.Fatal(err)
			}
			s := newSea(t, net, "updown", i == 1, &Config{Events: events, Detection: 100 * us, Timeout: 50 * us})
			if err := s.carry(messages); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for _, at := range s.arrived {
				ends[i] += at / units.Time(len(messages))
			}
			reports[i] = s.under.Report()
		}
		p, f := &reports[0], &reports[1]
		if off := float64(ends[1])/float64(ends[0]) - 1; math.Abs(off) > within {
			t.Errorf("%s: flows end at %v, packets at %v (%+.1f %%)", what, ends[1], ends[0], 100*off)
		}
		if p.Failures != f.Failures || p.Reroutes != f.Reroutes || float64(f.Lost) < 0.75*float64(p.Lost) || float64(f.Lost) > 1.25*float64(p.Lost) {
			t.Errorf("%s: of flows %+v, of packets %+v", what, *f, *p)
		}
	}
}
