package neighbour

import (
	"errors"
	"slices"

	"musubi/mpi/internal/core"
	"musubi/rma"
)

// exchanges are the persistent neighbourhood operations of a process: a source of progress.
type exchanges struct {
	number   int                // of the source
	barriers rma.SharedBarriers // of the process, which tells who shares memory; nil: it has none
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

// add enters an operation that is started.
func (l *exchanges) add(x *exchange) {
	l.active = append(l.active, x)
	x.e.Sources.Set(l.number, true)
}

// HasNews reports whether one that is under way can go on, but for operations.
func (l *exchanges) HasNews() bool { return slices.ContainsFunc(l.active, (*exchange).hasNews) }

// forget removes one that is freed.
func (l *exchanges) forget(x *exchange) {
	l.all = slices.DeleteFunc(l.all, func(other *exchange) bool { return other == x })
}

// Free frees those of a communicator, or all if that is nil, but for what is under way.
func (l *exchanges) Free(c *core.Comm) error {
	var err error
	for _, x := range slices.Clone(l.all) {
		if x.stage == resting && (c == nil || &x.c.Comm == c) {
			err = errors.Join(err, x.Free())
		}
	}
	return err
}

// GoOn lets all go on as far as they can, and reports whether one has.
func (l *exchanges) GoOn() bool {
	if len(l.active) == 0 {
		return false
	}
	moved, left := false, l.active[:0]
	e := l.active[0].e
	for _, x := range l.active {
		moved = x.goOn() || moved
		if x.stage != resting {
			left = append(left, x)
		}
	}
	clear(l.active[len(left):])
	l.active = left
	e.Sources.Set(l.number, len(left) > 0)
	return moved
}

// Awaited appends operations whose end lets something go on.
func (l *exchanges) Awaited(list []rma.Op) []rma.Op {
	for _, x := range l.active {
		if x.hasAll() {
			list = append(list, x.ops[:min(watchedPushes, len(x.ops))]...)
		}
	}
	return list
}

// Pending returns the operations that are under way.
func (l *exchanges) Pending() (list []*core.Request) {
	for _, x := range l.active {
		list = append(list, x.whole)
	}
	return list
}
