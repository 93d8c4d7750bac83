package device

import (
	"fmt"

	"musubi/nic"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// receiver is the receiving part of a card: Receive Controller and Write Unit. It
// takes one packet after the other.
type receiver struct {
	waiting fifo[arrival]
	now     arrival
	header  nic.Header
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
}

// received takes a packet from the SWIF of a card, or one that never left the card.
func (w *windows) received(a arrival) {
	p := w.packets.list[a.packet]
	if h := p.header(); h.Operation == nic.Ack || h.Operation == nic.Nack {
		host, peer := p.to, p.from
		w.release(a)
		w.acknowledged(host, peer, &h)
		return
	}
	r := &w.cards[p.to].receiver
	r.waiting.push(a)
	if !r.busy {
		w.next(p.to)
	}
}

// next lets the receiver of a card look at the next packet that is to be taken.
func (w *windows) next(host int32) {
	r := &w.cards[host].receiver
	for r.busy = r.waiting.len() > 0; r.busy; r.busy = r.waiting.len() > 0 {
		r.now = r.waiting.pop()
		r.header = w.packets.list[r.now.packet].header()
		if w.inOrder(host, w.packets.list[r.now.packet].from, &r.header) && w.admit(host, &r.header) {
			w.takePacket(host)
			return
		}
		w.release(r.now)
	}
}

// inOrder reports whether a packet is the next of its channel, and answers for it if
// not.
func (w *windows) inOrder(host, peer int32, h *nic.Header) bool {
	if peer == host {
		return true
	}
	in := &w.channel(host, peer).in
	switch in.Check(h.Sequence) {
	case nic.Expected:
		return true
	case nic.Duplicate:
		w.reply(host, peer, nic.Ack)
	case nic.Gap:
		if in.Nack() {
			w.reply(host, peer, nic.Nack)
		}
	}
	return false
}

// admit keeps packets of other process groups out. They are acknowledged, as the
// SWIF knows nothing of groups.
func (w *windows) admit(host int32, h *nic.Header) bool {
	if w.users[h.To].port.Admit(h) {
		return true
	}
	w.ranks[h.To].inbox.use.Foreign++
	w.reject(host, fmt.Errorf("rma: rank %d refuses a packet of process group %d", h.To, h.Group))
	return false
}

// reject acknowledges a packet that is not delivered and fails its operation.
func (w *windows) reject(host int32, err error) {
	r := &w.cards[host].receiver
	op := w.packets.list[r.now.packet].op
	w.failOp(op, err)
	if j := &w.jobs[op]; j.kind == pull {
		w.completeOp(op)
	}
	w.accept(host)
}

// accept acknowledges the packet that the receiver has before it.
func (w *windows) accept(host int32) {
	r := &w.cards[host].receiver
	p := w.packets.list[r.now.packet]
	if p.from == host {
		w.settle(p)
		return
	}
	w.channel(host, p.from).in.Take()
	w.reply(host, p.from, nic.Ack)
}

// release gives up the packet's copy and its room in the SWIF.
func (w *windows) release(a arrival) {
	if p := w.packets.list[a.packet]; p.from != p.to {
		w.fabric.Release(a.number)
	}
	w.packets.drop(a.packet)
}

// takePacket begins to take a packet.
func (w *windows) takePacket(host int32) {
	h := &w.cards[host].receiver.header
	path := w.clocks.receives(h)
	clocks := w.m.Card.Clocks
	switch {
	case appends(h):
		at := w.q.Now() + clocks(path.decode+path.place) + w.m.Ring.Manage
		w.q.Push(engine.Event{At: at, Kind: evPlace, A: uint32(host)})
	case h.Operation == nic.Pull:
		w.q.Push(engine.Event{At: w.q.Now() + clocks(path.decode+further(h.Data)), Kind: evStored, A: uint32(host)})
	default:
		w.write(host, path, path.decode)
	}
}

// appends reports whether a packet is for a receive ring.
func appends(h *nic.Header) bool { return h.Operation == nic.IPush || h.Operation == nic.IPushEntry }

// write lets the receiver write the data of its packet, after some clocks and those
// to reach what it writes to. The card's memory may be refreshing then.
func (w *windows) write(host int32, path *cardPath, after int) {
	h := &w.cards[host].receiver.header
	w.tellPath(path, h.Data)
	at := w.q.Now() + w.m.Card.Clocks(after+path.reach)
	if h.Flags&nic.ToWindow == 0 {
		at = w.refreshed(at)
	}
	w.q.Push(engine.Event{At: at + w.m.Card.Clocks(path.write+further(h.Data)), Kind: evStored, A: uint32(host)})
}

// place looks for room in the receive ring that a packet is for. Without room the
// receiver stops, or asks for the packet again.
func (w *windows) place(host int32) {
	r := &w.cards[host].receiver
	if p, ok := w.ranks[r.header.To].place(&r.header); ok {
		w.packets.list[r.now.packet].place = p
		w.write(host, &w.clocks.ipushReceive, 0)
		w.tellManaged(w.clocks.ipushReceive.name)
		return
	}
	peer := w.packets.list[r.now.packet].from
	if w.m.Ring.Full != "nack" || peer == host {
		r.stalled = true
		return
	}
	if w.channel(host, peer).in.Nack() {
		w.reply(host, peer, nic.Nack)
	}
	w.release(r.now)
	w.next(host)
}

// stored moves the data of a packet that has been written, and lets the Status Write
// Unit tell of it while the receiver goes on.
func (w *windows) stored(host int32) {
	r := &w.cards[host].receiver
	p := w.packets.list[r.now.packet]
	w.put(r, p)
	w.accept(host)
	p.copies++ // for the status
	w.release(r.now)
	path := w.clocks.receives(&r.header)
	next, status := w.q.Now(), 0
	if tells(&r.header) {
		next += w.m.Card.Clocks(path.finish)
		status = path.status
	}
	r.told = max(next, r.told) + w.m.Card.Clocks(status)
	w.q.Push(engine.Event{At: r.told, Kind: evStatus, A: r.now.packet})
	w.q.Push(engine.Event{At: next, Kind: evNext, A: uint32(host)})
}

// tells reports whether a packet gets a status record.
func tells(h *nic.Header) bool {
	return h.Flags&(nic.EndOfMessage|nic.PacketStatus) != 0 && h.Operation != nic.Pull
}

// put moves the data of a packet to where it belongs.
func (w *windows) put(r *receiver, p *packet) {
	h := &r.header
	data := p.data(w.buffer[:])
	switch h.Operation {
	case nic.IPush, nic.IPushEntry:
		w.ranks[h.To].inbox.fill(p.place, data)
	case nic.Push:
		segment, offset := virtual(h.Address)
		memory, err := w.ranks[h.To].segment(rma.Address{Rank: int(h.To), Segment: segment, Offset: offset}, h.Data)
		if err != nil { // withdrawn meanwhile
			w.failOp(p.op, err)
		}
		copy(memory, data)
	case nic.Answer:
		copy(w.jobs[p.op].local[p.offset:], data)
	case nic.Pull:
		w.queue(p.to, order{op: p.op, rank: int32(h.To), role: answer})
	}
}

// status tells the rank of a packet that has come.
func (w *windows) status(id uint32) {
	p := w.packets.list[id]
	h := p.header()
	to := &w.ranks[h.To]
	w.tellReceived(&h)
	switch h.Operation {
	case nic.IPush, nic.IPushEntry:
		to.inbox.rx.Written(&h, p.place)
		to.touched()
	case nic.Push:
		if h.Flags&nic.EndOfMessage != 0 {
			segment, _ := virtual(h.Address)
			to.segments[segment].unread = true
			to.touched()
		}
	case nic.Answer:
		j := &w.jobs[p.op]
		if j.left -= h.Data; j.left <= 0 {
			w.completeOp(p.op)
		}
	}
	w.packets.drop(id)
}
