package rank

import (
	"encoding/binary"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/nic/ring"
	"musubi/rma"
)

// zeroCopy is the state of zero-copy receive: the program reads the message that NextInPlace has
// returned where it lies, until it next waits or looks for something.
type zeroCopy struct {
	last   int           // index of the sender of the last message, in sources
	looks  int           // how often nothing but a message was looked for
	in     *inlet        // that the message has come by; nil: none
	bytes  int           // of the message, if it lies there; -1: its room is free again
	short  shm.ShortBody // copy of one whose room is free again
	data   []byte        // of a message in a frame
	frame  *inlet        // in a frame of which the message lies; nil: none
	wanted bool          // a message in a frame may be returned
	placed bool          // the message is a record of the receive rings
	record ring.Record
	whole  []byte // copy of one that is in two pieces
}

// IPushCopy writes a message to the ring of its target, if nothing waits before it.
func (r *Rank) IPushCopy(to int, head, data []byte) (bool, error) {
	if uint(to) >= uint(len(r.out)) {
		return false, r.checkRank(to)
	}
	o := &r.out[to]
	if !o.queue.isEmpty() || !o.way.WriteMessage(head, data) {
		return false, nil
	}
	r.lastPeer = o.ring
	return true, nil
}

// IPushWord is IPushCopy of a word and data, at less cost.
func (r *Rank) IPushWord(to int, head uint64, data []byte) (bool, error) {
	if uint(to) >= uint(len(r.out)) || r.out[to].ring == nil {
		binary.LittleEndian.PutUint64(r.head[:], head)
		return r.IPushCopy(to, r.head[:], data)
	}
	o := &r.out[to]
	if !o.queue.isEmpty() || !o.ring.WriteWord(head, data) {
		return false, nil
	}
	r.lastPeer = o.ring
	return true, nil
}

// NextInPlace returns a message in the ring of its sender, unless something that has come
// before it is in the receive rings.
func (r *Rank) NextInPlace() (rma.Arrival, []byte, error) {
	if r.inbox.receiver == nil {
		if err := r.ready(); err != nil {
			return rma.Arrival{}, nil, err
		}
	}
	r.releaseMessage()
	if r.onFastPath() {
		if data := r.peek(); data != nil {
			return rma.Arrival{From: r.zeroCopy.in.from, Bytes: len(data), Last: true}, data, nil
		}
	}
	return r.nextInPlace()
}

// onFastPath reports whether nothing but a message is waited for. It is false from time to time
// all the same, so that a rank that is never short of messages looks at everything.
func (r *Rank) onFastPath() bool {
	r.zeroCopy.looks++
	return r.zeroCopy.looks%batch != 0 && r.far == nil && r.queued == 0 && r.job.Header.Sleeps == 0 && !r.inbox.receiver.Pending()
}

// nextInPlace is NextInPlace that looks at everything.
func (r *Rank) nextInPlace() (rma.Arrival, []byte, error) {
	for {
		if r.inbox.receiver.Pending() {
			r.resume()
			r.depart()
			a, data := r.receivePlaced()
			return a, data, nil
		}
		data, moved := r.receiveFirst()
		if data != nil {
			r.resume()
			r.depart()
			return rma.Arrival{From: r.zeroCopy.in.from, Bytes: len(data), Last: true}, data, nil
		}
		if r.pollButRings() || moved {
			r.resume()
			if r.zeroCopy.frame != nil {
				r.depart()
				return rma.Arrival{From: r.zeroCopy.frame.from, Bytes: len(r.zeroCopy.data), Last: true}, r.zeroCopy.data, nil
			}
		} else if err := r.idle(shm.InNext); err != nil {
			r.resume()
			return rma.Arrival{}, nil, err
		} else if r.job.Header.Sleeps == 0 {
			if data := r.peek(); data != nil {
				r.resume()
				r.depart()
				return rma.Arrival{From: r.zeroCopy.in.from, Bytes: len(data), Last: true}, data, nil
			}
		}
	}
}

// peekRounds is how often a rank looks for records only, before it looks at everything.
const peekRounds = 16

// peek returns a message that comes within a moment: all else that a rank looks at
// while it waits takes longer than a record does to come. A rank that has just sent one does
// not look at once: it would take the line from the one who is about to answer there. It gets
// ready for its next message, too.
func (r *Rank) peek() []byte {
	peer := r.lastPeer
	if peer != nil {
		r.lastPeer = nil
		shm.Pause()
	}
	turn := r.zeroCopy.last
	for range peekRounds {
		for range r.sources {
			if turn++; turn >= len(r.sources) {
				turn = 0
			}
			in := r.sources[turn]
			if in.ring.In.IsLined() {
				r.zeroCopy.last = turn
				return r.receiveCommon(in)
			}
			if in.ring.In.HasRecord() {
				data := r.receiveNext(in)
				if r.zeroCopy.last = turn; data == nil {
					r.zeroCopy.last-- // receiveFirst begins with this one
				}
				return data
			}
		}
		if peer != nil && !peer.Prepare() {
			peer = nil
		}
		shm.Pause()
	}
	return nil
}

// receiveCommon returns a record in the common cache line, before which there is none.
func (r *taker) receiveCommon(in *inlet) []byte {
	l, reader := &r.zeroCopy, &in.ring.In
	word := reader.Common.Word.Load()
	n := shm.WordBody(word)
	if n > in.longest {
		return nil
	}
	in.ring.Out.Acknowledge(shm.WordAcknowledgement(word))
	reader.Lines++
	l.short, l.in, l.bytes = reader.Common.Body, in, -1
	return l.short[:n]
}

// receiveFirst looks into the rings of all senders, from that on which is behind the one
// of the last message, for a message to return in place. It takes what else it finds, and
// reports whether that was anything.
func (r *taker) receiveFirst() (data []byte, moved bool) {
	l := &r.zeroCopy
	for range r.sources {
		if l.last++; l.last >= len(r.sources) {
			l.last = 0
		}
		in := r.sources[l.last]
		if !in.ring.In.Waits() {
			in.ring.Inform()
		} else if data := r.receiveNext(in); data != nil {
			return data, moved
		} else if r.drain(in) {
			moved = true
		}
	}
	return nil, moved
}

// receiveNext returns the next record of a ring, if that is a message of which nothing was taken
// yet. A short one is copied, so that its sender knows from the answer that its room is free.
func (r *taker) receiveNext(in *inlet) []byte {
	data := r.receiveInPlace(in)
	if data == nil || len(data) > len(r.zeroCopy.short) {
		return data
	}
	l := &r.zeroCopy
	l.short = *in.ring.In.Short()
	r.releaseMessage()
	l.in, l.bytes = in, -1
	return l.short[:len(data)]
}

// receiveInPlace is receiveNext that copies nothing.
func (r *taker) receiveInPlace(in *inlet) []byte {
	word := in.ring.In.Look()
	n := shm.WordBody(word)
	if shm.WordKind(word) != wire.Message || in.inPlace > 0 || n > in.longest {
		return nil
	}
	in.ring.Out.Acknowledge(shm.WordAcknowledgement(word))
	r.zeroCopy.in, r.zeroCopy.bytes = in, n
	return in.ring.In.Body(n)
}

// receivePlaced returns the first record of the receive rings in place.
func (r *taker) receivePlaced() (rma.Arrival, []byte) {
	rec, _ := r.inbox.receiver.Next()
	r.zeroCopy.placed, r.zeroCopy.record = true, rec
	data := r.inbox.memory(rec.Ring, rec.At[0])
	if rec.At[1].Bytes > 0 {
		r.zeroCopy.whole = append(append(r.zeroCopy.whole[:0], data...), r.inbox.memory(rec.Ring, rec.At[1])...)
		data = r.zeroCopy.whole
	}
	return rma.Arrival{From: int(rec.From), Bytes: rec.Bytes, Last: rec.Last, Record: rec.Number}, data
}

// pollButRings is poll that leaves what is in the rings there, for receiveFirst, and may return a
// message in a frame.
func (r *Rank) pollButRings() bool {
	r.zeroCopy.wanted = true
	moved := r.tend()
	r.zeroCopy.wanted = false
	return moved
}

// receiveFromFrame returns a message in a frame, if one is wanted and none that has come before
// it is in the receive rings.
func (r *taker) receiveFromFrame(in *inlet, data []byte) bool {
	l := &r.zeroCopy
	if !l.wanted || l.frame != nil || in.inPlace > 0 || r.inbox.receiver.Pending() || r.refuse(in.from, uint64(len(data))).Code != 0 {
		return false
	}
	l.frame, l.data = in, data
	return true
}

// holdsMessage reports whether the program still has a message in place. It loses that when this
// rank takes records.
func (r *taker) holdsMessage() bool {
	return r.zeroCopy.in != nil || r.zeroCopy.frame != nil || r.zeroCopy.placed
}

// releaseMessage frees the room of the message that the program has in place.
func (r *taker) releaseMessage() {
	if r.holdsMessage() {
		r.release()
	}
}

// release is releaseMessage of a program that has one.
func (r *taker) release() {
	l := &r.zeroCopy
	switch {
	case l.in != nil:
		if l.bytes >= 0 && l.in.ring.In.Take(l.bytes) {
			r.job.Wake(l.in.from)
		}
		l.in = nil
	case l.frame != nil:
		l.frame = nil
	case l.placed:
		_ = r.inbox.receiver.Release(l.record) // cannot fail: the record is held
		l.placed = false
	}
}

// takeWholeMessage appends a message to the receive ring of its sender, packet by packet.
// If there is no room it waits, and with it what its sender sends after it.
func (r *taker) takeWholeMessage(from int, in *inlet, body []byte) bool {
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
