package rma

import "slices"

// Message is what an IPush has brought.
type Message struct {
	From int
	Data []byte // good until the next call of Receive
}

// Receiver makes messages of the arrivals of a process, whatever its rings tell of:
// packets of several senders may interleave. Data is copied, so that its room in
// the rings is free again at once.
//
// While a Receiver is used nothing else may take arrivals of the process.
type Receiver struct {
	As Caching // how the processor reads the rings

	p     Process
	parts [][]byte // what has come of a message from each sender
}

// NewReceiver returns a receiver for a process, which reads as Cached.
func NewReceiver(p Process) *Receiver {
	return &Receiver{p: p, parts: make([][]byte, p.Size())}
}

// Receive returns the message that is the next to be complete, and blocks until
// there is one. Messages of one sender come in the order in which it sent them. The
// error is that of Next or Take, after which the receiver is of no more use.
func (r *Receiver) Receive() (Message, error) {
	for {
		a, err := r.p.Next()
		if err != nil {
			return Message{}, err
		}
		have := len(r.parts[a.From])
		data := slices.Grow(r.parts[a.From], a.Bytes)[:have+a.Bytes]
		if err := r.p.Take(a, data[have:], r.As); err != nil {
			return Message{}, err
		}
		r.parts[a.From] = data
		if a.Last {
			r.parts[a.From] = data[:0]
			return Message{From: a.From, Data: data}, nil
		}
	}
}
