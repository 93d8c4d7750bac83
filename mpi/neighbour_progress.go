package mpi

import (
	"errors"
	"slices"

	"musubi/rma"
)

// exchanges is the persistent neighbourhood operations of a process.
type exchanges struct {
	all    []*exchange
	active []*exchange // that have been started and are not complete
	ops    []rma.Op    // that are being waited for
}

// add enters an operation that is started.
func (l *exchanges) add(x *exchange) { l.active = append(l.active, x) }

// hasNews reports whether one that is under way can go on, but for operations.
func (l *exchanges) hasNews() bool { return slices.ContainsFunc(l.active, (*exchange).hasNews) }

// forget removes one that is freed.
func (l *exchanges) forget(x *exchange) {
	l.all = slices.DeleteFunc(l.all, func(other *exchange) bool { return other == x })
}

// free frees those of a communicator, or all if that is nil, but for what is under way.
func (l *exchanges) free(c *Comm) error {
	var err error
	for _, x := range slices.Clone(l.all) {
		if x.stage == resting && (c == nil || x.c == c) {
			err = errors.Join(err, x.free())
		}
	}
	return err
}

// goOnExchanges lets all go on as far as they can, and reports whether one has.
func (e *engine) goOnExchanges() bool {
	moved, left := false, e.exchanges.active[:0]
	for _, x := range e.exchanges.active {
		moved = x.goOn() || moved
		if x.stage != resting {
			left = append(left, x)
		}
	}
	clear(e.exchanges.active[len(left):])
	e.exchanges.active = left
	return moved
}

// blockForNews is block while some are under way, interfaces do other operations, or
// multicasts are to come.
func (e *engine) blockForNews() error {
	if e.goOnTeams() || e.goOnLandings() || e.goOnExchanges() {
		return nil
	}
	l := &e.exchanges
	l.ops = l.ops[:0]
	for _, r := range e.pulls[:min(watched, len(e.pulls))] {
		l.ops = append(l.ops, r.pull)
	}
	for _, x := range l.active {
		if x.hasAll() {
			l.ops = append(l.ops, x.ops[:min(watched, len(x.ops))]...)
		}
	}
	if err := e.p.AwaitUntil(e.news, l.ops...); err != nil || e.goOnTeams() || e.goOnLandings() {
		return err
	}
	return e.progress()
}
