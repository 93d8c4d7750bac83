package core

// Batch is the messages of an operation that goes on step by step: those that have been started
// and not been waited for.
type Batch struct {
	Of     stepper
	Whole  *Request // of the program
	Open   []*Request
	Left   int  // of these, not complete
	halted bool // the operation waits for them
}

// Message returns a request for a message.
func (b *Batch) Message(e *Engine) *Request {
	m := e.NewRequest()
	b.Open = append(b.Open, m)
	b.Left++
	return m
}

// completed is called when a message of the batch is complete.
func (b *Batch) completed(e *Engine) {
	b.Left--
	if b.Left == 0 && b.halted {
		e.steppers.ready = append(e.steppers.ready, b.Of)
	}
}

// MustWait reports whether the operation has to wait for messages, and halts it if so.
func (b *Batch) MustWait() bool {
	b.halted = b.Left > 0
	return b.halted
}

// Clear forgets the messages, which have been waited for and given back.
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
