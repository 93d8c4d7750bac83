package collective

import (
	"slices"

	"musubi/mpi/internal/core"
)

// turns is the operations of a communicator that use something which does one after the other: its
// multicast buffer, or its group of interfaces. The first operation exchanges what all ranks have
// to know of that.
type turns struct {
	state     exchangeState
	waiting   []*Operation
	hasResult func() bool // for the first of them
}

type exchangeState uint8

const (
	notExchanged exchangeState = iota
	exchanging
	exchanged
)

// enqueue lets an operation wait for its turn, and adds the steps that follow: those of the
// exchange, if there has been none, and the one that is taken in its turn. A rank alone needs none.
func (r *Operation) enqueue(t *turns, exchange func(), then uint8) {
	if r.C.Size() == 1 {
		r.buildByMessages()
		return
	}
	t.waiting = append(t.waiting, r)
	if t.state == notExchanged {
		t.state = exchanging
		exchange()
	}
	r.Schedule.Call(then, nil, nil)
}

// byMessages replaces an algorithm by interfaces or multicast by one by messages.
func (r *Operation) byMessages() {
	if otherwise := r.Algorithm.Otherwise; otherwise != nil {
		r.Algorithm = otherwise(&r.Arguments, r.C.Size())
	}
}

// buildByMessages adds the steps of such an algorithm.
func (r *Operation) buildByMessages() {
	r.byMessages()
	r.Algorithm.Build(&r.Schedule, r.Arguments)
}

// isFirst reports whether it is the turn of an operation.
func (t *turns) isFirst(r *Operation) bool { return t.waiting[0] == r }

// next ends the turn of the first operation, and lets the next one advance.
func (t *turns) next() {
	t.waiting = slices.Delete(t.waiting, 0, 1)
	if len(t.waiting) > 0 {
		t.advance()
	}
}

// advance lets the first operation advance.
func (t *turns) advance() { t.waiting[0].C.Engine.Advance(t.waiting[0]) }

// awaited is a source of progress: queues whose first operation waits for a result.
type awaited struct {
	engine *core.Engine
	number int // of the source
	queues []*turns
}

// await adds a queue.
func (a *awaited) await(t *turns) {
	a.queues = append(a.queues, t)
	a.engine.Sources.Set(a.number, true)
}

// forget removes a queue whose result has been taken.
func (a *awaited) forget(t *turns) {
	a.queues = slices.DeleteFunc(a.queues, func(other *turns) bool { return other == t })
	a.engine.Sources.Set(a.number, len(a.queues) > 0)
}

func hasResult(t *turns) bool { return t.hasResult() }

// HasEvent reports whether there is a result.
func (a *awaited) HasEvent() bool { return slices.ContainsFunc(a.queues, hasResult) }

// Advance lets operations advance whose result is there.
func (a *awaited) Advance() bool {
	i := slices.IndexFunc(a.queues, hasResult)
	if i < 0 {
		return false
	}
	a.queues[i].advance()
	a.Advance()
	return true
}

// Pending returns the operations in the queues.
func (a *awaited) Pending() (list []*core.Request) {
	for _, t := range a.queues {
		for _, r := range t.waiting {
			list = append(list, r.messages.Whole)
		}
	}
	return list
}

// Free does nothing: communicators give back themselves what the operations use.
func (a *awaited) Free(*core.Comm) error { return nil }
