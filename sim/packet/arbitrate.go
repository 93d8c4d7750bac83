package packet

import (
	"math/bits"

	"musubi/sim/engine"
	"musubi/units"
)

// request records that the first packet of a lane wants its output link, and makes sure that it
// will be reconsidered when the lane's input port is free.
func (f *Fabric) request(at uint32, p *packet) {
	vc := f.vcOf(at)
	in := &f.ports[f.linkOf(at)]
	f.want(&f.links[p.out], in.bit+vc)
	in.wanting |= 1 << (vc % 64)
	if in.held > f.q.Now() {
		f.watchTail(in.heldBy)
	}
}

// watchTail pushes an event for the tail of the packet on a link.
func (f *Fabric) watchTail(out uint32) {
	if l := &f.links[out]; !l.watched {
		l.watched = true
		f.q.Push(engine.Event{At: l.free, Kind: evTail, A: out, Args: engine.Args{B: l.from}})
	}
}

// tail serves the packets that wait for a link, or for the input port that the packet on it came
// from. Either may have been taken again at this very time.
func (f *Fabric) tail(out, from uint32) {
	if f.links[out].free <= f.q.Now() {
		f.arbitrate(out)
	}
	in := &f.ports[from]
	wanting := bits.RotateLeft64(in.wanting, -int(in.endTurn))
	for ; wanting != 0 && in.held <= f.q.Now(); wanting &= wanting - 1 {
		vc := uint32(bits.TrailingZeros64(wanting)+int(in.endTurn)) % 64
		if head := f.lanes[f.laneOf(from, vc)].head; head != 0 {
			f.serve(head)
		}
	}
}

// arbitrate grants a link, if it is free, to the first packet in turn that can have it. A packet
// that lacks room keeps later ones of the same virtual channel back; otherwise short packets would
// take the room from a long one for ever.
func (f *Fabric) arbitrate(out uint32) {
	if f.fails(out) {
		f.dropWaiting(out)
		return
	}
	l := &f.links[out]
	if l.free > f.q.Now() {
		f.watchTail(out)
		return
	}
	full := uint64(0) // virtual channels that lack room for a packet
	if l.isWide {
		if l.isWanted() {
			f.arbitrateWide(out, l.turn, f.wideRequests(l), &full)
		}
		return
	}
	turn := l.turn
	word := bits.RotateLeft64(l.requests, -int(turn))
	for ; word != 0; word &= word - 1 {
		if f.offer(out, (turn+uint32(bits.TrailingZeros64(word)))%64, &full) {
			return
		}
	}
}

// arbitrateWide is arbitrate where requests have several words. That with the turn is visited twice,
// last for what lies before it.
func (f *Fabric) arbitrateWide(out, turn uint32, requests []uint64, full *uint64) {
	w := turn / 64 % uint32(len(requests))
	word := requests[w] &^ (1<<(turn%64) - 1)
	for range len(requests) + 1 {
		for ; word != 0; word &= word - 1 {
			if f.offer(out, w*64+uint32(bits.TrailingZeros64(word)), full) {
				return
			}
		}
		if w++; w == uint32(len(requests)) {
			w = 0
		}
		word = requests[w]
	}
}

// offer grants a link to the packet that a bit of its requests stands for, if that
// can have it.
func (f *Fabric) offer(out uint32, bit uint32, full *uint64) bool {
	l := &f.links[out]
	in := f.inputs[f.nodes[l.node].inputs+f.linkOf(bit)]
	at := f.laneOf(in, f.vcOf(bit))
	if f.ports[in].held > f.q.Now() && !f.feeds(in, at) {
		return false
	}
	id := f.lanes[at].head
	p := &f.packets[id]
	if p.out == several {
		if !f.offerCopies(out, at, p.outLane, full) {
			return false
		}
	} else if wanted := uint64(1) << (f.vcOf(p.outLane) % 64); *full&wanted != 0 || !f.grant(l, out, at, id, p) {
		*full |= wanted
		if p.again {
			f.chooseAgain(at, p)
		}
		return false
	}
	l.turn = bit + 1
	return true
}

// grant starts a packet, the first of a lane or a copy of it, on its output link if
// there is room for it at the far end.
func (f *Fabric) grant(l *link, out, at, id uint32, p *packet) bool {
	k := &f.kinds[l.kind]
	if !f.reserve(l, k, out, p) {
		return false
	}
	in, vc := f.linkOf(at), f.vcOf(at)
	port := &f.ports[in]
	tail := f.carry(l, k, port, p, in, vc)
	if f.cfg.Observer != nil {
		f.tell(out, in, at, id, tail)
	}
	from := &f.lanes[at]
	last, look := from.head == id, false
	if last {
		f.unwant(l, port.bit+vc)
		port.wanting &^= 1 << (vc % 64)
		from.head = p.next
		if next := &f.packets[from.head]; from.head != 0 && next.out != several {
			f.request(at, next)
		} else {
			look = from.head != 0
		}
	} else {
		f.take(at, port, id)
	}
	if port.wanting != 0 || l.isWanted() {
		f.watchTail(out)
	}
	f.depart(id, p, k, tail, last)
	if look {
		f.inspect(at)
	}
	return true
}

// carry lets a packet take a link and the input port that it comes from, and returns when its tail will have left.
func (f *Fabric) carry(l *link, k *kind, port *port, p *packet, in, vc uint32) units.Time {
	transfer := k.times[p.flits]
	tail := max(f.q.Now()+transfer, p.tailReady)
	l.free, l.from, l.watched = tail, in, false
	l.busy += transfer
	l.load.Packets++
	l.load.Flits += int64(p.flits)
	if tail >= port.held { // not if a copy on a slower link started at the same time
		port.held, port.heldBy = tail, p.out
	}
	port.endTurn = uint8(vc+1) % 64
	return tail
}

// tell tells the observer of a packet that starts on a link.
func (f *Fabric) tell(out, in, at, id uint32, tail units.Time) {
	o, now := f.cfg.Observer, f.q.Now()
	o.Busy(int(out), now, tail, f.kinds[f.links[out].kind].times[f.packets[id].flits])
	if f.lanes[at].head == id {
		o.Waiting(int(in), -1, now)
	}
	if f.follower != nil {
		f.follower.Granted(id, int(out), now)
	}
}
