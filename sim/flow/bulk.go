package flow

import (
	"fmt"
	"math"

	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/flow/maxmin"
	"musubi/units"
)

// bulk is a long message that is leaving its source.
type bulk struct {
	packet uint32
	flow   int32
	sent   bool       // NotifySent
	delay  units.Time // in the device
	lag    units.Time // from its tail leaving to the arrival
	last   units.Time // from header to tail of the last packet

	left  float64    // picoseconds that it would take alone on a link of the configured rate
	since units.Time // when so much was left
	rate  float64    // part of such a link that it has
	// behind is the link that keeps the rate from being higher, -1 if a device does, and single the
	// time for which that had carried single packets when so much was left.
	behind int32
	single units.Time
	due    units.Time // when it will have left
	next   units.Time // its next evEnd; others are of no account
}

// SendBulk implements fabric.Bulker.
func (f *Fabric) SendBulk(b fabric.Bulk) uint32 {
	if b.Packets < 1 || b.Last < 1 || b.Last > b.Flits {
		panic(fmt.Sprintf("flow: no length for message %+v", b))
	}
	id, q, path := f.number(&b.Packet)
	now := f.q.Now()
	n := int64(b.Packets)
	q.packets, q.flits = int32(b.Packets), int32((b.Packets-1)*b.Flits+b.Last)
	f.traffic.Sent += n
	number, m := f.newBulk()
	work := float64(carrying(f.reference, &b))
	*m = bulk{packet: id, sent: b.NotifySent, delay: b.Delay, left: work, since: now, behind: -1}
	uses := f.uses[:0]
	take := func(l int) {
		k := &f.links[l]
		time := carrying(*k.times, &b)
		uses = append(uses, maxmin.Use{Resource: int32(l), Cost: float64(time) / work})
		k.busy += time
		k.load.Packets += n
		k.load.Flits += int64(q.flits)
		m.lag += k.delay
		m.last = max(m.last, (*k.times)[b.Last])
	}
	take(f.injection(q.way))
	for _, hop := range path {
		take(hop.Channel())
	}
	take(f.ejection(q.way))
	for _, s := range b.Stages {
		if s.Time > 0 {
			uses = append(uses, maxmin.Use{Resource: int32(len(f.links) + s.Unit), Cost: float64(s.Time) / work})
		}
	}
	m.left += float64(max(0, f.links[f.injection(q.way)].clear-now))
	m.flow = f.sharing.Add(uses)
	for int(m.flow) >= len(f.of) {
		f.of = append(f.of, 0)
	}
	f.uses, f.of[m.flow] = uses, number
	f.shareSoon()
	return id
}

// carrying returns for how long a link carries a message.
func carrying(times []units.Time, b *fabric.Bulk) units.Time {
	return units.Time(b.Packets-1)*times[b.Flits] + times[b.Last]
}

// newBulk returns the number and the place of a bulk.
func (f *Fabric) newBulk() (uint32, *bulk) {
	if last := len(f.free) - 1; last >= 0 {
		id := f.free[last]
		f.free = f.free[:last]
		return id, &f.bulks[id]
	}
	f.bulks = append(f.bulks, bulk{})
	return uint32(len(f.bulks) - 1), &f.bulks[len(f.bulks)-1]
}

// shareSoon has rates computed when all that happens now has happened.
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
		b.rate, b.behind = f.sharing.Rate(flow), f.sharing.Bottleneck(flow)
		if int(b.behind) >= len(f.links) {
			b.behind = -1
		}
		b.single = f.singles(b)
		b.due = b.since + units.Time(math.Ceil(b.left/b.rate))
		if b.next <= f.q.Now() || b.due < b.next {
			f.lookAt(id, b)
		}
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
	if b.next != now {
		return
	}
	lost := f.singles(b) - b.single
	b.due, b.since, b.single = b.due+lost, b.since+lost, b.single+lost
	if b.due > now {
		f.lookAt(id, b)
		return
	}
	f.sharing.Remove(b.flow)
	f.shareSoon()
	p := &f.packets[b.packet]
	p.tailAt = now + b.delay + b.lag
	p.headAt = p.tailAt - b.last
	if b.sent {
		f.q.Push(engine.Event{At: now + b.delay, Kind: fabric.Sent, A: b.packet})
	}
	f.q.Push(engine.Event{At: p.tailAt, Kind: fabric.Delivered, A: b.packet})
	b.next = 0
	f.free = append(f.free, id)
}
