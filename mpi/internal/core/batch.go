package core

import "musubi/rma"

// Batch is the messages that an operation of several steps has started and not yet waited for.
type Batch struct {
	Operation stepper
	Whole     *Request // of the operation, which the program has
	Open      []*Request
	Left      int  // of Open, not complete
	halted    bool // the operation waits until Left is 0

	Strand  rma.Strand      // of the operation, if messages are recorded
	dropped []rma.Recording // of messages that have been dropped since it last waited
}

// Message returns a request for a message.
func (b *Batch) Message(e *Engine) *Request {
	m := e.NewRequest()
	b.Open = append(b.Open, m)
	b.Left++
	return m
}

// Drop forgets and recycles the last message, which is complete.
func (b *Batch) Drop(m *Request) {
	if m.recording != 0 {
		b.dropped = append(b.dropped, m.recording)
	}
	last := len(b.Open) - 1
	b.Open[last] = nil
	b.Open = b.Open[:last]
	m.Comm.Engine.Recycle(m)
}

// completed is called when a message of the batch is complete.
func (b *Batch) completed(e *Engine) {
	b.Left--
	if b.Left == 0 && b.halted {
		e.steppers.ready = append(e.steppers.ready, b.Operation)
	}
}

// MustWait reports whether messages are not complete. If so, the last of them makes the operation
// ready again.
func (b *Batch) MustWait() bool {
	b.halted = b.Left > 0
	return b.halted
}

// Clear forgets the messages, which are complete and recycled.
func (b *Batch) Clear() {
	clear(b.Open)
	b.Open = b.Open[:0]
}

// ExplainPeer names the first rank that the operation waits for.
func (b *Batch) ExplainPeer() string {
	for _, m := range b.Open {
		if !m.Complete {
			return m.ExplainPeer(" for ")
		}
	}
	return ""
}
