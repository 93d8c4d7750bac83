package flow_test

import (
	"slices"
	"testing"

	"musubi/internal/nettest"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/flow"
	"musubi/topology"
	"musubi/units"
)

// lanes gives random links another rate.
func lanes(net *topology.Network, width func() int) {
	for i := range net.Links {
		net.Links[i].Speed = topology.Speed{Width: width(), Lane: "QDR"}
	}
	for i := range net.EndPoints {
		net.EndPoints[i].Speed = topology.Speed{Width: width(), Lane: "QDR"}
	}
}

// TestAloneAsPackets sends single packets and long messages one after the other, so that none meets
// another: they arrive as in the packet engine.
func TestAloneAsPackets(t *testing.T) {
	for seed := range uint64(40) {
		rng, net := random(t, seed)
		if len(net.EndPoints) < 2 {
			continue
		}
		cfg := config(t, net)
		if seed%2 == 1 {
			cfg.LinkRates = true
			lanes(net, func() int { return []int{1, 2, 4}[rng.IntN(3)] })
		}
		messages := randomMessages(rng, &cfg, 30, 20, 0)
		for i := range messages {
			messages[i].at = units.Time(i) * units.Millisecond
		}
		got, want := newFlow(t, cfg).carry(t, messages), newPacket(t, cfg).carry(t, messages)
		for i := range messages {
			if off := got[i] - want[i]; off < -1 || off > 1 {
				t.Errorf("seed %d: %+v arrives at %v; in the packet engine at %v", seed, messages[i], got[i], want[i])
			}
		}
	}
}

// TestBurstsOfASource: packets of one source meet only each other, and only where they leave it.
func TestBurstsOfASource(t *testing.T) {
	for seed := range uint64(40) {
		rng, net := random(t, seed)
		if len(net.EndPoints) < 2 {
			continue
		}
		cfg := config(t, net)
		messages := randomMessages(rng, &cfg, 30, 1, 2*units.Microsecond)
		for i := range messages {
			messages[i].src = 0
			messages[i].dst = 1 + rng.IntN(len(net.EndPoints)-1)
		}
		got, want := newFlow(t, cfg).carry(t, messages), newPacket(t, cfg).carry(t, messages)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: arrivals %v; in the packet engine %v", seed, got, want)
		}
	}
}

// TestShares: messages from several hosts to one, and from one to several, take as long in all as in
// the packet engine, to within a packet of each.
func TestShares(t *testing.T) {
	cfg := config(t, nettest.Generate(t, "mesh:3x1", 3))
	for _, in := range []bool{true, false} {
		for n := 2; n <= 8; n++ {
			var messages []message
			for i := 1; i <= n; i++ {
				m := message{src: i, dst: 0, packets: 100, flits: 32}
				if !in {
					m.src, m.dst = 0, i
				}
				messages = append(messages, m)
			}
			got, want := newFlow(t, cfg).carry(t, messages), newPacket(t, cfg).carry(t, messages)
			each := cfg.Rate.Transfer(32 * cfg.Flit)
			if off := slices.Max(got) - slices.Max(want); off < -units.Time(n)*each || off > units.Time(n)*each {
				t.Errorf("%d messages, to one host %v: the last arrives at %v; in the packet engine at %v", n, in, slices.Max(got), slices.Max(want))
			}
		}
	}
}

// TestPacketsSlowFlows: a link carries what single packets take less of a message.
func TestPacketsSlowFlows(t *testing.T) {
	cfg := config(t, nettest.Generate(t, "mesh:2x1", 2))
	long := message{src: 0, dst: 2, packets: 100, flits: 32}
	alone := newFlow(t, cfg).carry(t, []message{long})[0]
	messages := []message{long}
	for i := range 50 {
		messages = append(messages, message{at: units.Time(1+i) * 100 * units.Nanosecond, src: 1, dst: 3, packets: 1, flits: 16})
	}
	got := newFlow(t, cfg).carry(t, messages)[0]
	if want := alone + 50*cfg.Rate.Transfer(16*cfg.Flit); got != want {
		t.Errorf("with single packets the message arrives at %v; want %v, as it takes %v alone", got, want, alone)
	}
}

// trace runs random messages of all lengths and returns all that a device sees.
func trace(t *testing.T, seed uint64) (events []engine.Event, tails []units.Time, w world) {
	rng, net := random(t, seed)
	if len(net.EndPoints) < 2 {
		return nil, nil, world{}
	}
	cfg := config(t, net)
	if seed%2 == 1 {
		cfg.LinkRates = true
		lanes(net, func() int { return []int{1, 2, 4}[rng.IntN(3)] })
	}
	w = newFlow(t, cfg)
	messages := randomMessages(rng, &cfg, 200, 1, 20*units.Microsecond)
	for i := range messages {
		if rng.IntN(2) == 0 {
			messages[i].packets = 1 + rng.IntN(50)
		}
	}
	type way struct{ src, dst int }
	last := map[way]int{}
	for i := range messages {
		w.q.Push(engine.Event{At: messages[i].at, Kind: begin, A: uint32(i)})
	}
	sent := 0
	for ev, ok := w.Run(units.Never); ok; ev, ok = w.Run(units.Never) {
		events = append(events, ev)
		switch ev.Kind {
		case begin:
			m := &messages[ev.A]
			if b := m.bulk(); m.packets > 1 {
				w.Fabric.(fabric.Bulker).SendBulk(b)
			} else {
				b.Tag = uint64(1000 + sent)
				sent++
				w.Send(b.Packet)
			}
		case fabric.Delivered:
			d := w.Delivery(ev.A)
			tails = append(tails, d.Tail)
			if d.Tail != ev.At {
				t.Errorf("seed %d: tail at %v is delivered at %v", seed, d.Tail, ev.At)
			}
			if n := int(d.Tag); d.Packets == 0 {
				if from := (way{d.Src, d.Dst}); n < last[from] {
					t.Errorf("seed %d: packets from %d to %d overtake each other", seed, d.Src, d.Dst)
				} else {
					last[from] = n
				}
			}
			w.Release(ev.A)
		}
	}
	if err := w.Conserved(); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	if w.q.Len() != 0 || w.Stuck() != nil {
		t.Errorf("seed %d: %d events and %v are left", seed, w.q.Len(), w.Stuck())
	}
	return events, tails, w
}

// TestConservesAndRepeats: whatever is sent arrives, in order, and the same each time.
func TestConservesAndRepeats(t *testing.T) {
	for seed := range uint64(30) {
		events, tails, _ := trace(t, seed)
		again, tailsAgain, _ := trace(t, seed)
		if !slices.Equal(events, again) || !slices.Equal(tails, tailsAgain) {
			t.Errorf("seed %d: two runs differ", seed)
		}
	}
}

// TestLinksCarryTheSame: links count packets, flits and time as those of the packet engine do.
func TestLinksCarryTheSame(t *testing.T) {
	for seed := range uint64(20) {
		rng, net := random(t, seed)
		if len(net.EndPoints) < 2 {
			continue
		}
		cfg := config(t, net)
		messages := randomMessages(rng, &cfg, 60, 10, units.Microsecond)
		flows, packets := newFlow(t, cfg), newPacket(t, cfg)
		flows.carry(t, messages)
		packets.carry(t, messages)
		if !slices.Equal(flows.Carried(), packets.Carried()) || !slices.Equal(flows.Busy(), packets.Busy()) {
			t.Errorf("seed %d: links carry other packets than in the packet engine", seed)
		}
		if got, want := flows.Traffic(), packets.Traffic(); got != want {
			t.Errorf("seed %d: traffic %+v; in the packet engine %+v", seed, got, want)
		}
	}
}

// TestStagesShare: messages that pass the same part of a device share it.
func TestStagesShare(t *testing.T) {
	cfg := config(t, nettest.Generate(t, "mesh:1x1", 4))
	work := cfg.Rate.Transfer(100 * 32 * cfg.Flit)
	w := newFlow(t, cfg)
	for i := range 2 {
		b := (&message{src: 2 * i, dst: 2*i + 1, packets: 100, flits: 32}).bulk()
		b.Stages[0] = fabric.Stage{Unit: 7, Time: 3 * work / 4}
		b.NotifySent, b.Delay = true, 5
		w.Fabric.(fabric.Bulker).SendBulk(b)
	}
	for range 2 {
		if ev, _ := w.Run(units.Never); ev.Kind != fabric.Sent || ev.At != work*3/2+5 {
			t.Errorf("event %+v; expected both messages to be sent at %v", ev, work*3/2+5)
		}
	}
	for range 2 {
		ev, _ := w.Run(units.Never)
		if want := work*3/2 + 5 + 2*cfg.HostCable + cfg.Switch; ev.Kind != fabric.Delivered || ev.At != want {
			t.Errorf("event %+v; expected both messages to arrive at %v", ev, want)
		}
		w.Release(ev.A)
	}
}

func TestNoErrorsOnLinks(t *testing.T) {
	cfg := config(t, nettest.Generate(t, "mesh:2x1", 1))
	cfg.Errors = 1e-6
	if _, err := flow.New(cfg, &engine.Queue{}); err == nil {
		t.Error("links with errors are accepted")
	}
}
