// Package domain simulates scale-up networks: those behind which accelerators of a node, or of a rack,
// reach each other's memory, such as NVLink with NVSwitches. An accelerator has a port into switches that
// do not block, so what counts is how much each port carries in each direction.
//
// Bytes move as rates, which are max-min fair (package maxmin) over the ports of sender and receiver, and
// change when messages begin and end. What one accelerator sends another goes one after the other,
// as the order of messages is kept; short messages take their time on the port and slow down no others.
// The switches may combine what several accelerators send, and copy a result to several (NVLink SHARP):
// then each of their ports carries the data once.
package domain

import (
	"math"

	"musubi/sim/engine"
	"musubi/sim/flow/maxmin"
	"musubi/units"
)

// Config describes the ports and the switches.
type Config struct {
	Rate     units.Rate // of a port in each direction
	Combined units.Rate // of a port, for data that switches combine or copy
	Latency  units.Time // from a byte leaving an accelerator until it is in the memory of another
	// Share, End and Arrived are the kinds of events that the network pushes. Those of the first two are for
	// Handle. With Arrived a message has arrived; A is its tag.
	Share, End, Arrived uint32
}

// short is the length up to which messages take no part in the sharing of rates, as they take few
// events so, and little time anyway.
const short = 4 << 10

// Network is the scale-up networks of all domains of a machine. Ports are numbered over all of them.
type Network struct {
	cfg     Config
	q       *engine.Queue
	sharing maxmin.Sharing
	pending bool // an event Share is
	flows   []flow
	free    []uint32         // numbers of flows to be used again
	of      []uint32         // flow of each number of sharing
	pairs   map[pair]*[]flow // messages of pairs with one under way, that first
	uses    []maxmin.Use
	carried units.Bytes
}

type pair struct{ from, to int32 }

// flow is a message that is under way, or waits behind another of its pair.
type flow struct {
	tag   uint32
	pair  *pair // nil if switches combine or copy it
	bytes int
	share int32      // number in sharing
	left  float64    // picoseconds that it would take alone
	since units.Time // when so much was left
	rate  float64    // part of a port that it has
	next  units.Time // its next event End; others are of no account
}

// New returns the network of accelerators that share an event queue with others.
func New(cfg Config, q *engine.Queue) *Network {
	return &Network{cfg: cfg, q: q, pairs: map[pair]*[]flow{}, flows: make([]flow, 1)}
}

// Send sends a message from one port to another, behind what goes the same way.
func (n *Network) Send(from, to int32, bytes int, tag uint32) {
	p := pair{from, to}
	n.carried += units.Bytes(bytes)
	m := flow{tag: tag, pair: &p, bytes: bytes}
	if waiting := n.pairs[p]; waiting != nil {
		*waiting = append(*waiting, m)
		return
	}
	n.pairs[p] = &[]flow{m}
	n.start(m)
}

// Combine sends data of some ports, combined, to others: one that sends has a port of its own for it, and
// so has one that receives. It is in no order with other messages.
func (n *Network) Combine(from, to []int, bytes int, tag uint32) {
	n.carried += units.Bytes(bytes)
	n.uses = n.uses[:0]
	for _, f := range from {
		n.uses = append(n.uses, maxmin.Use{Resource: int32(2 * f), Cost: 1})
	}
	for _, t := range to {
		n.uses = append(n.uses, maxmin.Use{Resource: int32(2*t + 1), Cost: 1})
	}
	n.add(flow{tag: tag}, n.cfg.Combined.Transfer(units.Bytes(bytes)))
}

// Carried returns how many bytes have been sent.
func (n *Network) Carried() units.Bytes { return n.carried }

// start lets a message of a pair go.
func (n *Network) start(m flow) {
	time := n.cfg.Rate.Transfer(units.Bytes(m.bytes))
	n.uses = append(n.uses[:0], maxmin.Use{Resource: 2 * m.pair.from, Cost: 1}, maxmin.Use{Resource: 2*m.pair.to + 1, Cost: 1})
	if m.bytes <= short {
		id := n.number(m)
		n.flows[id].share = -1
		n.lookAt(id, n.q.Now()+time)
		return
	}
	n.add(m, time)
}

// number gives a flow its place.
func (n *Network) number(m flow) uint32 {
	if last := len(n.free) - 1; last >= 0 {
		id := n.free[last]
		n.free = n.free[:last]
		n.flows[id] = m
		return id
	}
	n.flows = append(n.flows, m)
	return uint32(len(n.flows) - 1)
}

// add lets a flow share the ports that it uses.
func (n *Network) add(m flow, alone units.Time) {
	m.left, m.since = float64(alone), n.q.Now()
	m.share = n.sharing.Add(n.uses)
	id := n.number(m)
	for int(m.share) >= len(n.of) {
		n.of = append(n.of, 0)
	}
	n.of[m.share] = id
	n.shareSoon()
}

// shareSoon has rates computed when all that happens now has happened.
func (n *Network) shareSoon() {
	if !n.pending {
		n.pending = true
		n.q.Push(engine.Event{At: n.q.Now(), Kind: n.cfg.Share})
	}
}

func (n *Network) lookAt(id uint32, at units.Time) {
	n.flows[id].next = at
	n.q.Push(engine.Event{At: at, Kind: n.cfg.End, A: id})
}

// Handle handles an event Share or End.
func (n *Network) Handle(ev engine.Event) {
	if ev.Kind == n.cfg.Share {
		n.share()
		return
	}
	if m := &n.flows[ev.A]; m.next == n.q.Now() {
		n.end(ev.A)
	}
}

// share computes rates.
func (n *Network) share() {
	n.pending = false
	now := n.q.Now()
	for _, s := range n.sharing.Solve() {
		m := &n.flows[n.of[s]]
		m.left = max(0, m.left-float64(m.rate*float64(now-m.since)))
		m.since, m.rate = now, n.sharing.Rate(s)
		n.lookAt(n.of[s], now+units.Time(math.Ceil(m.left/m.rate)))
	}
}

// end ends a message that has left, and starts the next of its pair.
func (n *Network) end(id uint32) {
	m := n.flows[id]
	n.flows[id] = flow{}
	n.free = append(n.free, id)
	if m.share >= 0 {
		n.sharing.Remove(m.share)
		n.shareSoon()
	}
	n.q.Push(engine.Event{At: n.q.Now() + n.cfg.Latency, Kind: n.cfg.Arrived, A: m.tag})
	if m.pair == nil {
		return
	}
	waiting := n.pairs[*m.pair]
	if *waiting = (*waiting)[1:]; len(*waiting) == 0 {
		delete(n.pairs, *m.pair)
		return
	}
	n.start((*waiting)[0])
}
