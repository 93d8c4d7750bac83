package mpi

import (
	"fmt"

	"musubi/mpi/internal/envelope"
	"musubi/rma"
)

// takeArrival waits for an arrival, and deals with the message that it completes.
func (e *engine) takeArrival() error {
	if e.messenger != nil {
		return e.borrowArrival()
	}
	a, err := e.p.Next()
	if err != nil {
		return err
	}
	have := *e.partial.At(int32(a.From))
	b := e.grown(have, len(have)+a.Bytes)
	if err := e.p.Take(a, b[len(have):], rma.Cached); err != nil {
		return err
	}
	return e.arrived(a, b)
}

// borrowArrival is takeArrival that does not copy messages that are there as a whole.
func (e *engine) borrowArrival() error {
	a, data, err := e.messenger.NextInPlace()
	if err != nil {
		return err
	}
	if err := e.borrowed(a, data); err != nil {
		return err
	}
	return e.follow(int32(a.From))
}

// followed is how many messages of one sender are taken before those of the next.
const followed = 32

// follow takes what has come behind a message, while receives wait for messages.
func (e *engine) follow(from int32) error {
	for range followed {
		if e.counts.posted == 0 {
			return nil
		}
		data := e.messenger.FollowingInPlace()
		if data == nil {
			return nil
		}
		if e.receiveEager(from, data) {
			continue
		}
		if err := e.fromProcess(int(from), e.handle(from, data, nil)); err != nil {
			return err
		}
	}
	return nil
}

// borrowed deals with an arrival that is lent.
func (e *engine) borrowed(a rma.Arrival, data []byte) error {
	have := *e.partial.At(int32(a.From))
	if a.Last && have == nil {
		if e.receiveEager(int32(a.From), data) {
			return nil
		}
		return e.fromProcess(a.From, e.handle(int32(a.From), data, nil))
	}
	b := e.grown(have, len(have)+len(data))
	copy(b[len(have):], data)
	return e.arrived(a, b)
}

// arrived deals with what has come of a message so far, in a buffer.
func (e *engine) arrived(a rma.Arrival, b []byte) error {
	partial := e.partial.At(int32(a.From))
	if *partial != nil {
		e.begun--
	}
	if *partial = nil; !a.Last {
		*partial = b
		e.begun++
		return nil
	}
	return e.fromProcess(a.From, e.handle(int32(a.From), b, b))
}

// fromProcess says whose message an error is about.
func (e *engine) fromProcess(from int, err error) error {
	if err != nil {
		return fmt.Errorf("from process %d: %w", from, err)
	}
	return nil
}

// grown returns a buffer of n bytes that begins with what another has, which it
// replaces.
func (e *engine) grown(have []byte, n int) []byte {
	if n <= cap(have) {
		return have[:n]
	}
	b := e.buffers.Get(n)
	copy(b, have)
	e.buffers.Put(have)
	return b
}

// handle deals with a whole message. It is in a buffer, or borrowed.
func (e *engine) handle(from int32, b, buffer []byte) error {
	v, data, err := envelope.Decode(b)
	if err != nil {
		return err
	}
	switch v.Kind {
	case envelope.Done, envelope.Failed:
		e.buffers.Put(buffer)
		return e.answered(from, &v)
	case envelope.ForWindow:
		err := e.toWindow(from, &v, data)
		e.buffers.Put(buffer)
		return err
	}
	msg := message{Fields: v, from: from, data: data, buffer: buffer}
	return e.arrive(&msg)
}

// arrive gives a message to the receive that it matches, or keeps a copy of it.
func (e *engine) arrive(msg *message) error {
	m := e.matcher(msg.Context)
	if r := m.take(msg.from, msg.Tag); r != nil {
		return e.deliver(r, msg)
	}
	kept := e.newMessage()
	*kept = *msg
	if kept.buffer == nil && len(kept.data) > 0 {
		kept.buffer = e.buffers.Get(len(kept.data))
		copy(kept.buffer, kept.data)
		kept.data = kept.buffer
	}
	m.add(kept)
	return nil
}

func (e *engine) newMessage() *message {
	last := len(e.messages) - 1
	if last < 0 {
		return new(message)
	}
	msg := e.messages[last]
	e.messages = e.messages[:last]
	return msg
}

// freeMessage gives back a message that has been delivered.
func (e *engine) freeMessage(msg *message) {
	*msg = message{}
	e.messages = append(e.messages, msg)
}
