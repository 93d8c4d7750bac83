package mbc

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"musubi/nic/reliable"
)

// memoryLane is the way from one host to another. It keeps the order. With errors, packets
// are numbered and kept until they are acknowledged.
type memoryLane struct {
	out     reliable.Outbox
	in      reliable.Inbox
	backlog []lanePacket // for which there are no numbers yet
	kept    [][]byte     // with numbers, not acknowledged
	again   int          // of kept, that need not be sent again
	wire    []lanePacket
	speed   float64 // how likely something moves
}

// lanePacket is a packet; member is the target of a copy of a multicast.
type lanePacket struct {
	header Header
	data   []byte
	bytes  []byte
	member int
}

// Packets that a lane has without acknowledgement; on the way, when it sends one again.
const (
	laneWindow = 3
	laneRoom   = 6
)

// numbered reports whether packets of a type pass through the reliable channel.
func numbered(t Type) bool {
	return t != Multicast && t != ChannelAck && t != ChannelNack
}

func (w *memoryWorld) lane(from, to int) *memoryLane { return &w.lanes[from*len(w.hosts)+to] }

// send puts a packet on the way between two hosts.
func (w *memoryWorld) send(from, to int, h Header, data []byte, member int) error {
	if err := h.Check(); err != nil {
		return err
	}
	l := w.lane(from, to)
	p := lanePacket{header: h, data: bytes.Clone(data), member: member}
	if w.errors && numbered(h.Type) {
		l.backlog = append(l.backlog, p)
		l.number()
		return nil
	}
	p.bytes = AppendPacket(nil, &h, data)
	l.wire = append(l.wire, p)
	return nil
}

// number gives packets their numbers as far as the window goes.
func (l *memoryLane) number() {
	for len(l.backlog) > 0 && l.out.Ready() {
		p := pop(&l.backlog)
		p.header.Sequence = l.out.Next()
		l.kept = append(l.kept, AppendPacket(nil, &p.header, p.data))
	}
}

// transmit sends a packet, new or again.
func (l *memoryLane) transmit() {
	l.wire = append(l.wire, lanePacket{bytes: l.kept[l.again], member: none})
	l.again++
}

// deliver takes the next packet of a lane to its host, perhaps with a bit that has changed.
func (w *memoryWorld) deliver(from, to int, corrupt bool) error {
	p := pop(&w.lane(from, to).wire)
	b := bytes.Clone(p.bytes)
	if corrupt {
		w.total.corrupt++
		bit := w.rng.IntN(8 * len(b))
		b[bit/8] ^= 1 << (bit % 8)
		if w.fault == ignoresCRC {
			b = sealed(b[:len(b)-crcBytes]...)
		}
	}
	var h Header
	data, err := ParsePacket(b, &h)
	switch {
	case corrupt && errors.Is(err, ErrCorrupt):
		return nil
	case err != nil:
		return err
	case h.Type == ChannelAck || h.Type == ChannelNack:
		w.lane(to, from).answered(&h)
		return nil
	case h.Type == Multicast && h.ToNode == noNode:
		h.ToNode = uint16(p.member)
	}
	if w.errors && numbered(h.Type) {
		return w.take(from, to, h, data)
	}
	return w.receive(to, h, data)
}

// answered takes the answer of the other end of a lane.
func (l *memoryLane) answered(h *Header) {
	released := l.out.Acked(h.Sequence)
	l.kept = l.kept[released:]
	l.again = max(0, l.again-released)
	if h.Type == ChannelNack {
		l.again = 0
	}
	l.number()
}

// take takes a numbered packet, and answers.
func (w *memoryWorld) take(from, to int, h Header, data []byte) error {
	in := &w.lane(from, to).in
	answer := Header{Type: ChannelAck}
	order := in.Check(h.Sequence)
	if order == reliable.Duplicate {
		w.total.duplicates++
	}
	if order == reliable.Expected || order == reliable.Duplicate && w.fault == takesPacketsTwice {
		if order == reliable.Expected {
			in.Take()
		}
		if err := w.receive(to, h, data); err != nil {
			return err
		}
	}
	if order == reliable.Gap {
		answer.Type = ChannelNack
		if !in.Nack() {
			return nil
		}
	}
	answer.Sequence = in.Expected()
	if len(w.lane(to, from).wire) >= 2*laneRoom {
		return nil // as if it was lost
	}
	return w.send(to, from, answer, nil, none)
}

// startChain sends a multicast along the list of its targets.
func (w *memoryWorld) startChain(p *memoryProcess, a *memoryAccess) error {
	var members []ChainMember
	for _, to := range a.to {
		var m Header
		w.name(a, &m, to)
		members = append(members, ChainMember{m.ToNode, m.To, a.at})
	}
	data := AppendChain(nil, &a.header, members, a.data)
	return w.send(p.host, w.processes[a.to[0]].host, a.header, data, none)
}

// passChain sends a chain on from a host.
func (w *memoryWorld) passChain(host int, h Header, data []byte, isRefused bool) error {
	h.Flags &^= Refused
	rest, more, err := PassChain(&h, data, isRefused)
	if err != nil || !more {
		return fmt.Errorf("a chain ends without an acknowledgement: %v", err)
	}
	return w.send(host, w.processes[h.ToNode].host, h, rest, none)
}

// memoryCast is a multicast that switches copy: the first copies it to two others, which
// copy it to the targets in turn.
type memoryCast struct {
	access  *memoryAccess
	root    AckCombiner
	leaves  [2]AckCombiner
	branch  []int // of each target, at its leaf
	through []int // leaf of each target
}

// castAnswer is an acknowledgement on its way to a switch, or from the first switch to the
// source.
type castAnswer struct {
	cast         *memoryCast
	leaf, branch int // leaf is none at the first switch
	toSource     bool
	tally        AckTally
}

// cast sends a multicast that switches copy, or sends it again.
func (w *memoryWorld) cast(a *memoryAccess) error {
	c := &memoryCast{access: a}
	var branches [2]int
	for i := range a.to {
		leaf := i % 2
		c.through = append(c.through, leaf)
		c.branch = append(c.branch, branches[leaf])
		branches[leaf]++
	}
	c.root.Open(min(len(a.to), 2))
	for i, n := range branches {
		c.leaves[i].Open(n)
	}
	w.casts = append(w.casts, c)
	return w.copies(c, math.MaxInt)
}

// noNode stands in a multicast on its way.
const noNode = 1<<16 - 1

// copies sends a multicast to all targets on the way to which there is room.
func (w *memoryWorld) copies(c *memoryCast, room int) error {
	h := c.access.header
	h.ToNode = noNode
	from := w.processes[c.access.from].host
	for _, target := range c.access.to {
		to := w.processes[target].host
		if len(w.lane(from, to).wire) >= room {
			continue
		}
		if err := w.send(from, to, h, c.access.data, target); err != nil {
			return err
		}
	}
	return nil
}

// answerCast sends the acknowledgement of a target to its switch.
func (w *memoryWorld) answerCast(h Header, isRefused bool) error {
	a, err := w.accessOf(h.Type, h.ReplyTo)
	if err != nil {
		return err
	}
	for _, c := range w.casts {
		if i := a.target(int(h.ToNode)); c.access == a && i >= 0 {
			w.answers = append(w.answers, castAnswer{cast: c, leaf: c.through[i], branch: c.branch[i], tally: TallyOf(h.ToNode, isRefused)})
			return nil
		}
	}
	return fmt.Errorf("access %d is acknowledged as a multicast", a.number)
}

// combine takes an acknowledgement to a switch or to the source.
func (w *memoryWorld) combine(answer castAnswer) error {
	c := answer.cast
	switch {
	case answer.toSource:
		h := c.access.header
		h.Reply(CombinedAck, tallyBytes)
		return w.reply(w.processes[h.ToNode].host, h, answer.tally.Append(nil))
	case answer.leaf == none:
		w.answerAt(&c.root, answer.branch, answer, castAnswer{cast: c, toSource: true})
	default:
		w.answerAt(&c.leaves[answer.leaf], answer.branch, answer, castAnswer{cast: c, leaf: none, branch: answer.leaf})
	}
	return nil
}

// answerAt combines an acknowledgement at a switch, which sends all on as one, and begins
// anew in case that one is lost.
func (w *memoryWorld) answerAt(at *AckCombiner, branch int, answer, next castAnswer) {
	if w.fault == countsBranchesTwice {
		at.answered[branch] = false
	}
	if at.Answer(branch, answer.tally) {
		next.tally = at.Tally()
		w.answers = append(w.answers, next)
		at.Open(len(at.answered))
	}
}

// pop removes the first element; there is one.
func pop[T any](queue *[]T) T {
	q := *queue
	first := q[0]
	*queue = q[:copy(q, q[1:])]
	return first
}
