package packet

import (
	"math"
	"math/bits"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/engine"
	"musubi/units"
)

// breaking is what the packet engine keeps where links may fail.
type breaking struct {
	down    []bool       // by link
	passing [][]crossing // by link: packets that are on it, or were a short time ago
	whole   []uint16     // by link: its kind when it has all of its rate
	slow    map[slowKind]uint16
}

// crossing is a packet on a link. Its number stays good until both times are over.
type crossing struct {
	packet uint32
	tail   units.Time // at the end of the link
	ready  units.Time // when the switch there has looked at its header
}

// slowKind is a kind of links that carries a share of its rate.
type slowKind struct {
	kind  uint16
	share float64
}

func newBreaking(f *Fabric) *breaking {
	b := &breaking{down: make([]bool, len(f.links)), passing: make([][]crossing, len(f.links)), slow: make(map[slowKind]uint16)}
	for i := range f.links {
		b.whole = append(b.whole, f.links[i].kind)
	}
	return b
}

// note records that a packet starts on a link, and forgets those that have passed.
func (b *breaking) note(link uint32, p crossing, now units.Time) {
	list := b.passing[link]
	over := 0
	for over < len(list) && max(list[over].tail, list[over].ready) < now {
		over++
	}
	b.passing[link] = append(list[:copy(list, list[over:])], p)
}

// fails tells whether a link has failed.
func (f *Fabric) fails(link uint32) bool { return f.breaking != nil && f.breaking.down[link] }

// Fail implements Breakable.
func (f *Fabric) Fail(link int) {
	f.breaking.down[link] = true
	for _, on := range f.breaking.passing[link] {
		if on.tail > f.q.Now() {
			f.spoil(on.packet)
		}
	}
	f.dropWaiting(uint32(link))
}

// Heal implements Breakable.
func (f *Fabric) Heal(link int) {
	f.breaking.down[link] = false
	if f.links[link].isWanted() {
		f.arbitrate(uint32(link))
	}
}

// Degrade implements Breakable.
func (f *Fabric) Degrade(link int, share float64) {
	b := f.breaking
	key := slowKind{b.whole[link], share}
	number, known := b.slow[key]
	switch {
	case share == 1:
		number = key.kind
	case !known:
		number = uint16(len(f.kinds))
		b.slow[key] = number
		f.kinds = append(f.kinds, f.kinds[key.kind].slower(share))
	}
	f.links[link].kind = number
}

// slower returns the kind of links that carry a share of the rate.
func (k kind) slower(share float64) kind {
	times := make([]units.Time, len(k.times))
	for flits, t := range k.times {
		times[flits] = units.Time(math.Ceil(float64(t) / share))
	}
	k.times = times
	return k
}

// Reroute implements Breakable.
func (f *Fabric) Reroute(routes *routing.Routes, choice adaptive.Scheme) {
	f.cfg.Routes, f.choice.scheme, f.treePath = routes, choice, nil
	first := f.channels + 2*uint32(len(f.cfg.Net.EndPoints)*f.cfg.Ports)
	for at := first << f.shift; at < uint32(len(f.lanes)); at++ {
		for id := f.lanes[at].head; id != 0; id = f.packets[id].next {
			switch p := &f.packets[id]; {
			case p.branch != 0:
				continue
			case choice == nil:
				f.repath(p)
				f.aim(p)
			case p.way == forth:
				f.enterChoosing(p)
				f.aim(p)
			}
		}
	}
}

// repath gives a packet at its source the path that routes have now. If there is none, it is lost at the
// first switch.
func (f *Fabric) repath(p *packet) {
	from, to := int(p.src)/f.cfg.Ports, int(p.dst)/f.cfg.Ports
	if p.way == back {
		from, to = to, from
	}
	path, in, out, ok := f.cfg.Routes.PathInto(nil, from, to)
	if !ok {
		p.spoilt = true
		return
	}
	if p.way == roaming {
		p.way = forth
	}
	p.path, p.inVC, p.outVC = path, p.base+uint8(in), p.base+uint8(out)
	if p.way == back {
		p.inVC, p.outVC = p.outVC, p.inVC
	}
}

// Flush implements Breakable.
func (f *Fabric) Flush() {
	for link, list := range f.breaking.passing {
		if f.kinds[f.links[link].kind].final {
			continue
		}
		for _, on := range list {
			if on.ready >= f.q.Now() {
				f.spoil(on.packet)
			}
		}
	}
	first := f.channels + 2*uint32(len(f.cfg.Net.EndPoints)*f.cfg.Ports)
	for at := range first << f.shift {
		for id := f.lanes[at].head; id != 0; id = f.packets[id].next {
			f.spoil(id)
		}
		for f.packets[f.lanes[at].head].spoilt {
			f.dropHead(at)
		}
		f.serveLane(at)
	}
}

// spoil marks a packet as lost, if it can be.
func (f *Fabric) spoil(id uint32) {
	if p := &f.packets[id]; p.branch == 0 {
		p.spoilt = true
	}
}

// dropWaiting discards the packets that wait for a link, but for those on trees.
func (f *Fabric) dropWaiting(out uint32) {
	l := &f.links[out]
	words := []uint64{l.requests}
	if l.isWide {
		words = append(words[:0], f.wideRequests(l)...)
	}
	for w, word := range words {
		for ; word != 0; word &= word - 1 {
			bit := uint32(w)*64 + uint32(bits.TrailingZeros64(word))
			in := f.inputs[f.nodes[l.node].inputs+f.linkOf(bit)]
			at := f.laneOf(in, f.vcOf(bit))
			for head := f.lanes[at].head; head != 0 && f.packets[head].out == out && f.packets[head].branch == 0; head = f.lanes[at].head {
				f.dropHead(at)
			}
			f.serveLane(at)
		}
	}
}

// serveLane arbitrates the outputs that the first packet of a lane wants, if its input port is free.
func (f *Fabric) serveLane(at uint32) {
	if head := f.lanes[at].head; head != 0 && f.ports[f.linkOf(at)].held <= f.q.Now() {
		f.serve(head)
	}
}

// dropHead discards the first packet of a lane, which has requested its output, and lets the next one
// request its own.
func (f *Fabric) dropHead(at uint32) {
	l, port := &f.lanes[at], &f.ports[f.linkOf(at)]
	id := l.head
	p := &f.packets[id]
	vc := f.vcOf(at)
	f.unwant(&f.links[p.out], port.bit+vc)
	port.wanting &^= 1 << vc
	l.head = p.next
	if o := f.cfg.Observer; o != nil {
		o.Waiting(int(f.linkOf(at)), -1, f.q.Now())
	}
	f.discard(id)
	switch next := l.head; {
	case next == 0:
	case f.packets[next].out == several:
		f.inspect(at)
	default:
		f.request(at, &f.packets[next])
	}
}

// discard lets a packet that is in no lane any more be lost as soon as its tail is there.
func (f *Fabric) discard(id uint32) {
	f.q.Push(engine.Event{At: max(f.q.Now(), f.packets[id].tailReady), Kind: evDropped, A: id})
}

// dropped frees what a lost packet has held.
func (f *Fabric) dropped(id uint32) {
	p := &f.packets[id]
	if p.pos >= 0 {
		when := max(f.q.Now(), f.ports[f.linkOf(p.lane)].held)
		f.drainFrom(p.lane, drain{start: when, end: when, flits: p.flits})
	}
	f.retire(id)
	f.traffic.Lost++
}
