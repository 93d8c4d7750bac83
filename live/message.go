package live

import (
	"encoding/binary"

	"musubi/live/wire"
	"musubi/nic/ring"
	"musubi/rma"
)

// loan is what NextInPlace has lent, until the program next waits or looks for something.
type loan struct {
	turn   int       // of the last sender, in the order of the group
	calm   int       // how often nothing but a message was looked for
	in     *inlet    // that the message has come by; nil: none
	bytes  int       // of the message, if it lies there; -1: its room was given back
	short  shortBody // copy of one whose room was given back
	data   []byte    // of a message in a frame
	stream *stream   // in whose frame the message lies; nil: none
	wanted bool      // a message in a frame may be lent
	placed bool      // a record of the receive rings is lent
	record ring.Record
	whole  []byte // copy of one that is in two pieces
}

// IPushCopy writes a message to the ring of its target, if nothing waits before it.
func (r *rank) IPushCopy(to int, head, data []byte) (bool, error) {
	if uint(to) >= uint(len(r.out)) {
		return false, r.checkRank(to)
	}
	o, n := &r.out[to], len(head)+len(data)
	switch {
	case !o.queue.isEmpty():
		return false, nil
	case o.stream != nil:
		copied := r.far.copyMessage(o.stream, head, data)
		o.head = o.stream.head
		return copied, nil
	case n > o.most || !o.writeCopy(head, data):
		return false, nil
	}
	r.spoken = o
	if o.fenced {
		r.job.wake(to)
	}
	return true, nil
}

// IPushWord is IPushCopy of a word and data, at less cost.
func (r *rank) IPushWord(to int, head uint64, data []byte) (bool, error) {
	if uint(to) >= uint(len(r.out)) || r.out[to].stream != nil {
		binary.LittleEndian.PutUint64(r.head[:], head)
		return r.IPushCopy(to, r.head[:], data)
	}
	o := &r.out[to]
	if !o.queue.isEmpty() || !o.writeWord(head, data) {
		return false, nil
	}
	r.spoken = o
	if o.fenced {
		r.job.wake(to)
	}
	return true, nil
}

// writeWord writes a message of a word and data to the common line, if it is short and all
// before it is known to have been taken, or to the ring, if there is room.
func (o *outlet) writeWord(head uint64, data []byte) bool {
	n := wordBytes + len(data)
	if n > len(shortBody{}) {
		return o.writeLong(head, data)
	}
	word := recordWord(wire.Message, n, o.back.acknowledged())
	if o.canSpeak() {
		o.speak(word, head, data)
		return true
	}
	return o.publishGrain(word, head, data)
}

// writeLong is writeWord of a message of several grains. It is faster than writeCopy, which
// copies a head of any length: 256 bytes take a tenth less.
func (o *outlet) writeLong(head uint64, data []byte) bool {
	n := wordBytes + len(data)
	if n > o.most {
		return false
	}
	body := o.reserve(n)
	if body == nil {
		return false
	}
	binary.LittleEndian.PutUint64(body, head)
	o.copier.copy(body[wordBytes:], data)
	o.publish(wire.Message, n)
	return true
}

// writeCopy writes a message of two parts in one record, if there is room.
func (o *outlet) writeCopy(head, data []byte) bool {
	n := len(head) + len(data)
	body := o.reserve(n)
	if body == nil {
		return false
	}
	o.copier.copy(body[copy(body, head):], data)
	o.publish(wire.Message, n)
	return true
}

// NextInPlace lends a message out of the ring of its sender, unless something that has come
// before it is in the receive rings.
func (r *rank) NextInPlace() (rma.Arrival, []byte, error) {
	if r.inbox.receiver == nil {
		if err := r.ready(); err != nil {
			return rma.Arrival{}, nil, err
		}
	}
	r.giveBack()
	if r.isCalm() {
		if data := r.glance(); data != nil {
			return rma.Arrival{From: r.loan.in.from, Bytes: len(data), Last: true}, data, nil
		}
	}
	return r.borrow()
}

// isCalm reports whether nothing but a message is waited for. It is false from time to time
// all the same, so that a rank that is never short of messages looks at everything.
func (r *rank) isCalm() bool {
	r.loan.calm++
	return r.loan.calm%batch != 0 && r.far == nil && r.queued == 0 && r.job.header.sleeps == 0 && !r.inbox.receiver.Pending()
}

// borrow is NextInPlace that looks at everything.
func (r *rank) borrow() (rma.Arrival, []byte, error) {
	for {
		if r.inbox.receiver.Pending() {
			r.resume()
			r.depart()
			a, data := r.lendPlaced()
			return a, data, nil
		}
		data, moved := r.lendFirst()
		if data != nil {
			r.resume()
			r.depart()
			return rma.Arrival{From: r.loan.in.from, Bytes: len(data), Last: true}, data, nil
		}
		if r.pollToLend() || moved {
			r.resume()
			if r.loan.stream != nil {
				r.depart()
				return rma.Arrival{From: r.loan.stream.peer, Bytes: len(r.loan.data), Last: true}, r.loan.data, nil
			}
		} else if err := r.idle(inNext); err != nil {
			r.resume()
			return rma.Arrival{}, nil, err
		} else if r.job.header.sleeps == 0 {
			if data := r.glance(); data != nil {
				r.resume()
				r.depart()
				return rma.Arrival{From: r.loan.in.from, Bytes: len(data), Last: true}, data, nil
			}
		}
	}
}

// glances is how often a rank looks for records only, before it looks at everything.
const glances = 16

// glance lends a message that comes within a moment: all else that a rank looks at
// while it waits takes longer than a record does to come. A rank that has just sent one does
// not look at once: it would take the line from the one who is about to answer there. It gets
// ready for its next message, too.
func (r *rank) glance() []byte {
	spoken := r.spoken
	if spoken != nil {
		r.spoken = nil
		pause()
	}
	turn := r.loan.turn
	for range glances {
		for range r.sources {
			if turn++; turn >= len(r.sources) {
				turn = 0
			}
			in := r.sources[turn]
			if in.isLined() {
				r.loan.turn = turn
				return r.lendLine(in)
			}
			if in.at(in.tail).Load() != 0 {
				data := r.lend(in)
				if r.loan.turn = turn; data == nil {
					r.loan.turn-- // lendFirst begins with this one
				}
				return data
			}
		}
		if spoken != nil && !spoken.prepare() {
			spoken = nil
		}
		pause()
	}
	return nil
}

// lendLine is lend of a record in the common line, before which there is none.
func (r *rank) lendLine(in *inlet) []byte {
	word, l := in.common.word.Load(), &r.loan
	n := wordBody(word)
	if n > in.longest {
		return nil
	}
	in.out.acknowledge(wordAcknowledgement(word))
	in.lines++
	l.short, l.in, l.bytes = in.common.body, in, -1
	return l.short[:n]
}

// lendFirst looks into the rings of all senders, from that on which is behind the one
// of the last message, for a message that can be lent. It takes what else it finds, and
// reports whether that was anything.
func (r *rank) lendFirst() (data []byte, moved bool) {
	l := &r.loan
	for range r.sources {
		if l.turn++; l.turn >= len(r.sources) {
			l.turn = 0
		}
		in := r.sources[l.turn]
		if !in.waits() {
			r.inform(in.from)
		} else if data := r.lend(in); data != nil {
			return data, moved
		} else if r.drain(in.from) {
			moved = true
		}
	}
	return nil, moved
}

// lend lends the next record of a ring, if that is a message that can be lent. A short one
// is copied, so that its sender knows from the answer that its room is free.
func (r *rank) lend(in *inlet) []byte {
	data := r.lendInPlace(in)
	if data == nil || len(data) > len(r.loan.short) {
		return data
	}
	l := &r.loan
	l.short = *in.short()
	r.giveBack()
	l.in, l.bytes = in, -1
	return l.short[:len(data)]
}

// lendInPlace is lend that copies nothing.
func (r *rank) lendInPlace(in *inlet) []byte {
	word := in.look()
	n := wordBody(word)
	if wordKind(word) != wire.Message || in.inPlace > 0 || n > in.longest {
		return nil
	}
	in.out.acknowledge(wordAcknowledgement(word))
	r.loan.in, r.loan.bytes = in, n
	return in.body(n)
}

// lendPlaced lends the first record of the receive rings.
func (r *rank) lendPlaced() (rma.Arrival, []byte) {
	rec, _ := r.inbox.receiver.Next()
	r.loan.placed, r.loan.record = true, rec
	data := r.inbox.memory(rec.Ring, rec.At[0])
	if rec.At[1].Bytes > 0 {
		r.loan.whole = append(append(r.loan.whole[:0], data...), r.inbox.memory(rec.Ring, rec.At[1])...)
		data = r.loan.whole
	}
	return rma.Arrival{From: int(rec.From), Bytes: rec.Bytes, Last: rec.Last, Record: rec.Number}, data
}

// pollToLend is poll that leaves what is in the rings there, for lendFirst, and may lend a
// message out of a frame.
func (r *rank) pollToLend() bool {
	r.loan.wanted = true
	moved := r.tend()
	r.loan.wanted = false
	return moved
}

// lendFrom lends a message out of a frame, if one is wanted and none that has come before
// it is in the receive rings.
func (r *rank) lendFrom(s *stream, data []byte) bool {
	l := &r.loan
	if !l.wanted || l.stream != nil || r.in[s.peer].inPlace > 0 || r.inbox.receiver.Pending() || r.refuse(s.peer, uint64(len(data))).Code != 0 {
		return false
	}
	l.stream, l.data = s, data
	return true
}

// lends reports whether there is a loan, which ends when this rank takes records.
func (r *rank) lends() bool { return r.loan.in != nil || r.loan.stream != nil || r.loan.placed }

// giveBack ends a loan.
func (r *rank) giveBack() {
	l := &r.loan
	switch {
	case l.in != nil:
		if l.bytes >= 0 && l.in.take(l.bytes) {
			r.job.wake(l.in.from)
		}
		l.in = nil
	case l.stream != nil:
		l.stream = nil
	case l.placed:
		_ = r.inbox.receiver.Release(l.record) // cannot fail: the record is held
		l.placed = false
	}
}

// inform lets a sender know what has been taken.
func (r *rank) inform(from int) {
	if r.in[from].flush() {
		r.job.wake(from)
	}
}

// takeWholeMessage appends a message to the receive ring of its sender, packet by packet.
// If there is no room it waits, and with it what its sender sends after it.
func (r *rank) takeWholeMessage(from int, in *inlet, body []byte) bool {
	if r.ready() != nil {
		return false // cannot be: the usual rings are such as a rank can have
	}
	if refused := r.refuse(from, uint64(len(body))); refused.Code != 0 {
		return in.fail(len(body), refused)
	}
	for last := false; !last; {
		n := min(Packet, len(body)-in.inPlace)
		last = in.inPlace+n == len(body)
		if !r.appendPacket(from, last, body[in.inPlace:][:n]) {
			return false
		}
		in.inPlace += n
	}
	in.inPlace = 0
	return true
}
