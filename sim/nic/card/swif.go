package card

import (
	"fmt"
	"math/rand/v2"

	"musubi/nic/dimmnet"
	"musubi/nic/reliable"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// swif is the switch interfaces of cards. Each keeps every packet until it is acknowledged, sends it
// again if need be, and takes packets in order.
type swif struct {
	*cards
	jobs    *jobs
	packets *packetPool
	rng     *rand.Rand // of losses
	at      []cardSWIF
}

// cardSWIF is the switch interface of a card.
type cardSWIF struct {
	free     units.Time // when it has sent the packets that it was given
	channels map[int32]*channel
}

func newSWIF(k *cards, j *jobs, p *packetPool) swif {
	w := swif{cards: k, jobs: j, packets: p, rng: engine.NewStream(k.Seed, lossStream), at: make([]cardSWIF, len(k.Net.EndPoints))}
	for _, home := range k.Hosts {
		w.at[home].channels = map[int32]*channel{}
	}
	return w
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
func (w *swif) channel(home, peer int32) *channel {
	k := &w.at[home]
	c := k.channels[peer]
	if c == nil {
		c = &channel{out: reliable.NewOutbox(w.SWIF.Window)}
		k.channels[peer] = c
	}
	return c
}

// keep numbers a packet and keeps it until it is acknowledged.
func (w *swif) keep(id uint32) {
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
func (w *swif) dispatch(id uint32) {
	p, link := w.packets.list[id], &w.Machine.Link
	k := &w.at[p.from]
	begin := max(k.free, w.Clock.Now())
	k.free = begin + w.SWIF.Send + link.Rate.Transfer(units.Bytes(w.flits(p))*link.Flit)
	w.Clock.Push(engine.Event{At: begin + w.SWIF.Send, Kind: evReady, A: id})
}

// flits returns the length of a packet with data on the link.
func (w *swif) flits(p *packet) int {
	format := &w.Machine.Packet
	return max(format.Minimum, format.Overhead-dimmnet.HeaderLines+p.length)
}

// send hands a packet to the fabric.
func (w *swif) send(id uint32) {
	p := w.packets.list[id]
	class, flits := 0, w.flits(p)
	if h := p.header(); h.Operation == dimmnet.Ack || h.Operation == dimmnet.Nack {
		class, flits = w.Machine.Switch.Classes-1, w.Machine.Packet.Reply
	}
	w.Fabric.Send(fabric.Packet{Src: int(p.from), Dst: int(p.to), Class: class, Tag: uint64(id), Flits: flits})
}

// delivered takes a packet from the fabric into a SWIF, unless it was lost on the
// way.
func (w *swif) delivered(number uint32) {
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
	w.Clock.Push(engine.Event{At: w.Clock.Now() + swif.Transit + swif.Alpha + swif.Receive, Kind: evReceived, A: id, Args: engine.Args{B: number}})
}

const million = 1_000_000

// reply sends an acknowledgement, or the opposite, of what a card has from a peer.
func (w *swif) reply(home, peer int32, op dimmnet.Operation) {
	id := w.packets.take()
	p := w.packets.list[id]
	p.from, p.to, p.op = home, peer, 0
	h := dimmnet.Header{Operation: op, Sequence: w.channel(home, peer).in.Expected()}
	p.encode(&h, nil)
	w.Clock.Push(engine.Event{At: w.Clock.Now() + w.SWIF.Send, Kind: evReady, A: id})
}

// acknowledged handles the answer of a peer's SWIF, and reports whether more can be sent now.
func (w *swif) acknowledged(home, peer int32, h *dimmnet.Header) bool {
	c := w.channel(home, peer)
	released := c.out.Acked(h.Sequence)
	for _, id := range c.kept[:released] {
		p := w.packets.list[id]
		w.jobs.packetDone(p)
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
	return released > 0
}

// sendAgain sends everything that is outstanding to a peer.
func (w *swif) sendAgain(home, peer int32, c *channel) {
	for _, id := range c.kept {
		w.packets.list[id].copies++
		w.dispatch(id)
	}
	w.expect(home, peer, c)
}

// expect sets the clock for the acknowledgement of the oldest packet outstanding.
// Where nothing is lost, none is needed.
func (w *swif) expect(home, peer int32, c *channel) {
	c.timer++
	if w.SWIF.Loss > 0 && len(c.kept) > 0 {
		w.setTimer(home, peer, c, w.SWIF.Timeout)
	}
}

// setTimer sets the clock of a channel; at its end everything outstanding is sent
// again.
func (w *swif) setTimer(home, peer int32, c *channel, t units.Time) {
	c.timer++
	w.Clock.Push(engine.Event{At: w.Clock.Now() + t, Kind: evTimeout, A: uint32(home), Args: engine.Args{B: uint32(peer), C: c.timer}})
}

// timeout sends again what is outstanding, unless the clock has been set anew. A run
// ends in which that has not helped for long and no program goes on by itself, which
// could make room in a ring.
func (w *swif) timeout(ev engine.Event) {
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
func (w *swif) givesUp(home, peer int32) error {
	why := w.FullRings()
	if why != "" {
		why = ": " + why
	}
	return fmt.Errorf("at %v the card of host %d has sent packets to host %d %d times without acknowledgement (swif.tries)%s",
		w.Clock.Now(), home, peer, w.SWIF.Tries, why)
}
