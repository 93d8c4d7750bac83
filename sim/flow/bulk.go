package flow

import (
	"fmt"
	"math"
	"math/bits"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/flow/maxmin"
	"musubi/units"
)

// bulk is a long message that is on its way.
type bulk struct {
	fabric.Bulk
	packet uint32
	links  []int32    // that it takes
	flow   int32      // none: it has left its source, or waits for a link
	lag    units.Time // from its tail leaving to the arrival
	last   units.Time // from header to tail of the last packet

	whole float64    // picoseconds that it takes alone on a link of the configured rate
	left  float64    // of these, and of a wait at the source before them
	since units.Time // when so much was left
	rate  float64    // part of such a link that it has
	// behind is the link that keeps the rate from being higher, none if a device does, and single the
	// time for which that had carried single packets when so much was left.
	behind int32
	single units.Time
	due    units.Time // when it will have left
	next   units.Time // its next evEnd; others are of no account
	breakage
}

const none = -1

// SendBulk implements fabric.Bulker.
func (f *Fabric) SendBulk(b fabric.Bulk) uint32 {
	if b.Packets < 1 || b.Last < 1 || b.Last > b.Flits {
		panic(fmt.Sprintf("flow: no length for message %+v", b))
	}
	id, q, path := f.number(&b.Packet)
	q.packets, q.flits = int32(b.Packets), int32((b.Packets-1)*b.Flits+b.Last)
	f.traffic.Sent += int64(b.Packets)
	m := f.newBulk(id, q, b)
	f.follow(m, q.way, path)
	f.account(m.links, &m.Bulk, b.Packets, 1)
	m.left += float64(max(0, f.links[m.links[0]].clear-f.q.Now()))
	m.broken = f.firstDown(m)
	m.brokenAt = f.q.Now()
	f.enter(q.bulk, m)
	return id
}

// follow lets a message take a path.
func (f *Fabric) follow(m *bulk, w way, path routing.Path) {
	m.links = append(m.links[:0], int32(f.injection(w)))
	for _, hop := range path {
		m.links = append(m.links, int32(hop.Channel()))
	}
	m.links = append(m.links, int32(f.ejection(w)))
	m.lag = 0
	for _, l := range m.links {
		m.lag += f.links[l].delay
	}
}

// account lets links carry so many packets of a message, the last one of them; or takes them off, if sign is -1.
func (f *Fabric) account(links []int32, b *fabric.Bulk, packets, sign int) {
	if packets == 0 {
		return
	}
	part := fabric.Bulk{Packet: b.Packet, Packets: packets, Last: b.Last}
	for _, l := range links {
		k := &f.links[l]
		k.busy = max(0, k.busy+units.Time(sign)*carrying(*k.times, &part)) // the rate may have been another one
		k.load.Packets += int64(sign * packets)
		k.load.Flits += int64(sign * ((packets-1)*b.Flits + b.Last))
	}
}

// enter lets a message share the links and the parts of devices that it takes.
func (f *Fabric) enter(number uint32, m *bulk) {
	m.last = 0
	uses := f.uses[:0]
	for i, l := range m.links {
		if m.broken >= 0 && i >= max(int(m.broken), 1) {
			break // what a link that has failed takes does not go on
		}
		k := &f.links[l]
		uses = append(uses, maxmin.Use{Resource: l, Cost: float64(carrying(*k.times, &m.Bulk)) / m.whole})
		m.last = max(m.last, (*k.times)[m.Last])
	}
	for i, s := range m.Stages {
		if s.Time > 0 && (m.broken < 0 || i == 0) {
			uses = append(uses, maxmin.Use{Resource: int32(len(f.links) + s.Unit), Cost: float64(s.Time) / m.whole})
		}
	}
	m.since, m.behind, m.single = f.q.Now(), none, 0
	flow, alone := f.sharing.AddAlone(uses)
	if !alone {
		flow = f.sharing.Add(uses)
		f.shareSoon()
	}
	for int(flow) >= len(f.of) {
		f.of = append(f.of, 0)
	}
	m.flow, f.uses, f.of[flow] = flow, uses, number
	if alone {
		f.moveOn(number, m)
	}
}

// carrying returns for how long a link carries a message; units.Never if that is longer than a time can be.
func carrying(times []units.Time, b *fabric.Bulk) units.Time {
	hi, lo := bits.Mul64(uint64(b.Packets-1), uint64(times[b.Flits]))
	lo, carry := bits.Add64(lo, uint64(times[b.Last]), 0)
	if hi+carry > 0 {
		return units.Never
	}
	return units.Time(min(lo, uint64(units.Never)))
}

// newBulk gives what has come into the network as a whole its place.
func (f *Fabric) newBulk(id uint32, p *packet, b fabric.Bulk) *bulk {
	if last := len(f.free) - 1; last >= 0 {
		p.bulk = f.free[last]
		f.free = f.free[:last]
	} else {
		p.bulk = uint32(len(f.bulks))
		f.bulks = append(f.bulks, bulk{})
	}
	m := &f.bulks[p.bulk]
	work := float64(carrying(f.reference, &b))
	*m = bulk{Bulk: b, packet: id, links: m.links[:0], flow: none, whole: work, left: work, breakage: breakage{broken: none}}
	return m
}

// shareSoon has rates computed when all that happens now has happened. For a message that meets no others
// there is nothing to compute.
func (f *Fabric) shareSoon() {
	if !f.pending {
		f.pending = true
		f.q.Push(engine.Event{At: f.q.Now(), Kind: evShare})
	}
}

// share computes rates.
func (f *Fabric) share() {
	f.pending = false
	for _, flow := range f.sharing.Solve() {
		id := f.of[flow]
		b := &f.bulks[id]
		f.progress(b)
		f.moveOn(id, b)
	}
}

// moveOn lets a message move on at the rate that it has from now on.
func (f *Fabric) moveOn(id uint32, b *bulk) {
	b.rate, b.behind = f.sharing.Rate(b.flow), f.sharing.Bottleneck(b.flow)
	if int(b.behind) >= len(f.links) {
		b.behind = none
	}
	b.single = f.singles(b)
	b.due = b.since + units.Time(math.Ceil(b.left/b.rate))
	if b.next <= f.q.Now() || b.due < b.next {
		f.lookAt(id, b)
	}
}

// singles returns for how long the link that a message is behind has carried single packets.
func (f *Fabric) singles(b *bulk) units.Time {
	if b.behind < 0 {
		return 0
	}
	return f.links[b.behind].single
}

// progress takes off what has left so far. While its link carries single packets, nothing does.
func (f *Fabric) progress(b *bulk) {
	now := f.q.Now()
	lost := f.singles(b) - b.single
	b.left = max(0, b.left-float64(b.rate*float64(max(0, now-b.since-lost))))
	b.since, b.single = now, b.single+lost
}

// lookAt pushes an event for when a message will have left.
func (f *Fabric) lookAt(id uint32, b *bulk) {
	b.next = b.due
	f.q.Push(engine.Event{At: b.due, Kind: evEnd, A: id})
}

// end ends a message, if it has left and the event is still of account. Single packets may have
// delayed it since that was pushed.
func (f *Fabric) end(id uint32) {
	b, now := &f.bulks[id], f.q.Now()
	if b.next != now || b.flow == none {
		return
	}
	lost := f.singles(b) - b.single
	b.due, b.since, b.single = b.due+lost, b.since+lost, b.single+lost
	if b.due > now {
		f.lookAt(id, b)
		return
	}
	f.leave(b)
	b.left = 0
	if b.NotifySent {
		f.q.Push(engine.Event{At: now + b.Delay, Kind: fabric.Sent, A: b.packet})
	}
	if b.broken >= 0 {
		f.lose(b, b.Packets-b.arrived, now+b.Delay)
		return
	}
	p := &f.packets[b.packet]
	p.tailAt = now + b.Delay + b.lag
	p.headAt = p.tailAt - b.last
	f.q.Push(engine.Event{At: p.tailAt, Kind: fabric.Delivered, A: b.packet})
}

// leave ends that a message shares links.
func (f *Fabric) leave(b *bulk) {
	others := f.sharing.Remove(b.flow)
	b.flow, b.next = none, 0
	if others {
		f.shareSoon()
	}
}
