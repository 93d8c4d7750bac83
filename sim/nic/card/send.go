package card

import (
	"cmp"
	"fmt"

	"musubi/nic/dimmnet"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
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

// sender is the sending part of a card: Window Controller with Prefetch Unit. It does
// one order after the other.
type sender struct {
	coming  host.FIFO[order] // on their way to the card
	waiting host.FIFO[order]
	now     order
	cut     dimmnet.Segmenter // of now
	offset  int               // of the packet that is being formed
	data    int               // its data in bytes
	flags   dimmnet.Flags
	address uint64
	first   bool // it is the first of the order
	busy    bool
	held    bool // the window of its channel is full
}

// job is an operation, as the cards see it.
type job struct {
	host.Request
	initiator  int32
	left       int  // packets that are not acknowledged; with a PULL bytes that are not there
	staged     bool // local data is not in exposed memory
	intoWindow bool // a PULL to a Prefetch Window
}

// newJob numbers an operation.
func (w *windows) newJob(r *host.Process, q *host.Request) (uint32, rma.Op) {
	id, op := w.NewOp(r)
	j := job{Request: *q, initiator: int32(r.Rank())}
	payload := int(w.Machine.Packet.Payload)
	j.left = max(1, (q.Bytes()+payload-1)/payload)
	if q.Action == host.Pull {
		j.left = q.Bytes()
	}
	w.jobs.New(id, j)
	return id, op
}

// refuse fails for what the card cannot do.
func (w *windows) refuse(q *host.Request) error {
	payload, name := int(w.Machine.Packet.Payload), w.Machine.Name
	switch {
	case q.By == rma.BOTF && q.Bytes() > payload:
		return fmt.Errorf("rma: %v of %d bytes by %v; a window of machine %s takes %d", q.Action, q.Bytes(), q.By, name, payload)
	case q.Action == host.Push && !q.Far.IsContiguous(), q.Action == host.Pull && !q.Near.IsContiguous():
		return fmt.Errorf("rma: machine %s reads memory in layouts, but writes in one piece; expected no layout where data is written", name)
	}
	access := q.Far
	if n := len(access.Encode(nil)); n > payload-dimmnet.LineSize {
		return fmt.Errorf("rma: Pull of %d listed elements; their list takes %d bytes, and a packet of machine %s has room for %d", len(q.Far.Offsets), n, name, payload-dimmnet.LineSize)
	}
	return nil
}

// command takes an order that has reached a card.
func (w *windows) command(home uint32) {
	w.queue(int32(home), w.cards[home].sender.coming.Pop())
}

// queue lets the sender of a card do an order after those that it has.
func (w *windows) queue(home int32, o order) {
	s := &w.cards[home].sender
	s.waiting.Push(o)
	if !s.busy {
		w.begin(home)
	}
}

// begin starts the next order of a card.
func (w *windows) begin(home int32) {
	s := &w.cards[home].sender
	for s.busy = s.waiting.Len() > 0; s.busy; s.busy = s.waiting.Len() > 0 {
		s.now = s.waiting.Pop()
		if err := w.address(s); err != nil {
			w.abandon(s, err)
			continue
		}
		s.first = true
		s.cut = dimmnet.NewSegmenter(w.bytesOf(&s.now), int(w.Machine.Packet.Payload))
		w.form(home)
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
	return w.jobs.At(o.op).Bytes()
}

// written returns the data in the Write Window of an order.
func (w *windows) written(o *order) []byte { return w.users[o.rank].write[o.window].data }

// address finds the physical address that an order names, and checks it.
func (w *windows) address(s *sender) error {
	j := w.jobs.At(s.now.op)
	var err error
	switch {
	case s.now.role == answer, s.now.role == toMemory:
		s.address = 0
	case j.Action == host.IPush:
		err = w.Ranks[j.Target].Admits(j.initiator, j.Bytes())
	default:
		access := j.Far
		var n int
		if _, n, err = w.Ranks[j.Target].Reach(j.Address, &access, j.Bytes()); err == nil {
			s.address = physical(j.Address)
			err = cmp.Or(w.fitsWindow(j, n), w.fitsCard(j.Target))
		}
	}
	return err
}

// abandon ends an order that cannot be done.
func (w *windows) abandon(s *sender, err error) {
	if s.now.role == fromWindow {
		w.freeWindow(&s.now)
	}
	w.FailOp(s.now.op, err)
	w.CompleteOp(s.now.op)
}

// form begins the next packet of an order, unless too many are under way to where it
// goes, or ends the order.
func (w *windows) form(home int32) {
	s := &w.cards[home].sender
	cut := s.cut
	offset, n, flags, ok := cut.Next()
	if !ok {
		w.begin(home)
		return
	}
	if peer := w.peer(s); peer != home && !w.channel(home, peer).out.Ready() {
		s.held = true
		return
	}
	s.cut = cut
	s.offset, s.data, s.flags = offset, n, flags
	at := w.Clock.Now()
	if s.now.role == fromMemory || s.now.role == answer {
		at = w.refreshed(at)
	}
	clocks := w.formClocks(s)
	w.Clock.Push(engine.Event{At: at + w.Card.Clocks(clocks), Kind: evFormed, A: uint32(home)})
	w.tellFormed(s, clocks)
	s.first = false
}

// peer returns the card that an order sends to; its own if it does not send.
func (w *windows) peer(s *sender) int32 {
	j := w.jobs.At(s.now.op)
	switch s.now.role {
	case toMemory:
		return w.users[s.now.rank].card
	case answer:
		return w.users[j.initiator].card
	}
	return w.users[j.Target].card
}

// formClocks returns how many clocks it takes to form a packet.
func (w *windows) formClocks(s *sender) int {
	j, m := w.jobs.At(s.now.op), &w.MemorySend
	switch s.now.role {
	case fromWindow, toMemory:
		return w.clocks.botfSend.total + w.clocks.botfSend.further(s.data)
	case askFor:
		access := j.Far
		return w.Card.Ask + further(len(access.Encode(nil)), dimmnet.LineSize)
	}
	layout := j.Near
	if s.now.role == answer {
		layout = j.Far
	}
	access := layout
	clocks := m.Piece * max(0, access.Pieces(s.offset, s.data)-1)
	if s.first {
		return clocks + m.First + further(s.data, dimmnet.LineSize)
	}
	return clocks + m.Next + dimmnet.HeaderLines + 1 + further(s.data, dimmnet.LineSize)
}

// formed hands a packet to the SWIF and goes on with the next. The SWIF takes it when it has sent the
// packet before.
func (w *windows) formed(home uint32) {
	k := &w.cards[home]
	s := &k.sender
	if now := w.Clock.Now(); k.swif > now && w.peer(s) != int32(home) {
		w.tellWait(k.swif - now)
		w.Clock.Push(engine.Event{At: k.swif, Kind: evFormed, A: home})
		return
	}
	if s.now.role == toMemory {
		w.freeWindow(&s.now)
		w.form(int32(home))
		return
	}
	id := w.packets.take()
	p := w.packets.list[id]
	w.fillPacket(s, p)
	p.from, p.to = int32(home), w.peer(s)
	if s.now.role == fromWindow {
		w.freeWindow(&s.now)
	}
	if p.to == p.from {
		w.Clock.Push(engine.Event{At: w.Clock.Now(), Kind: evReceived, A: id})
	} else {
		w.keep(id)
		w.dispatch(id)
	}
	w.form(int32(home))
}

// fillPacket writes header and data of the packet that a sender has formed.
func (w *windows) fillPacket(s *sender, p *packet) {
	j := w.jobs.At(s.now.op)
	h := dimmnet.Header{Flags: s.flags, Data: s.data, To: uint16(j.Target), Address: s.address + uint64(s.offset)}
	p.op, p.offset = s.now.op, s.offset
	from := s.now.rank
	switch {
	case s.now.role == askFor:
		h.Operation, h.Long, h.Word = dimmnet.Pull, true, uint64(j.Bytes())
		access := j.Far
		h.Data = len(access.Encode(w.buffer[:0]))
	case s.now.role == answer:
		h.Operation, h.To = dimmnet.Answer, uint16(j.initiator)
		memory, access := w.source(j)
		access.Gather(w.buffer[:s.data], memory, s.offset)
		if j.intoWindow {
			h.Flags |= dimmnet.ToWindow
		}
	case s.now.role == fromWindow:
		h.Operation = dimmnet.Push
		copy(w.buffer[:], w.written(&s.now))
	default:
		h.Operation = dimmnet.Push
		access := j.Near
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
	w.users[from].port.Stamp(&h)
	p.encode(&h, w.buffer[:h.Data])
}

// source returns the memory that a PULL reads, which address has checked.
func (w *windows) source(j *job) ([]byte, *onesided.Layout) {
	access := j.Far
	memory, _, _ := w.Ranks[j.Target].Reach(j.Address, &access, j.Bytes())
	return memory, &access
}

// freeWindow notes that a Write Window has been read out.
func (w *windows) freeWindow(o *order) {
	u := &w.users[o.rank]
	u.regs.SetBusy(o.window, false)
	u.write[o.window].free = w.Clock.Now()
	if u.awaited == o.window {
		r := &w.Ranks[o.rank]
		r.WakeAt(r.Sees())
	}
}
