package mpi

import (
	"fmt"

	"musubi/mpi/internal/fault"
)

// epoch is what kind of epoch of accesses a rank is in.
type epoch uint8

const (
	noEpoch      epoch = iota
	fenceEpoch         // to all ranks, until the next Fence
	startEpoch         // to those that Start names
	lockEpoch          // to those that are locked
	lockAllEpoch       // to all
)

var epochNames = [...]string{
	noEpoch: "no epoch", fenceEpoch: "an epoch of Fence", startEpoch: "an epoch of Start",
	lockEpoch: "an epoch of Lock", lockAllEpoch: "an epoch of LockAll",
}

func (e epoch) String() string { return epochNames[e] }

// expectEpoch fails if the window cannot be used, or is in none of some epochs.
func (w *window) expectEpoch(call string, expected ...epoch) error {
	if err := w.check(call); err != nil {
		return err
	}
	for _, e := range expected {
		if w.epoch == e {
			return nil
		}
	}
	return w.failf(fault.RMASync, call, "this rank is in %v; expected %s", w.epoch, either(expected))
}

// either lists epochs.
func either(list []epoch) string {
	text := list[0].String()
	for _, e := range list[1:] {
		text += fmt.Sprintf(", or %v", e)
	}
	return text
}

// expectPassive fails outside the epochs of locks.
func (w *window) expectPassive(call string) error {
	return w.expectEpoch(call, lockEpoch, lockAllEpoch)
}

// begin begins an epoch. One of a fence ends if nothing has been accessed in it.
func (w *window) begin(call string, next epoch) error {
	if err := w.expectEpoch(call, noEpoch, fenceEpoch); err != nil {
		return err
	}
	if w.epoch == fenceEpoch && w.used {
		return w.failf(fault.RMASync, call, "this rank has accessed others since Fence; expected another Fence before")
	}
	w.epoch = next
	return nil
}

// enter lets this rank access another one, if it may: its first access to it, or one in
// an epoch of Fence.
func (w *window) enter(call string, to int) error {
	p := w.peer(to)
	switch w.epoch {
	case fenceEpoch:
		w.used = true
		return nil
	case lockAllEpoch:
		return w.acquire(call, p, sharedLock)
	}
	return w.failf(fault.RMASync, call, "access to rank %d in %v that does not allow it; expected Fence, Start, Lock or LockAll before", to, w.epoch)
}

// Fence ends the epoch in which all ranks may access each other, and begins the next.
// It returns when all ranks have called it, and all accesses of all are complete. The
// first one begins the first epoch; after one that no access follows, a rank may begin
// another kind of epoch. It fails with ErrRMASync in an epoch of another kind, and with
// the first error of this rank's accesses.
func (w *Window[T]) Fence() error {
	const call = "Fence"
	c := w.core()
	if err := c.expectEpoch(call, noEpoch, fenceEpoch); err != nil {
		return err
	}
	if c.posted != nil {
		return c.failf(fault.RMASync, call, "an epoch that Post has begun; expected Wait before")
	}
	err := c.flushAll(call)
	if failed := Barrier(c.c); err == nil {
		err = failed
	}
	c.epoch, c.used = fenceEpoch, false
	return err
}

// Post lets some ranks access this one, each in an epoch that it begins with Start and
// ends with Complete; Wait waits for that. It does not wait. It fails with ErrGroup if
// a rank is named twice, and with ErrRMASync before the Wait for the last Post.
func (w *Window[T]) Post(ranks ...int) error {
	const call = "Post"
	c := w.core()
	group, err := c.group(call, ranks)
	if err != nil {
		return err
	}
	if c.posted != nil {
		return c.failf(fault.RMASync, call, "an epoch that Post has begun; expected Wait before")
	}
	c.posted = group
	for _, p := range group {
		if err := p.tell(posted); err != nil {
			return c.fail(call, err)
		}
	}
	return nil
}

// Start begins an epoch in which this rank may access some others, when these have
// called Post with this one. It fails with ErrGroup if a rank is named twice, and with
// ErrRMASync in another epoch.
func (w *Window[T]) Start(ranks ...int) error {
	const call = "Start"
	c := w.core()
	group, err := c.group(call, ranks)
	if err != nil {
		return err
	}
	if err := c.begin(call, startEpoch); err != nil {
		return err
	}
	c.started = group
	for _, p := range group {
		for p.posted == 0 {
			if err := c.block(call, p); err != nil {
				return err
			}
		}
		p.posted--
		p.open = true
	}
	return nil
}

// Complete ends what Start has begun, when all accesses are complete at both ends. It
// fails with the first of their errors.
func (w *Window[T]) Complete() error {
	const call = "Complete"
	c := w.core()
	if err := c.expectEpoch(call, startEpoch); err != nil {
		return err
	}
	err := c.flushAll(call)
	for _, p := range c.started {
		p.open = false
		if failed := p.tell(completed); err == nil {
			err = c.fail(call, failed)
		}
	}
	c.started, c.epoch = nil, noEpoch
	return err
}

// Wait waits until all ranks that Post has named have called Complete. Then this rank
// sees what they have put.
func (w *Window[T]) Wait() error {
	const call = "Wait"
	c := w.core()
	if err := c.expectPost(call); err != nil {
		return err
	}
	for _, p := range c.posted {
		for p.completed == 0 {
			if err := c.block(call, p); err != nil {
				return err
			}
		}
	}
	c.endPost()
	return nil
}

// Test reports whether Wait would return at once. If so it has done what Wait does.
func (w *Window[T]) Test() (bool, error) {
	const call = "Test"
	c := w.core()
	if err := c.expectPost(call); err != nil {
		return false, err
	}
	if err := c.e.progress(); err != nil {
		return false, c.fail(call, err)
	}
	for _, p := range c.posted {
		if p.completed == 0 {
			c.e.lookedInVain()
			return false, nil
		}
	}
	c.endPost()
	return true, nil
}

func (w *window) expectPost(call string) error {
	if err := w.check(call); err != nil {
		return err
	}
	if w.posted == nil {
		return w.failf(fault.RMASync, call, "no epoch that Post has begun")
	}
	return nil
}

// endPost ends the epoch that Post has begun.
func (w *window) endPost() {
	for _, p := range w.posted {
		p.completed--
	}
	w.posted = nil
}

// group returns some ranks, of which none may be named twice. It is not nil without
// error.
func (w *window) group(call string, ranks []int) ([]*peer, error) {
	if err := w.check(call); err != nil {
		return nil, err
	}
	group := make([]*peer, 0, len(ranks))
	named := make(map[int]bool, len(ranks))
	for _, rank := range ranks {
		if rank < 0 || rank >= len(w.places) {
			return nil, w.failf(fault.Rank, call, "rank %d; expected 0 to %d", rank, len(w.places)-1)
		}
		if named[rank] {
			return nil, w.failf(fault.Group, call, "rank %d twice; expected each rank once", rank)
		}
		named[rank] = true
		group = append(group, w.peer(rank))
	}
	return group, nil
}
