package packet

import (
	"musubi/sim/engine"
	"musubi/units"
)

// reserve takes room for a packet at the far end of a link. If there is not enough, it makes sure
// that the link is reconsidered as soon as there is.
func (f *Fabric) reserve(l *link, k *kind, out uint32, p *packet) bool {
	lane := &f.lanes[p.outLane]
	if k.need == 0 {
		f.settle(lane, k.cable)
		if lane.room >= p.flits {
			lane.room -= p.flits
			return true
		}
	}
	at := f.startAt(k, p.outLane, p.flits)
	if at <= f.q.Now() {
		lane.room -= p.flits
		return true
	}
	if at == units.Never {
		if lane.wanted == 0 || p.flits < lane.wanted {
			lane.wanted = p.flits
		}
		return false
	}
	f.wake(l, out, at)
	return false
}

// startAt returns when a packet of so many flits may start into a lane, as far as
// is known now.
func (f *Fabric) startAt(k *kind, at uint32, flits int32) units.Time {
	if k.need > 0 {
		return f.goAt(k, at)
	}
	return f.roomAt(&f.lanes[at], flits, k.cable)
}

// wake makes a link be reconsidered at a time, unless that will happen earlier.
func (f *Fabric) wake(l *link, out uint32, at units.Time) {
	if l.wakeAt == 0 || at < l.wakeAt {
		l.wakeAt = at
		f.q.Push(engine.Event{At: at, Kind: evWake, A: out})
	}
}

// roomAt returns when the sender of a lane sees need flits of room, as far as is
// known now: a credit travels for delay, the flits of a draining packet leave
// evenly. room may be negative while drained flits have been promised already.
func (f *Fabric) roomAt(l *lane, need int32, delay units.Time) units.Time {
	now := f.q.Now()
	f.settle(l, delay)
	missing := need - l.room
	if missing <= 0 {
		return now
	}
	for d := l.drains.oldest(); d != nil; d = f.after(d) {
		if missing <= d.flits {
			span := d.end - d.start
			return d.start + delay + (units.Time(missing)*span+units.Time(d.flits)-1)/units.Time(d.flits)
		}
		missing -= d.flits
	}
	return units.Never
}

// settle adds the room of packets whose last credit has arrived to a lane.
func (f *Fabric) settle(l *lane, delay units.Time) {
	first := &l.drains.first
	for first.flits != 0 && first.end+delay <= f.q.Now() {
		l.room += first.flits
		f.drop(&l.drains)
	}
}

// drainFrom records that a packet leaves a lane, and wakes the sender if it waits for that.
func (f *Fabric) drainFrom(at uint32, d drain) {
	l := &f.lanes[at]
	f.appendDrain(&l.drains, d)
	if l.wanted == 0 {
		return
	}
	out := f.linkOf(at)
	sender := &f.links[out]
	if when := f.startAt(&f.kinds[sender.kind], at, l.wanted); when != units.Never {
		l.wanted = 0
		f.wake(sender, out, max(when, f.q.Now()))
	}
}

// oldest returns the first drain of a list, nil if it is empty.
func (l *drainList) oldest() *drain {
	if l.first.flits == 0 {
		return nil
	}
	return &l.first
}

// after returns the drain after another one of a list, nil if there is none.
func (f *Fabric) after(d *drain) *drain {
	if d.next == 0 {
		return nil
	}
	return &f.drains[d.next]
}

// appendDrain appends to a list of drains.
func (f *Fabric) appendDrain(l *drainList, d drain) {
	if l.first.flits == 0 {
		l.first = d
		return
	}
	id := f.spare
	if id == 0 {
		f.drains = append(f.drains, drain{})
		id = uint32(len(f.drains) - 1)
	} else {
		f.spare = f.drains[id].next
	}
	f.drains[id] = d
	if l.first.next == 0 {
		l.first.next = id
	} else {
		f.drains[l.last].next = id
	}
	l.last = id
}

// drop takes the first drain off a list.
func (f *Fabric) drop(l *drainList) {
	id := l.first.next
	if id == 0 {
		l.first.flits = 0
		return
	}
	l.first = f.drains[id]
	f.drains[id].next = f.spare
	f.spare = id
}
