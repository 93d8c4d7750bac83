package card

import (
	"fmt"

	"musubi/nic/dimmnet"
	"musubi/nic/reliable"
	"musubi/nic/ring"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// receiver is the receiving part of cards. The Receive Controller of each decodes the header of one
// packet while its Write Unit writes the one before.
type receiver struct {
	*cards
	jobs      *jobs
	packets   *packetPool
	swif      *swif
	sender    *sender
	matchings *matchings
	at        []receiving
	buffer    [maxCardData]byte // for the data of one packet
}

// receiving is what the receiving part of a card is at.
type receiving struct {
	waiting host.FIFO[arrival]
	idle    units.Time // since when the Receive Controller has had no packet before those waiting
	now     arrival    // of the Write Unit
	header  dimmnet.Header
	flow    *flow // as of the packet
	busy    bool
	stalled bool // for lack of room in a ring
	// told is when the Status Write Unit has told of all that has been written. It
	// tells of one packet after the other.
	told units.Time
}

// arrival is a copy of a packet that has arrived.
type arrival struct {
	packet uint32
	number uint32 // of the fabric
	at     units.Time
}

// received takes a packet from the SWIF of a card, or one that never left the card.
func (w *receiver) received(a arrival) {
	p := w.packets.list[a.packet]
	if h := p.header(); h.Operation == dimmnet.Ack || h.Operation == dimmnet.Nack {
		home, peer := p.to, p.from
		w.release(a)
		if w.swif.acknowledged(home, peer, &h) {
			w.sender.resume(home)
		}
		return
	}
	r := &w.at[p.to]
	a.at = w.Clock.Now()
	r.waiting.Push(a)
	if !r.busy {
		w.next(p.to)
	}
}

// next gives the Write Unit of a card, which is free, the next packet, once that is decoded.
func (w *receiver) next(home int32) {
	r := &w.at[home]
	for r.busy = r.waiting.Len() > 0; r.busy; r.busy = r.waiting.Len() > 0 {
		if decoded := w.decoded(r); decoded > w.Clock.Now() {
			w.Clock.Push(engine.Event{At: decoded, Kind: evNext, A: uint32(home)})
			return
		}
		r.now, r.idle = r.waiting.Pop(), w.Clock.Now()
		r.header = w.packets.list[r.now.packet].header()
		if w.inOrder(home, w.packets.list[r.now.packet].from, &r.header) && w.admit(home, &r.header) {
			w.takePacket(home)
			return
		}
		w.release(r.now)
	}
}

// decoded returns when the Receive Controller has decoded the first packet that waits.
func (w *receiver) decoded(r *receiving) units.Time {
	first := r.waiting.Front()
	h := w.packets.list[first.packet].header()
	return max(r.idle, first.at) + w.Card.Clocks(w.clocks.receives(&h).decode)
}

// inOrder reports whether a packet is the next of its channel, and answers for it if
// not.
func (w *receiver) inOrder(home, peer int32, h *dimmnet.Header) bool {
	if peer == home {
		return true
	}
	in := &w.swif.channel(home, peer).in
	switch in.Check(h.Sequence) {
	case reliable.Expected:
		return true
	case reliable.Duplicate:
		w.swif.reply(home, peer, dimmnet.Ack)
	case reliable.Gap:
		if in.Nack() {
			w.swif.reply(home, peer, dimmnet.Nack)
		}
	}
	return false
}

// admit keeps packets of other process groups out. They are acknowledged, as the
// SWIF knows nothing of groups.
func (w *receiver) admit(home int32, h *dimmnet.Header) bool {
	if w.users[h.To].port.Admit(h) {
		return true
	}
	w.Ranks[h.To].RefuseForeign()
	w.reject(home, fmt.Errorf("rma: rank %d refuses a packet of process group %d", h.To, h.Group))
	return false
}

// reject acknowledges a packet that is not delivered and fails its operation.
func (w *receiver) reject(home int32, err error) {
	r := &w.at[home]
	op := w.packets.list[r.now.packet].op
	w.FailOp(op, err)
	if j := w.jobs.At(op); j.Action == host.Pull {
		w.CompleteOp(op)
	}
	w.accept(home)
}

// accept acknowledges the packet that the receiver has before it.
func (w *receiver) accept(home int32) {
	r := &w.at[home]
	p := w.packets.list[r.now.packet]
	if p.from == home {
		w.jobs.packetDone(p)
		return
	}
	w.swif.channel(home, p.from).in.Take()
	w.swif.reply(home, p.from, dimmnet.Ack)
}

// release gives up the packet's copy and its room in the SWIF.
func (w *receiver) release(a arrival) {
	if p := w.packets.list[a.packet]; p.from != p.to {
		w.Fabric.Release(a.number)
	}
	w.packets.drop(a.packet)
}

// takePacket begins to take a packet that is decoded.
func (w *receiver) takePacket(home int32) {
	r := &w.at[home]
	h := &r.header
	path := w.clocks.receives(h)
	clocks := w.Card.Clocks
	r.flow = nil
	switch {
	case h.Operation == dimmnet.IPushMatch:
		w.takeMatchable(home)
	case appends(h):
		at := w.Clock.Now() + clocks(path.place) + w.Machine.Ring.Manage
		w.Clock.Push(engine.Event{At: at, Kind: evPlace, A: uint32(home)})
	case h.Operation == dimmnet.Pull:
		w.Clock.Push(engine.Event{At: w.Clock.Now() + clocks(further(h.Data, dimmnet.LineSize)), Kind: evStored, A: uint32(home)})
	default:
		w.write(home, path)
	}
}

// takeMatchable begins to take a packet of a message that is matched. Its header is decoded as that
// of any message.
func (w *receiver) takeMatchable(home int32) {
	r := &w.at[home]
	f, clocks := w.matchings.flowOf(&r.header, w.packets.list[r.now.packet])
	r.flow = f
	at := w.Clock.Now() + w.Card.Clocks(clocks)
	if !f.isStraight() {
		at += w.Card.Clocks(w.clocks.ipushReceive.place) + w.Machine.Ring.Manage
	}
	w.Clock.Push(engine.Event{At: at, Kind: evPlace, A: uint32(home)})
}

// appends reports whether a packet is for a receive ring.
func appends(h *dimmnet.Header) bool {
	return h.Operation == dimmnet.IPush || h.Operation == dimmnet.IPushEntry || h.Operation == dimmnet.IPushMatch
}

// write lets the Write Unit write the data of its packet, after the clocks to reach what it writes
// to. The card's memory may be refreshing then.
func (w *receiver) write(home int32, path *cardPath) {
	h := &w.at[home].header
	w.tellPath(path, h.Data)
	at := w.Clock.Now() + w.Card.Clocks(path.reach)
	if path != &w.clocks.windowReceive {
		at = w.refreshed(at)
	}
	w.Clock.Push(engine.Event{At: at + w.Card.Clocks(path.write+path.further(h.Data)), Kind: evStored, A: uint32(home)})
}

// place looks for room in the receive ring that a packet is for. Without room the
// receiver stops, or asks for the packet again.
func (w *receiver) place(home int32) {
	r := &w.at[home]
	p := r.header.ForRing()
	if r.flow.isStraight() {
		if p.Data = 0; p.Flags&ring.EndOfMessage == 0 {
			w.write(home, r.flow.path)
			return
		}
	}
	if place, ok := w.Ranks[r.header.To].Place(&p); ok {
		w.packets.list[r.now.packet].place = place
		path := w.matchings.pathOf(&r.header, r.flow)
		w.write(home, path)
		w.tellManaged(path.name)
		return
	}
	peer := w.packets.list[r.now.packet].from
	if w.Machine.Ring.Full != "nack" || peer == home {
		r.stalled = true
		return
	}
	if w.swif.channel(home, peer).in.Nack() {
		w.swif.reply(home, peer, dimmnet.Nack)
	}
	w.release(r.now)
	w.next(home)
}

// stored moves the data of a packet that has been written, and lets the Status Write
// Unit tell of it while the receiver goes on.
func (w *receiver) stored(home int32) {
	r := &w.at[home]
	p := w.packets.list[r.now.packet]
	p.flow = r.flow
	w.put(r, p)
	w.accept(home)
	p.copies++ // for the status
	w.release(r.now)
	path := w.matchings.pathOf(&r.header, r.flow)
	next, status := w.Clock.Now(), 0
	if tells(&r.header, r.flow) {
		next += w.Card.Clocks(path.finish)
		status = path.status
	}
	r.told = max(next, r.told) + w.Card.Clocks(status)
	w.Clock.Push(engine.Event{At: r.told, Kind: evStatus, A: r.now.packet})
	w.Clock.Push(engine.Event{At: next, Kind: evNext, A: uint32(home)})
}

// tells reports whether a packet gets a status record.
func tells(h *dimmnet.Header, f *flow) bool {
	if f.isStraight() {
		return h.Flags&dimmnet.EndOfMessage != 0
	}
	return h.Flags&(dimmnet.EndOfMessage|dimmnet.PacketStatus) != 0 && h.Operation != dimmnet.Pull
}

// put moves the data of a packet to where it belongs.
func (w *receiver) put(r *receiving, p *packet) {
	h := &r.header
	data := p.data(w.buffer[:])
	switch h.Operation {
	case dimmnet.IPush, dimmnet.IPushEntry:
		w.Ranks[h.To].Fill(p.place, data)
	case dimmnet.IPushMatch:
		w.matchings.putMatchable(p, h, data)
	case dimmnet.Push:
		segment, offset := virtual(h.Address)
		memory, err := w.Ranks[h.To].Memory(rma.Address{Rank: int(h.To), Segment: segment, Offset: offset}, h.Data)
		if err != nil { // withdrawn meanwhile
			w.FailOp(p.op, err)
		}
		copy(memory, data)
	case dimmnet.Answer:
		copy(w.jobs.At(p.op).Local[p.offset:], data)
	case dimmnet.Pull:
		w.sender.queue(p.to, order{op: p.op, rank: int32(h.To), role: answer})
	}
}

// status tells the rank of a packet that has come.
func (w *receiver) status(id uint32) {
	p := w.packets.list[id]
	h := p.header()
	to := &w.Ranks[h.To]
	w.tellReceived(&h, w.matchings.pathOf(&h, p.flow))
	switch h.Operation {
	case dimmnet.IPush, dimmnet.IPushEntry, dimmnet.IPushMatch:
		rp := h.ForRing()
		if !w.matchings.noted(&h, p.flow, &rp) {
			break
		}
		to.Stored(&rp, p.place)
	case dimmnet.Push:
		if h.Flags&dimmnet.EndOfMessage != 0 {
			segment, _ := virtual(h.Address)
			to.Segments[segment].Unread = true
			to.Touched()
		}
	case dimmnet.Answer:
		j := w.jobs.At(p.op)
		if j.left -= h.Data; j.left <= 0 {
			w.CompleteOp(p.op)
		}
	}
	w.packets.drop(id)
}

// released lets the Receive Controller of a card look again if it has stopped for lack of room.
func (w *receiver) released(home int32) {
	if r := &w.at[home]; r.stalled {
		r.stalled = false
		w.Clock.Push(engine.Event{At: w.Clock.Now() + w.clocks.retest, Kind: evPlace, A: uint32(home)})
	}
}
