package packet

import "musubi/units"

// With stop-and-go flow control the sender of a lane does not count flits: it sends while it sees
// need flits of room at the receiver. The signal takes as long as the cable delays it, so it does
// not include the flits that have left within a round trip. need exceeds the largest packet by more
// than these flits, so every packet that starts finds room.

// slack returns how many flits can leave over a link until a stop comes back.
func (k *kind) slack() int32 {
	trip, flit := 2*k.cable, k.times[1]
	return int32((trip + flit - 1) / flit)
}

// goAt returns when the sender of a lane sees the need of its link as room, as
// far as is known now.
func (f *Fabric) goAt(k *kind, at uint32) units.Time {
	ln, sent := &f.lanes[at], &f.sent[at]
	from := f.q.Now()
	f.settle(ln, k.cable)
	for sent.first.flits != 0 && sent.first.end+2*k.cable <= from {
		f.drop(sent)
	}
	seen := f.seenRoom(k, ln, sent, from)
	if seen >= k.need {
		return from
	}
	for { // from one bend of the curve to the next
		to := f.nextBend(k, ln, sent, from)
		if to == units.Never {
			return to
		}
		then := f.seenRoom(k, ln, sent, to)
		if then >= k.need {
			rise := units.Time(then - seen)
			return from + (units.Time(k.need-seen)*(to-from)+rise-1)/rise
		}
		from, seen = to, then
	}
}

// seenRoom returns the room in a lane that its sender sees at a time, now or
// later, if no other packets come and go until then.
func (f *Fabric) seenRoom(k *kind, ln *lane, sent *drainList, at units.Time) int32 {
	room := ln.room
	for d := ln.drains.oldest(); d != nil; d = f.after(d) {
		room += d.gone(at - k.cable)
	}
	unseen := int32(0)
	for d := sent.oldest(); d != nil; d = f.after(d) {
		unseen += d.flits - d.gone(at-2*k.cable)
	}
	return room + min(unseen, k.need-int32(f.cfg.MaxPacket))
}

// nextBend returns the first time after another at which a packet begins or ends
// to change what the sender of a lane sees; Never if there is none.
func (f *Fabric) nextBend(k *kind, ln *lane, sent *drainList, after units.Time) units.Time {
	next := units.Never
	for _, list := range [2]struct {
		first *drain
		delay units.Time
	}{{ln.drains.oldest(), k.cable}, {sent.oldest(), 2 * k.cable}} {
		for d := list.first; d != nil; d = f.after(d) {
			for _, at := range [2]units.Time{d.start + list.delay, d.end + list.delay} {
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
