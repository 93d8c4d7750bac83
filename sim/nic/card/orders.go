package card

import (
	"cmp"

	"musubi/nic/dimmnet"
	"musubi/onesided"
	"musubi/sim/host"
)

// role of an order to the sending part of a card.
type role uint8

const (
	fromWindow role = iota // BOTF: send what is in a Write Window
	fromMemory             // PUSH, IPUSH: send what is in the card's memory
	askFor                 // PULL: ask for data
	answer                 // PULL: send what was asked for
	toMemory               // local: Write Window to the card's memory
)

// order is what the sending part of a card has to do, a command of a process or the
// answer to a PULL.
type order struct {
	op     uint32
	rank   int32 // of this card
	role   role
	window int // Write Window of the rank
}

// forming is the order that a card is at, and the packet of it that is being formed.
type forming struct {
	order
	cut     dimmnet.Segmenter
	offset  int // of the packet
	data    int // its data in bytes
	flags   dimmnet.Flags
	address uint64
	first   bool // it is the first of the order
}

// orders finds what orders name, and makes packets of it.
type orders struct {
	*cards
	jobs   *jobs
	buffer [maxCardData]byte // for the data of one packet
}

// bytesOf returns how much data an order moves out of the card's windows or memory.
func (w *orders) bytesOf(o *order) int {
	switch o.role {
	case askFor:
		return 0
	case fromWindow, toMemory:
		return len(w.written(o))
	}
	return w.jobs.At(o.op).Bytes()
}

// written returns the data in the Write Window of an order.
func (w *orders) written(o *order) []byte { return w.users[o.rank].windows.list[o.window].data }

// address finds the physical address that an order names, and checks it.
func (w *orders) address(s *forming) error {
	j := w.jobs.At(s.op)
	var err error
	switch {
	case s.role == answer, s.role == toMemory:
		s.address = 0
	case j.Action == host.IPush:
		err = w.Ranks[j.Target].Admits(j.initiator, j.Bytes())
	default:
		access := *j.Far()
		var n int
		if _, n, err = w.Ranks[j.Target].Reach(j.Address, &access, j.Bytes()); err == nil {
			s.address = physical(j.Address)
			err = cmp.Or(w.fitsWindow(j, n), w.fitsCard(j.Target))
		}
	}
	return err
}

// peer returns the card that an order sends to; its own if it does not send.
func (w *orders) peer(o *order) int32 {
	j := w.jobs.At(o.op)
	switch o.role {
	case toMemory:
		return w.users[o.rank].card
	case answer:
		return w.users[j.initiator].card
	}
	return w.users[j.Target].card
}

// formClocks returns how many clocks it takes to form a packet.
func (w *orders) formClocks(s *forming) int {
	j, m := w.jobs.At(s.op), &w.MemorySend
	switch s.role {
	case fromWindow, toMemory:
		return w.clocks.botfSend.total + w.clocks.botfSend.further(s.data)
	case askFor:
		access := *j.Far()
		return w.Card.Ask + further(len(access.Encode(nil)), dimmnet.LineSize)
	}
	layout := *j.Near()
	if s.role == answer {
		layout = *j.Far()
	}
	access := layout
	clocks := m.Piece * max(0, access.Pieces(s.offset, s.data)-1)
	if s.first {
		return clocks + m.First + further(s.data, dimmnet.LineSize)
	}
	return clocks + m.Next + dimmnet.HeaderLines + 1 + further(s.data, dimmnet.LineSize)
}

// fillPacket writes header and data of the packet that a sender has formed.
func (w *orders) fillPacket(s *forming, p *packet) {
	j := w.jobs.At(s.op)
	h := dimmnet.Header{Flags: s.flags, Data: s.data, To: uint16(j.Target), Address: s.address + uint64(s.offset)}
	p.op, p.offset = s.op, s.offset
	switch {
	case s.role == askFor:
		h.Operation, h.Long, h.Word = dimmnet.Pull, true, uint64(j.Bytes())
		access := *j.Far()
		h.Data = len(access.Encode(w.buffer[:0]))
	case s.role == answer:
		h.Operation, h.To = dimmnet.Answer, uint16(j.initiator)
		memory, access := w.source(j)
		access.Gather(w.buffer[:s.data], memory, s.offset)
		if j.intoWindow {
			h.Flags |= dimmnet.ToWindow
		}
	case s.role == fromWindow:
		h.Operation = dimmnet.Push
		copy(w.buffer[:], w.written(&s.order))
	default:
		h.Operation = dimmnet.Push
		access := *j.Near()
		access.Gather(w.buffer[:s.data], j.Local, s.offset)
	}
	if j.Action == host.Push && w.Ranks[j.Target].IsWindow(j.Address.Segment) {
		h.Flags |= dimmnet.ToWindow
	}
	if j.Action == host.IPush {
		h.Address = 0
		h.ToRing(w.Ranks[j.Target].RingPacket(j.initiator, s.data, false))
		if j.Match != nil {
			toMatch(&h, j.Match)
		}
	}
	w.users[s.rank].port.Stamp(&h)
	p.encode(&h, w.buffer[:h.Data])
}

// source returns the memory that a PULL reads, which address has checked.
func (w *orders) source(j *job) ([]byte, *onesided.Layout) {
	access := *j.Far()
	memory, _, _ := w.Ranks[j.Target].Reach(j.Address, &access, j.Bytes())
	return memory, &access
}
