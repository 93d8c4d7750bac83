package fabric

import (
	"musubi/sim/engine"
	"musubi/units"
)

// reserve takes room for a packet at the far end of a link. If there is not enough, it makes sure
// that the link is reconsidered as soon as there is.
func (f *PacketFabric) reserve(l *link, out uint32, p *packet) bool {
	lane := &f.lanes[p.outLane]
	at := f.startAt(l, lane, p.flits)
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
func (f *PacketFabric) startAt(l *link, lane *lane, flits int32) units.Time {
	if l.need > 0 {
		return f.goAt(l, lane)
	}
	return f.roomAt(lane, flits, l.cable)
}

// wake makes a link be reconsidered at a time, unless that will happen earlier.
func (f *PacketFabric) wake(l *link, out uint32, at units.Time) {
	if l.wakeAt == 0 || at < l.wakeAt {
		l.wakeAt = at
		f.q.Push(engine.Event{At: at, Kind: evWake, A: out})
	}
}

// roomAt returns when the sender of a lane sees need flits of room, as far as is
// known now: a credit travels for delay, the flits of a draining packet leave
// evenly. room may be negative while drained flits have been promised already.
func (f *PacketFabric) roomAt(l *lane, need int32, delay units.Time) units.Time {
	now := f.q.Now()
	f.settle(l, delay)
	missing := need - l.room
	if missing <= 0 {
		return now
	}
	for i := l.drain; i != 0; i = f.drains[i].next {
		d := &f.drains[i]
		if missing <= d.flits {
			span := d.end - d.start
			return d.start + delay + (units.Time(missing)*span+units.Time(d.flits)-1)/units.Time(d.flits)
		}
		missing -= d.flits
	}
	return units.Never
}

// settle adds the room of packets whose last credit has arrived to a lane.
func (f *PacketFabric) settle(l *lane, delay units.Time) {
	now := f.q.Now()
	for l.drain != 0 && f.drains[l.drain].end+delay <= now {
		id := l.drain
		l.room += f.drains[id].flits
		l.drain = f.drains[id].next
		f.freeDrain(id)
	}
}

// drainFrom records that a packet leaves a lane, and wakes the sender if it waits for that.
func (f *PacketFabric) drainFrom(at uint32, d drain) {
	l := &f.lanes[at]
	f.appendDrain(&l.drain, &l.lastDrain, d)
	if l.wanted == 0 {
		return
	}
	out := at >> f.shift
	sender := &f.links[out]
	if when := f.startAt(sender, l, l.wanted); when != units.Never {
		l.wanted = 0
		f.wake(sender, out, max(when, f.q.Now()))
	}
}

// appendDrain appends to a list of drains.
func (f *PacketFabric) appendDrain(first, last *uint32, d drain) {
	id := f.spare
	if id == 0 {
		f.drains = append(f.drains, drain{})
		id = uint32(len(f.drains) - 1)
	} else {
		f.spare = f.drains[id].next
	}
	f.drains[id] = d
	if *first == 0 {
		*first = id
	} else {
		f.drains[*last].next = id
	}
	*last = id
}

func (f *PacketFabric) freeDrain(id uint32) {
	f.drains[id].next = f.spare
	f.spare = id
}
