package fabric

import "musubi/units"

// With stop-and-go flow control the sender of a lane does not count flits: it sends while it sees
// need flits of room at the receiver. The signal takes as long as the cable delays it, so it does
// not include the flits that have left within a round trip. need exceeds the largest packet by more
// than these flits, so every packet that starts finds room.

// slack returns how many flits can leave over a link until a stop comes back.
func (l *link) slack() int32 {
	trip, flit := 2*l.cable, (*l.times)[1]
	return int32((trip + flit - 1) / flit)
}

// goAt returns when the sender of a lane sees the need of its link as room, as
// far as is known now.
func (f *PacketFabric) goAt(l *link, ln *lane) units.Time {
	from := f.q.Now()
	f.settle(ln, l.cable)
	for s := ln.sent; s != 0 && f.drains[s].end+2*l.cable <= from; s = ln.sent {
		ln.sent = f.drains[s].next
		f.freeDrain(s)
	}
	seen := f.seenRoom(l, ln, from)
	if seen >= l.need {
		return from
	}
	for { // from one bend of the curve to the next
		to := f.nextBend(l, ln, from)
		if to == units.Never {
			return to
		}
		then := f.seenRoom(l, ln, to)
		if then >= l.need {
			rise := units.Time(then - seen)
			return from + (units.Time(l.need-seen)*(to-from)+rise-1)/rise
		}
		from, seen = to, then
	}
}

// seenRoom returns the room in a lane that its sender sees at a time, now or
// later, if no other packets come and go until then.
func (f *PacketFabric) seenRoom(l *link, ln *lane, at units.Time) int32 {
	room := ln.room
	for i := ln.drain; i != 0; i = f.drains[i].next {
		room += f.drains[i].gone(at - l.cable)
	}
	unseen := int32(0)
	for i := ln.sent; i != 0; i = f.drains[i].next {
		unseen += f.drains[i].flits - f.drains[i].gone(at-2*l.cable)
	}
	return room + min(unseen, l.need-int32(f.cfg.MaxPacket))
}

// nextBend returns the first time after another at which a packet begins or ends
// to change what the sender of a lane sees; Never if there is none.
func (f *PacketFabric) nextBend(l *link, ln *lane, after units.Time) units.Time {
	next := units.Never
	for _, list := range [2]struct {
		first uint32
		delay units.Time
	}{{ln.drain, l.cable}, {ln.sent, 2 * l.cable}} {
		for i := list.first; i != 0; i = f.drains[i].next {
			for _, at := range [2]units.Time{f.drains[i].start + list.delay, f.drains[i].end + list.delay} {
				if at > after {
					next = min(next, at)
				}
			}
		}
	}
	return next
}

// gone returns how many flits of a packet have left at a time.
func (d *drain) gone(at units.Time) int32 {
	switch {
	case at >= d.end:
		return d.flits
	case at <= d.start:
		return 0
	}
	return int32(units.Time(d.flits) * (at - d.start) / (d.end - d.start))
}
