package card

import (
	"fmt"

	"musubi/nic/dimmnet"
	"musubi/nic/reliable"
	"musubi/nic/ring"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// packet is a packet of a card, as long as a SWIF may have to send it again or a
// copy of it is somewhere.
type packet struct {
	from, to int32 // cards
	op       uint32
	offset   int // of its data in the operation
	lines    [maxCardLines]dimmnet.Line
	length   int   // in lines
	copies   int32 // in the network and at the receiver
	kept     bool  // until it is acknowledged
	place    ring.Placement
	flow     *flow  // of a message that was matched, or not; nil: it is of another
	next     uint32 // in the list of free packets
}

// Limits of packets: a header, and a Write Window of the largest size.
const (
	maxHeaderLines = 3
	maxCardData    = 1 << 10 // in bytes
	maxCardLines   = maxHeaderLines + maxCardData/dimmnet.LineSize
)

// encode makes a packet of a header and data.
func (p *packet) encode(h *dimmnet.Header, data []byte) {
	n := h.Encode(p.lines[:])
	p.length = n + dimmnet.EncodeData(p.lines[n:], data)
}

// number gives a packet its sequence number.
func (p *packet) number(sequence uint16) {
	h := p.header()
	h.Sequence = sequence
	h.Encode(p.lines[:])
}

// header returns the header as the other side reads it.
func (p *packet) header() dimmnet.Header {
	h, _, err := dimmnet.DecodeHeader(p.lines[:p.length])
	if err != nil {
		panic(err) // the simulated link delivers what was sent, or nothing
	}
	return h
}

// data returns the data as the other side reads it, in a buffer.
func (p *packet) data(buffer []byte) []byte {
	h, n, err := dimmnet.DecodeHeader(p.lines[:p.length])
	if err == nil {
		err = dimmnet.DecodeData(&h, p.lines[n:p.length], buffer)
	}
	if err != nil {
		panic(err) // as for header
	}
	return buffer[:h.Data]
}

// packetPool holds packets by number; 0 is not used.
type packetPool struct {
	list   []*packet
	unused uint32
}

func (pool *packetPool) take() uint32 {
	id := pool.unused
	if id == 0 {
		if len(pool.list) == 0 {
			pool.list = append(pool.list, nil)
		}
		pool.list = append(pool.list, new(packet))
		id = uint32(len(pool.list) - 1)
	}
	p := pool.list[id]
	pool.unused = p.next
	p.next, p.kept, p.copies, p.flow = 0, false, 1, nil
	return id
}

// drop gives up a copy of a packet.
func (pool *packetPool) drop(id uint32) {
	p := pool.list[id]
	p.copies--
	if p.copies == 0 && !p.kept {
		p.next, pool.unused = pool.unused, id
	}
}

// channel is the way from one card to another, as the SWIF at either end sees it.
type channel struct {
	out   reliable.Outbox
	in    reliable.Inbox
	kept  []uint32 // packets outstanding
	timer uint32   // counts the times that the clock was set
	tries int      // times that packets were sent again since any was acknowledged
}

// channel returns what a card knows of its way to and from a peer.
func (w *windows) channel(home, peer int32) *channel {
	k := &w.cards[home]
	c := k.channels[peer]
	if c == nil {
		c = &channel{out: reliable.NewOutbox(w.SWIF.Window)}
		k.channels[peer] = c
	}
	return c
}

// keep numbers a packet and keeps it until it is acknowledged.
func (w *windows) keep(id uint32) {
	p := w.packets.list[id]
	c := w.channel(p.from, p.to)
	p.number(c.out.Next())
	p.kept = true
	c.kept = append(c.kept, id)
	if len(c.kept) == 1 {
		w.expect(p.from, p.to, c)
	}
}

// dispatch lets the SWIF of a card send a packet with data, after those that it has: it takes one
// at a time, from its last line to the end of it on the link.
func (w *windows) dispatch(id uint32) {
	p, link := w.packets.list[id], &w.Machine.Link
	k := &w.cards[p.from]
	begin := max(k.swif, w.Clock.Now())
	k.swif = begin + w.SWIF.Send + link.Rate.Transfer(units.Bytes(w.flits(p))*link.Flit)
	w.Clock.Push(engine.Event{At: begin + w.SWIF.Send, Kind: evReady, A: id})
}

// flits returns the length of a packet with data on the link.
func (w *windows) flits(p *packet) int {
	format := &w.Machine.Packet
	return max(format.Minimum, format.Overhead-dimmnet.HeaderLines+p.length)
}

// send hands a packet to the fabric.
func (w *windows) send(id uint32) {
	p := w.packets.list[id]
	class, flits := 0, w.flits(p)
	if h := p.header(); h.Operation == dimmnet.Ack || h.Operation == dimmnet.Nack {
		class, flits = w.Machine.Switch.Classes-1, w.Machine.Packet.Reply
	}
	w.Fabric.Send(fabric.Packet{Src: int(p.from), Dst: int(p.to), Class: class, Tag: uint64(id), Flits: flits})
}

// delivered takes a packet from the fabric into a SWIF, unless it was lost on the
// way.
func (w *windows) delivered(number uint32) {
	d := w.Fabric.Delivery(number)
	id := uint32(d.Tag)
	p := w.packets.list[id]
	if loss := w.SWIF.Loss; loss > 0 && w.rng.IntN(million) < loss {
		w.Fabric.Release(number)
		w.packets.drop(id)
		return
	}
	swif := &w.SWIF
	w.tellTransit(p, d)
	w.Clock.Push(engine.Event{At: w.Clock.Now() + swif.Transit + swif.Alpha + swif.Receive, Kind: evReceived, A: id, B: number})
}

const million = 1_000_000

// reply sends an acknowledgement, or the opposite, of what a card has from a peer.
func (w *windows) reply(home, peer int32, op dimmnet.Operation) {
	id := w.packets.take()
	p := w.packets.list[id]
	p.from, p.to, p.op = home, peer, 0
	h := dimmnet.Header{Operation: op, Sequence: w.channel(home, peer).in.Expected()}
	p.encode(&h, nil)
	w.Clock.Push(engine.Event{At: w.Clock.Now() + w.SWIF.Send, Kind: evReady, A: id})
}

// acknowledged handles the answer of a peer's SWIF.
func (w *windows) acknowledged(home, peer int32, h *dimmnet.Header) {
	c := w.channel(home, peer)
	released := c.out.Acked(h.Sequence)
	for _, id := range c.kept[:released] {
		p := w.packets.list[id]
		w.packetDone(p)
		p.kept, p.copies = false, p.copies+1
		w.packets.drop(id)
	}
	c.kept = c.kept[released:]
	if released > 0 {
		c.tries = 0
		w.expect(home, peer, c)
	}
	if h.Operation == dimmnet.Nack {
		w.setTimer(home, peer, c, w.SWIF.Retry)
	}
	if s := &w.cards[home].sender; released > 0 && s.held {
		s.held = false
		w.form(home)
	}
}

// packetDone notes that a packet is where it belongs. A PULL is complete when its answer
// is there, and its number may be in use again when the last packet of that is
// acknowledged.
func (w *windows) packetDone(p *packet) {
	if h := p.header(); h.Operation == dimmnet.Pull || h.Operation == dimmnet.Answer {
		return
	}
	j := w.jobs.At(p.op)
	if j.left--; j.left == 0 {
		w.CompleteOp(p.op)
	}
}

// sendAgain sends everything that is outstanding to a peer.
func (w *windows) sendAgain(home, peer int32, c *channel) {
	for _, id := range c.kept {
		w.packets.list[id].copies++
		w.dispatch(id)
	}
	w.expect(home, peer, c)
}

// expect sets the clock for the acknowledgement of the oldest packet outstanding.
// Where nothing is lost, none is needed.
func (w *windows) expect(home, peer int32, c *channel) {
	c.timer++
	if w.SWIF.Loss > 0 && len(c.kept) > 0 {
		w.setTimer(home, peer, c, w.SWIF.Timeout)
	}
}

// setTimer sets the clock of a channel; at its end everything outstanding is sent
// again.
func (w *windows) setTimer(home, peer int32, c *channel, t units.Time) {
	c.timer++
	w.Clock.Push(engine.Event{At: w.Clock.Now() + t, Kind: evTimeout, A: uint32(home), B: uint32(peer), C: c.timer})
}

// timeout sends again what is outstanding, unless the clock has been set anew. A run
// ends in which that has not helped for long and no program goes on by itself, which
// could make room in a ring.
func (w *windows) timeout(ev engine.Event) {
	home, peer := int32(ev.A), int32(ev.B)
	c := w.channel(home, peer)
	if c.timer != ev.C || len(c.kept) == 0 {
		return
	}
	if c.tries++; c.tries > w.SWIF.Tries {
		if !w.GoesOn() {
			w.Fail(w.givesUp(home, peer))
			return
		}
		c.tries = 0
	}
	w.sendAgain(home, peer, c)
}

// givesUp says that a card has sent packets again for too long.
func (w *windows) givesUp(home, peer int32) error {
	why := w.FullRings()
	if why != "" {
		why = ": " + why
	}
	return fmt.Errorf("at %v the card of host %d has sent packets to host %d %d times without acknowledgement (swif.tries)%s",
		w.Clock.Now(), home, peer, w.SWIF.Tries, why)
}
