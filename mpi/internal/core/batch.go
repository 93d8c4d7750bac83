package core

import (
	"slices"

	"musubi/mpi/internal/match"
	"musubi/rma"
)

// Batch is the messages that an operation of several steps has started and not yet waited for.
type Batch struct {
	Open      []*Request
	few       [2]*Request
	Left      int      // of Open, and of those that are expected, not complete
	halted    bool     // the operation waits until Left is 0
	ended     *Request // the last of those expected that is complete; its caller may still use it
	Operation stepper
	Whole     *Request // of the operation, which the program has

	expected match.Expected  // messages to receive, of which there are very many
	Strand   rma.Strand      // of the operation, if messages are recorded
	dropped  []rma.Recording // of messages that have been dropped since it last waited
}

// Expecter makes the requests of messages that are expected, by MessageExpected, when they come.
type Expecter interface {
	match.Expecter
	explainer
	Batch() *Batch // of the messages
}

// Message returns a request for a message.
func (b *Batch) Message(e *Engine) *Request {
	m := e.NewRequest()
	if b.Open == nil {
		b.Open = b.few[:0]
	}
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

// CanExpect reports whether Expect may take the place of receives: nobody has to know of each before its message comes.
func (e *Engine) CanExpect() bool { return e.offers.matcher == nil && !e.Records() }

// HasUnexpected reports whether a message has come in a context for which there is no receive.
func (e *Engine) HasUnexpected(context uint32) bool { return e.contexts.of(context).HasUnexpected() }

// ReceiveCome starts a receive if its message has come. It reports false if not; then the request is dropped.
func (b *Batch) ReceiveCome(m *Request) (bool, error) {
	found, err := m.Comm.Engine.receiveUnexpected(m.Comm.Engine.contexts.of(m.context), m)
	if !found {
		b.Left--
		b.Drop(m)
	}
	return found, err
}

// Expect starts to receive n messages with a tag in the context of collective operations of a communicator.
func (b *Batch) Expect(c *Comm, tag int32, n int, from Expecter) {
	if n == 0 {
		return
	}
	b.Left += n
	b.expected = match.Expected{Tag: tag, Left: n, From: from}
	c.Engine.contexts.of(c.Collective).Expect(&b.expected)
}

// MessageExpected returns a request for a message that is expected and has come.
func (b *Batch) MessageExpected(e *Engine) *Request {
	m := e.NewRequest()
	m.expected = true
	b.Open = append(b.Open, m)
	return m
}

// completed is called when a message of the batch is complete.
func (b *Batch) completed(m *Request) {
	b.Left--
	e := m.Comm.Engine
	if m.expected && m.Err == nil && m.Status.Bytes == len(m.Data) {
		b.end(e, m)
	}
	if b.Left == 0 && b.halted {
		e.steppers.ready = append(e.steppers.ready, b.Operation)
	}
}

// end forgets a message that was expected and has come as expected. It is recycled after the next one.
func (b *Batch) end(e *Engine, m *Request) {
	i := slices.Index(b.Open, m)
	b.Open = slices.Delete(b.Open, i, i+1)
	b.recycleEnded(e)
	b.ended = m
}

func (b *Batch) recycleEnded(e *Engine) {
	if b.ended != nil {
		e.Recycle(b.ended)
		b.ended = nil
	}
}

// MustWait reports whether messages are not complete. If so, the last of them makes the operation
// ready again.
func (b *Batch) MustWait() bool {
	b.halted = b.Left > 0
	return b.halted
}

// Clear forgets the messages, which are complete and recycled.
func (b *Batch) Clear(e *Engine) {
	b.recycleEnded(e)
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
	if b.expected.Left > 0 {
		return b.expected.From.(Expecter).ExplainPeer()
	}
	return ""
}
