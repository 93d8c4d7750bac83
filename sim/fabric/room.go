package fabric

import (
	"musubi/sim/engine"
	"musubi/units"
)

// reserve takes room for a packet at the far end of a link. Where there is not
// enough it sees to it that the link is reconsidered as soon as there is.
func (f *PacketFabric) reserve(l *link, out uint32, p *packet) bool {
	need := f.need
	if need == 0 {
		need = p.flits
	}
	lane := &f.lanes[p.outLane]
	at := f.roomAt(lane, need, l.cable)
	if at <= f.q.Now() {
		lane.room -= p.flits
		return true
	}
	if at == units.Never {
		if lane.wanted == 0 || need < lane.wanted {
			lane.wanted = need
		}
		return false
	}
	f.wake(l, out, at)
	return false
}

// wake has a link reconsidered at a time, unless that is to happen earlier.
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
	for l.drain != 0 && f.drains[l.drain].end+delay <= now {
		d := &f.drains[l.drain]
		l.room += d.flits
		d.next, f.spare, l.drain = f.spare, l.drain, d.next
	}
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

// drainFrom notes that a packet leaves a lane, and wakes the sender if it waits
// for that.
func (f *PacketFabric) drainFrom(at uint32, d drain) {
	id := f.spare
	if id == 0 {
		f.drains = append(f.drains, drain{})
		id = uint32(len(f.drains) - 1)
	} else {
		f.spare = f.drains[id].next
	}
	f.drains[id] = d
	l := &f.lanes[at]
	if l.drain == 0 {
		l.drain = id
	} else {
		f.drains[l.lastDrain].next = id
	}
	l.lastDrain = id
	if l.wanted == 0 {
		return
	}
	out := at >> f.shift
	sender := &f.links[out]
	if when := f.roomAt(l, l.wanted, sender.cable); when != units.Never {
		l.wanted = 0
		f.wake(sender, out, max(when, f.q.Now()))
	}
}
