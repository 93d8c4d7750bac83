package triggered

import (
	"errors"
	"slices"

	"musubi/mpi/internal/core"
)

// operations are the triggered operations of a process: a source of progress.
type operations struct {
	e      *core.Engine
	number int // of the source
	all    []*operation
	active []*operation
}

// operationsOf returns the triggered operations of a process.
func operationsOf(e *core.Engine) *operations {
	for _, x := range e.Sources.All {
		if l, ok := x.(*operations); ok {
			return l
		}
	}
	l := &operations{e: e}
	l.number = e.Sources.Add(l)
	return l
}

// add enters an operation that has been started.
func (l *operations) add(x *operation) {
	l.active = append(l.active, x)
	l.e.Sources.Set(l.number, true)
}

// forget removes one that is freed.
func (l *operations) forget(x *operation) {
	l.all = slices.DeleteFunc(l.all, func(other *operation) bool { return other == x })
}

// HasEvent reports whether Advance would find something to do.
func (l *operations) HasEvent() bool { return slices.ContainsFunc(l.active, (*operation).hasEvent) }

// Advance lets all operations advance, and reports whether one could.
func (l *operations) Advance() bool {
	moved := false
	l.active = slices.DeleteFunc(l.active, func(x *operation) bool {
		moved = x.advance() || moved
		return x.whole == nil
	})
	l.e.Sources.Set(l.number, len(l.active) > 0)
	return moved
}

// Pending returns the requests that are not complete.
func (l *operations) Pending() (list []*core.Request) {
	for _, x := range l.active {
		list = append(list, x.whole)
	}
	return list
}

// Free frees the operations of a communicator that are not under way, or all if it is nil.
func (l *operations) Free(c *core.Comm) error {
	var err error
	for _, x := range slices.Clone(l.all) {
		if x.whole == nil && (c == nil || &x.c.Comm == c) {
			err = errors.Join(err, x.Free())
		}
	}
	return err
}
