package device

import (
	"cmp"
	"fmt"

	"musubi/nic"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
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

// sender is the sending part of a card: Window Controller with Prefetch Unit. It does
// one order after the other.
type sender struct {
	coming  fifo[order] // on their way to the card
	waiting fifo[order]
	now     order
	cut     nic.Segmenter // of now
	offset  int           // of the packet that is being formed
	data    int           // its data in bytes
	flags   nic.Flags
	address uint64
	first   bool // it is the first of the order
	busy    bool
	held    bool // the window of its channel is full
}

// job is an operation, as the cards see it.
type job struct {
	request
	initiator  int32
	left       int  // packets that are not acknowledged; with a PULL bytes that are not there
	staged     bool // local data is not in exposed memory
	intoWindow bool // a PULL to a Prefetch Window
}

// newJob numbers an operation.
func (w *windows) newJob(r *rank, q *request) (uint32, rma.Op) {
	id, op := w.newOp(r)
	w.jobs = grown(w.jobs, id)
	j := job{request: *q, initiator: int32(r.number)}
	payload := int(w.m.Packet.Payload)
	j.left = max(1, (q.bytes()+payload-1)/payload)
	if q.kind == pull {
		j.left = q.bytes()
	}
	w.jobs[id] = j
	return id, op
}

// refuse fails for what the card cannot do.
func (w *windows) refuse(q *request) error {
	payload, name := int(w.m.Packet.Payload), w.m.Name
	switch {
	case q.by == rma.BOTF && q.bytes() > payload:
		return fmt.Errorf("rma: %v of %d bytes by %v; a window of machine %s takes %d", q.kind, q.bytes(), q.by, name, payload)
	case q.kind == push && !q.far.IsContiguous(), q.kind == pull && !q.near.IsContiguous():
		return fmt.Errorf("rma: machine %s reads memory in layouts, but writes in one piece; expected no layout where data is written", name)
	}
	access := q.far
	if n := len(access.Encode(nil)); n > payload-nic.LineSize {
		return fmt.Errorf("rma: Pull of %d listed elements; their list takes %d bytes, and a packet of machine %s has room for %d", len(q.far.Offsets), n, name, payload-nic.LineSize)
	}
	return nil
}

// command takes an order that has reached a card.
func (w *windows) command(host uint32) {
	w.queue(int32(host), w.cards[host].sender.coming.pop())
}

// queue lets the sender of a card do an order after those that it has.
func (w *windows) queue(host int32, o order) {
	s := &w.cards[host].sender
	s.waiting.push(o)
	if !s.busy {
		w.begin(host)
	}
}

// begin starts the next order of a card.
func (w *windows) begin(host int32) {
	s := &w.cards[host].sender
	for s.busy = s.waiting.len() > 0; s.busy; s.busy = s.waiting.len() > 0 {
		s.now = s.waiting.pop()
		if err := w.address(s); err != nil {
			w.abandon(s, err)
			continue
		}
		s.first = true
		s.cut = nic.NewSegmenter(w.bytesOf(&s.now), int(w.m.Packet.Payload))
		w.form(host)
		return
	}
}

// bytesOf returns how much data an order moves out of the card's windows or memory.
func (w *windows) bytesOf(o *order) int {
	switch o.role {
	case askFor:
		return 0
	case fromWindow, toMemory:
		return len(w.written(o))
	}
	return w.jobs[o.op].bytes()
}

// written returns the data in the Write Window of an order.
func (w *windows) written(o *order) []byte { return w.users[o.rank].write[o.window].data }

// address finds the physical address that an order names, and checks it.
func (w *windows) address(s *sender) error {
	j := &w.jobs[s.now.op]
	var err error
	switch {
	case s.now.role == answer, s.now.role == toMemory:
		s.address = 0
	case j.kind == ipush:
		err = w.ranks[j.target].admits(j.initiator, j.bytes())
	default:
		access := j.far
		var n int
		if _, n, err = w.ranks[j.target].reach(j.address, &access, j.bytes()); err == nil {
			s.address = physical(j.address)
			err = cmp.Or(w.fitsWindow(j, n), w.fitsCard(j.target))
		}
	}
	return err
}

// abandon ends an order that cannot be done.
func (w *windows) abandon(s *sender, err error) {
	if s.now.role == fromWindow {
		w.freeWindow(&s.now)
	}
	w.failOp(s.now.op, err)
	w.completeOp(s.now.op)
}

// form begins the next packet of an order, unless too many are under way to where it
// goes, or ends the order.
func (w *windows) form(host int32) {
	s := &w.cards[host].sender
	cut := s.cut
	offset, n, flags, ok := cut.Next()
	if !ok {
		w.begin(host)
		return
	}
	if peer := w.peer(s); peer != host && !w.channel(host, peer).out.Ready() {
		s.held = true
		return
	}
	s.cut = cut
	s.offset, s.data, s.flags = offset, n, flags
	at := w.q.Now()
	if s.now.role == fromMemory || s.now.role == answer {
		at = w.refreshed(at)
	}
	clocks := w.formClocks(s)
	w.q.Push(engine.Event{At: at + w.m.Card.Clocks(clocks), Kind: evFormed, A: uint32(host)})
	w.tellFormed(s, clocks)
	s.first = false
}

// peer returns the card that an order sends to; its own if it does not send.
func (w *windows) peer(s *sender) int32 {
	j := &w.jobs[s.now.op]
	switch s.now.role {
	case toMemory:
		return w.users[s.now.rank].card
	case answer:
		return w.users[j.initiator].card
	}
	return w.users[j.target].card
}

// formClocks returns how many clocks it takes to form a packet.
func (w *windows) formClocks(s *sender) int {
	j, m := &w.jobs[s.now.op], &w.m.MemorySend
	switch s.now.role {
	case fromWindow, toMemory:
		return w.clocks.botfSend.total + further(s.data)
	case askFor:
		access := j.far
		return w.m.Card.Ask + further(len(access.Encode(nil)))
	}
	layout := j.near
	if s.now.role == answer {
		layout = j.far
	}
	access := layout
	clocks := m.Piece * max(0, access.Pieces(s.offset, s.data)-1)
	if s.first {
		return clocks + m.First + further(s.data)
	}
	return clocks + m.Next + nic.HeaderLines + 1 + further(s.data)
}

// formed hands a packet to the SWIF and goes on with the next.
func (w *windows) formed(host uint32) {
	s := &w.cards[host].sender
	if s.now.role == toMemory {
		w.freeWindow(&s.now)
		w.form(int32(host))
		return
	}
	id := w.packets.take()
	p := w.packets.list[id]
	w.fillPacket(s, p)
	p.from, p.to = int32(host), w.peer(s)
	if s.now.role == fromWindow {
		w.freeWindow(&s.now)
	}
	if p.to == p.from {
		w.q.Push(engine.Event{At: w.q.Now(), Kind: evReceived, A: id})
	} else {
		w.keep(id)
		w.q.Push(engine.Event{At: w.q.Now() + w.m.SWIF.Send, Kind: evReady, A: id})
	}
	w.form(int32(host))
}

// fillPacket writes header and data of the packet that a sender has formed.
func (w *windows) fillPacket(s *sender, p *packet) {
	j := &w.jobs[s.now.op]
	h := nic.Header{Flags: s.flags, Data: s.data, To: uint16(j.target), Address: s.address + uint64(s.offset)}
	p.op, p.offset = s.now.op, s.offset
	from := s.now.rank
	switch {
	case s.now.role == askFor:
		h.Operation, h.Long, h.Word = nic.Pull, true, uint64(j.bytes())
		access := j.far
		h.Data = len(access.Encode(w.buffer[:0]))
	case s.now.role == answer:
		h.Operation, h.To = nic.Answer, uint16(j.initiator)
		memory, access := w.source(j)
		access.Gather(w.buffer[:s.data], memory, s.offset)
		if j.intoWindow {
			h.Flags |= nic.ToWindow
		}
	case s.now.role == fromWindow:
		h.Operation = nic.Push
		copy(w.buffer[:], w.written(&s.now))
	default:
		h.Operation = nic.Push
		access := j.near
		access.Gather(w.buffer[:s.data], j.local, s.offset)
	}
	if j.kind == push && w.ranks[j.target].isWindow(j.address.Segment) {
		h.Flags |= nic.ToWindow
	}
	if j.kind == ipush {
		h.Address = 0
		w.ranks[j.target].addressRing(&h, j.initiator)
	}
	w.users[from].port.Stamp(&h)
	p.encode(&h, w.buffer[:h.Data])
}

// source returns the memory that a PULL reads, which address has checked.
func (w *windows) source(j *job) ([]byte, *onesided.Layout) {
	access := j.far
	memory, _, _ := w.ranks[j.target].reach(j.address, &access, j.bytes())
	return memory, &access
}

// freeWindow notes that a Write Window has been read out.
func (w *windows) freeWindow(o *order) {
	u := &w.users[o.rank]
	u.regs.SetBusy(o.window, false)
	u.write[o.window].free = w.q.Now()
	if u.awaited == o.window {
		r := &w.ranks[o.rank]
		r.wakeAt(r.looking.sees(r.since, w.q.Now()))
	}
}
