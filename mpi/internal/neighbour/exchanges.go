package neighbour

import (
	"errors"
	"slices"

	"musubi/mpi/internal/core"
	"musubi/rma"
)

// exchanges is the source of progress of the persistent neighbourhood operations of a process.
type exchanges struct {
	number   int                // of the source
	barriers rma.SharedBarriers // the process, which knows who shares its memory; nil: it has none
	all      []*exchange
	active   []*exchange // that have been started and are not complete
}

// exchangesOf returns the exchanges of a process.
func exchangesOf(e *core.Engine) *exchanges {
	for _, x := range e.Sources.All {
		if l, ok := x.(*exchanges); ok {
			return l
		}
	}
	l := new(exchanges)
	l.barriers, _ = e.Process.(rma.SharedBarriers)
	l.number = e.Sources.Add(l)
	return l
}

// add adds an operation that is started.
func (l *exchanges) add(x *exchange) {
	l.active = append(l.active, x)
	x.e.Sources.Set(l.number, true)
}

// HasEvent reports whether an active operation has an event.
func (l *exchanges) HasEvent() bool { return slices.ContainsFunc(l.active, (*exchange).hasEvent) }

// forget removes an operation that is freed.
func (l *exchanges) forget(x *exchange) {
	l.all = slices.DeleteFunc(l.all, func(other *exchange) bool { return other == x })
}

// Free frees the operations of a communicator, of all if it is nil, except those under way.
func (l *exchanges) Free(c *core.Comm) error {
	var err error
	for _, x := range slices.Clone(l.all) {
		if x.stage == idle && (c == nil || &x.c.Comm == c) {
			err = errors.Join(err, x.Free())
		}
	}
	return err
}

// Advance advances all active operations, and reports whether one could.
func (l *exchanges) Advance() bool {
	if len(l.active) == 0 {
		return false
	}
	moved, left := false, l.active[:0]
	e := l.active[0].e
	for _, x := range l.active {
		moved = x.advance() || moved
		if x.stage != idle {
			left = append(left, x)
		}
	}
	clear(l.active[len(left):])
	l.active = left
	e.Sources.Set(l.number, len(left) > 0)
	return moved
}

// Awaited appends the pushes to wait for.
func (l *exchanges) Awaited(list []rma.Op) []rma.Op {
	for _, x := range l.active {
		if x.hasAll() {
			list = append(list, x.ops[:min(mostAwaited, len(x.ops))]...)
		}
	}
	return list
}

// Pending returns the active operations.
func (l *exchanges) Pending() (list []*core.Request) {
	for _, x := range l.active {
		list = append(list, x.whole)
	}
	return list
}
