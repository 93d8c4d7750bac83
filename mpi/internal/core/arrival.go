package core

import (
	"fmt"

	"musubi/internal/phantom"
	"musubi/internal/sparse"
	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/match"
	"musubi/rma"
)

// takeArrival waits for an arrival, and deals with the message that it completes.
func (e *Engine) takeArrival() error {
	if e.Messenger != nil {
		return e.takeInPlace()
	}
	a, err := e.Process.Next()
	if err != nil {
		return err
	}
	return e.take(a)
}

// take takes an arrival, and deals with the message that it completes.
func (e *Engine) take(a rma.Arrival) error {
	m := e.matchOf(a)
	b, into := e.room(a)
	if err := e.Process.Take(a, into, rma.Cached); err != nil {
		return err
	}
	if m.Compared {
		return e.fromProcess(a.From, e.compared(a, &m, b))
	}
	return e.arrived(a, b)
}

// room returns a buffer for what there will be of a message with an arrival, and where in it that goes.
func (e *Engine) room(a rma.Arrival) (b, into []byte) {
	have := e.begunBy(int32(a.From))
	model := have
	if e.payload != nil && have == nil {
		model = e.payload.Model(a)
	}
	b = e.grown(have, model, len(have)+a.Bytes)
	return b, b[len(have):]
}

// takeInPlace waits for an arrival like takeArrival, but leaves a whole message in the ring instead
// of copying it.
func (e *Engine) takeInPlace() error {
	a, data, err := e.Messenger.NextInPlace()
	if err != nil {
		return err
	}
	if err := e.arrivedInPlace(a, data); err != nil {
		return err
	}
	return e.takeFollowing(int32(a.From))
}

// mostFollowing is how many messages of one sender are taken before those of the next.
const mostFollowing = 32

// takeFollowing takes the messages behind one that has been taken, as long as there are posted
// receives.
func (e *Engine) takeFollowing(from int32) error {
	for range mostFollowing {
		if e.contexts.counts.Posted == 0 {
			return nil
		}
		data := e.Messenger.FollowingInPlace()
		if data == nil {
			return nil
		}
		if e.receiveEager(from, data) {
			continue
		}
		if err := e.fromProcess(int(from), e.Handle(from, data, nil)); err != nil {
			return err
		}
	}
	return nil
}

// arrivedInPlace deals with an arrival whose data lies in the ring.
func (e *Engine) arrivedInPlace(a rma.Arrival, data []byte) error {
	have := e.begunBy(int32(a.From))
	if a.Last && have == nil {
		if e.receiveEager(int32(a.From), data) {
			return nil
		}
		return e.fromProcess(a.From, e.Handle(int32(a.From), data, nil))
	}
	b := e.grown(have, nil, len(have)+len(data))
	copy(b[len(have):], data)
	return e.arrived(a, b)
}

// arrived deals with what has come of a message so far, in a buffer.
func (e *Engine) arrived(a rma.Arrival, b []byte) error {
	e.endBegun(int32(a.From))
	if !a.Last {
		if e.partial == nil {
			partial := sparse.New[[]byte](e.Size)
			e.partial = &partial
		}
		*e.partial.At(int32(a.From)) = b
		e.begun++
		return nil
	}
	return e.fromProcess(a.From, e.Handle(int32(a.From), b, b))
}

// begunBy returns what has come of a message of a process, nil if none has begun.
func (e *Engine) begunBy(process int32) []byte {
	if e.begun == 0 {
		return nil
	}
	if partial := e.partial.Known(process); partial != nil {
		return *partial
	}
	return nil
}

// endBegun forgets what has come of a message of a process, if one has begun.
func (e *Engine) endBegun(process int32) {
	if e.begunBy(process) != nil {
		*e.partial.At(process) = nil
		e.begun--
	}
}

// fromProcess adds to an error whose message it is about.
func (e *Engine) fromProcess(from int, err error) error {
	if err != nil {
		return fmt.Errorf("from process %d: %w", from, err)
	}
	return nil
}

// grown returns a buffer of n bytes, like model, with the contents of another one, which goes back
// to the pool if it is too small.
func (e *Engine) grown(have, model []byte, n int) []byte {
	if n <= cap(have) {
		return have[:n]
	}
	b := e.Buffers.Like(model, n)
	phantom.Copy(b, have)
	e.Buffers.Put(have)
	return b
}

// Handle deals with a whole message. It lies in a buffer of the pool, or, if buffer is nil, in the
// receive ring.
func (e *Engine) Handle(from int32, b, buffer []byte) error {
	v, data, err := envelope.Decode(b)
	if err != nil {
		return err
	}
	switch v.Kind {
	case envelope.Done, envelope.Failed, envelope.Revoked:
		e.Buffers.Put(buffer)
		return e.answered(from, &v)
	case envelope.Revoke:
		e.Buffers.Put(buffer)
		return e.giveBack(from, &v)
	case envelope.RevokeEager:
		e.Buffers.Put(buffer)
		return e.giveBackEager(from, &v)
	case envelope.ForWindow:
		err := e.toWindow(from, &v, data)
		e.Buffers.Put(buffer)
		return err
	}
	msg := match.Message{Fields: v, From: from, Data: data, Buffer: buffer}
	return e.arrive(&msg)
}

// toWindow gives a message to the window that it is for.
func (e *Engine) toWindow(from int32, v *envelope.Fields, body []byte) error {
	if e.Windows == nil {
		return NoWindow(v.Context)
	}
	return e.Windows.Take(from, v.Context, v.ID, body)
}

// NoWindow refuses a message for a window.
func NoWindow(context uint32) error {
	return fmt.Errorf("a message for window %d, which does not exist", context/2)
}

// arrive delivers a message to the posted receive that it matches, or adds a copy to the unexpected
// queue.
func (e *Engine) arrive(msg *match.Message) error {
	q := e.contexts.of(msg.Context)
	if r := q.Take(msg.From, msg.Tag); r != nil {
		return e.deliver(requestOf(r), msg)
	}
	kept := e.keep(msg)
	if kept.Buffer == nil && len(kept.Data) > 0 {
		kept.Buffer = e.Buffers.Get(len(kept.Data))
		copy(kept.Buffer, kept.Data)
		kept.Data = kept.Buffer
	}
	q.Add(kept)
	return nil
}

// keep returns a copy of a message for the unexpected queue.
func (e *Engine) keep(msg *match.Message) *match.Message {
	var kept *match.Message
	if last := len(e.spare.messages) - 1; last < 0 {
		kept = new(match.Message)
	} else {
		kept = e.spare.messages[last]
		e.spare.messages = e.spare.messages[:last]
	}
	*kept = *msg
	return kept
}

// freeMessage recycles a message that has been delivered.
func (e *Engine) freeMessage(msg *match.Message) {
	*msg = match.Message{}
	e.spare.messages = append(e.spare.messages, msg)
}
