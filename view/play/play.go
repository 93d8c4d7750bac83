// Package play shows how packets come to wait for each other: it sends a packet or a few of each
// flow that closes a cycle of channel dependencies over a small simulated network, notes every move,
// and says which channels the packets hold in the end. The network is that of sim/fabric with
// buffers of one packet, so that what happens can be followed.
package play

import (
	"math/rand/v2"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/packet"
	"musubi/units"
)

// Flow is what closes an edge of the cycle: packets from one end point to another one.
type Flow struct {
	Src, Dst int
	Way      routing.Path
	Holds    int // which hop of its way is in the cycle; it waits for the next
}

// Packet is one of a flow, from 0 on.
type Packet struct{ Flow, Number int }

// Move is a packet that starts on a link. The links of a packet are counted from 0: that from its
// source, those of its way, that to its destination. The one after these means that it has arrived.
type Move struct {
	At     units.Time
	Packet int
	Link   int
}

// Play is what has happened.
type Play struct {
	Flows   []Flow
	Packets []Packet
	Moves   []Move // in the order of time
	// Deadlock says what packets wait for in the end; nil: all have arrived.
	Deadlock *fabric.Deadlock
}

// The network of a play. A packet takes less time on a link than from one switch to the next, so
// that packets that start together move together.
const (
	flit        = units.Bytes(8)
	packetFlits = 16
	rate        = 10_000 * units.MbitPerSecond
	switchTime  = 130 * units.Nanosecond
	cable       = 20 * units.Nanosecond
	hop         = switchTime + cable
)

// attempts is how many times flows start anew, at other times, until they come to a deadlock: a
// cycle makes one possible, and no more.
const attempts = 64

// Of plays the flows of a cycle, as routing.Proof has it. First each sends one packet, so that all
// reach the channel that they hold shortly after each other; if that brings no deadlock, up to four,
// at random times.
func Of(routes *routing.Routes, cycle []routing.Dependency) (*Play, error) {
	var last *Play
	random := rand.New(rand.NewPCG(1, 0))
	for i := range attempts {
		p := &Play{Flows: flowsOf(cycle)}
		starts := p.together()
		if i > 0 {
			for k := range starts {
				starts[k] = units.Time(random.IntN(8)) * hop / 2
			}
		}
		if err := p.run(routes, starts, 1+i%4); err != nil {
			return nil, err
		}
		if p.Deadlock != nil && len(p.Deadlock.Cycle) > 0 {
			return p, nil
		}
		last = p
	}
	return last, nil
}

// flowsOf makes a flow of each dependency.
func flowsOf(cycle []routing.Dependency) []Flow {
	var flows []Flow
	for _, d := range cycle {
		f := Flow{Src: d.By.Src, Dst: d.By.Dst, Way: d.Path}
		for i, h := range d.Path {
			if h == d.Hop {
				f.Holds = i
			}
		}
		flows = append(flows, f)
	}
	return flows
}

// together returns when flows start whose packets reach the channels that they hold one after the
// other, but all before the first is ready to go on.
func (p *Play) together() []units.Time {
	longest := 0
	for _, f := range p.Flows {
		longest = max(longest, f.Holds)
	}
	starts := make([]units.Time, len(p.Flows))
	for i, f := range p.Flows {
		starts[i] = units.Time(longest-f.Holds)*hop + units.Time(i)*hop/units.Time(2*len(p.Flows))
	}
	return starts
}

// evStart is when a packet is handed to its source; event.A is its number.
const evStart = fabric.FirstDevice

// run sends so many packets of each flow, the first at its start, and lets them go as far as they can.
func (p *Play) run(routes *routing.Routes, starts []units.Time, packets int) error {
	q := new(engine.Queue)
	t := &tracker{play: p, of: map[uint32]int{}, links: map[int]int{}}
	f, err := packet.New(fabric.Config{
		Net: routes.Net, Routes: routes, Flit: flit, Rate: rate, Classes: 1, VCs: routes.VCs,
		Buffer: packetFlits * flit, Flow: fabric.Credit, MaxPacket: packetFlits,
		Switch: switchTime, Cable: cable, HostCable: cable, Observer: t,
	}, q)
	if err != nil {
		return err
	}
	for number := range packets {
		for i := range p.Flows {
			q.Push(engine.Event{At: starts[i] + units.Time(number)*hop, Kind: evStart, A: uint32(len(p.Packets))})
			p.Packets = append(p.Packets, Packet{i, number})
		}
	}
	for {
		event, more := f.Run(1 << 62)
		if !more {
			break
		}
		switch event.Kind {
		case evStart:
			flow := p.Flows[p.Packets[event.A].Flow]
			t.sending = int(event.A)
			t.of[f.Send(fabric.Packet{Src: flow.Src, Dst: flow.Dst, Flits: packetFlits})] = t.sending
		case fabric.Delivered:
			t.Granted(event.A, 0, event.At)
			delete(t.of, event.A)
			f.Release(event.A)
		}
	}
	p.Deadlock = f.Stuck()
	return nil
}

// tracker notes the moves of packets.
type tracker struct {
	play    *Play
	of      map[uint32]int // packet of the play, by number in the fabric
	sending int            // packet that is handed over, and has no number yet
	links   map[int]int    // that a packet of the play has been granted
}

func (t *tracker) Busy(int, units.Time, units.Time, units.Time) {}
func (t *tracker) Waiting(int, int, units.Time)                 {}

// Granted implements fabric.Follower.
func (t *tracker) Granted(id uint32, _ int, at units.Time) {
	packet, known := t.of[id]
	if !known {
		packet = t.sending
	}
	t.play.Moves = append(t.play.Moves, Move{at, packet, t.links[packet]})
	t.links[packet]++
}
