package rma

import "slices"

// Message is a message that was sent with IPush.
type Message struct {
	From int
	Data []byte // valid until the next call of Receive
}

// Receiver assembles the arrivals of a process into messages, whatever the status of its rings:
// packets of several senders may interleave. It copies the data, so that the room in the rings is
// free again at once.
//
// While a Receiver is in use, nothing else may take arrivals of the process.
type Receiver struct {
	As Caching // how the processor reads the rings

	p     Process
	parts [][]byte // partial message from each sender
}

// NewReceiver returns a receiver for a process; it reads the rings as Cached.
func NewReceiver(p Process) *Receiver {
	return &Receiver{p: p, parts: make([][]byte, p.Size())}
}

// Receive returns the next complete message, and blocks until there is one. Messages of one sender
// come in the order in which it sent them. The error is that of Next or Take; after an error the
// receiver cannot be used further.
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
