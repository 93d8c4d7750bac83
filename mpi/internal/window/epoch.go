package window

import (
	"fmt"

	"musubi/mpi/internal/fault"
)

// epoch is the kind of access epoch that a rank is in.
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

// expectEpoch fails if the window cannot be used, or is in none of the expected epochs.
func (w *Window) expectEpoch(call string, expected ...epoch) error {
	if err := w.Check(call); err != nil {
		return err
	}
	for _, e := range expected {
		if w.epoch == e {
			return nil
		}
	}
	return w.failf(fault.RMASync, call, "this rank is in %v; expected %s", w.epoch, either(expected))
}

// either lists epochs for an error.
func either(list []epoch) string {
	text := list[0].String()
	for _, e := range list[1:] {
		text += fmt.Sprintf(", or %v", e)
	}
	return text
}

// expectPassive fails outside the epochs of locks.
func (w *Window) expectPassive(call string) error {
	return w.expectEpoch(call, lockEpoch, lockAllEpoch)
}

// begin begins an epoch. It ends an epoch of Fence in which nothing has been accessed.
func (w *Window) begin(call string, next epoch) error {
	if err := w.expectEpoch(call, noEpoch, fenceEpoch); err != nil {
		return err
	}
	if w.epoch == fenceEpoch && w.used {
		return w.failf(fault.RMASync, call, "this rank has accessed others since Fence; expected another Fence before")
	}
	w.epoch = next
	return nil
}

// enter prepares an access to a peer that is not open, which it returns: in an epoch of LockAll it acquires the lock.
func (w *Window) enter(call string, to int) (*peer, error) {
	p := w.peer(to)
	switch w.epoch {
	case fenceEpoch:
		w.used = true
		return p, nil
	case lockAllEpoch:
		return p, w.acquire(call, p, SharedLock)
	}
	return nil, w.failf(fault.RMASync, call, "access to rank %d in %v that does not allow it; expected Fence, Start, Lock or LockAll before", to, w.epoch)
}

// Fence is Window.Fence of package mpi.
func (w *Window) Fence(call string) error {
	if err := w.expectEpoch(call, noEpoch, fenceEpoch); err != nil {
		return err
	}
	if w.posted != nil {
		return w.failf(fault.RMASync, call, "an epoch that Post has begun; expected Wait before")
	}
	err := w.flushAll(call)
	if failed := w.C.Barrier("Barrier"); err == nil {
		err = failed
	}
	w.epoch, w.used = fenceEpoch, false
	return err
}

// Post is Window.Post of package mpi.
func (w *Window) Post(call string, ranks []int) error {
	group, err := w.group(call, ranks)
	if err != nil {
		return err
	}
	if w.posted != nil {
		return w.failf(fault.RMASync, call, "an epoch that Post has begun; expected Wait before")
	}
	w.posted = group
	for _, p := range group {
		if err := p.sendControl(posted); err != nil {
			return w.fail(call, err)
		}
	}
	return nil
}

// Start is Window.Start of package mpi.
func (w *Window) Start(call string, ranks []int) error {
	group, err := w.group(call, ranks)
	if err != nil {
		return err
	}
	if err := w.begin(call, startEpoch); err != nil {
		return err
	}
	w.started = group
	for _, p := range group {
		for p.posted == 0 {
			if err := w.block(call, p); err != nil {
				return err
			}
		}
		p.posted--
		p.open = true
	}
	return nil
}

// Complete is Window.Complete of package mpi.
func (w *Window) Complete(call string) error {
	if err := w.expectEpoch(call, startEpoch); err != nil {
		return err
	}
	err := w.flushAll(call)
	for _, p := range w.started {
		p.open = false
		if failed := p.sendControl(completed); err == nil {
			err = w.fail(call, failed)
		}
	}
	w.started, w.epoch = nil, noEpoch
	return err
}

// Wait is Window.Wait of package mpi.
func (w *Window) Wait(call string) error {
	if err := w.expectPost(call); err != nil {
		return err
	}
	for _, p := range w.posted {
		for p.completed == 0 {
			if err := w.block(call, p); err != nil {
				return err
			}
		}
	}
	w.endPost()
	return nil
}

// Test is Window.Test of package mpi.
func (w *Window) Test(call string) (bool, error) {
	if err := w.expectPost(call); err != nil {
		return false, err
	}
	if err := w.e.Progress(); err != nil {
		return false, w.fail(call, err)
	}
	for _, p := range w.posted {
		if p.completed == 0 {
			w.e.EndIdlePoll()
			return false, nil
		}
	}
	w.endPost()
	return true, nil
}

func (w *Window) expectPost(call string) error {
	if err := w.Check(call); err != nil {
		return err
	}
	if w.posted == nil {
		return w.failf(fault.RMASync, call, "no epoch that Post has begun")
	}
	return nil
}

// endPost ends the exposure epoch that Post has begun.
func (w *Window) endPost() {
	for _, p := range w.posted {
		p.completed--
	}
	w.posted = nil
}

// group returns the peers of some ranks. It fails if a rank is named twice, and is not nil without
// an error.
func (w *Window) group(call string, ranks []int) ([]*peer, error) {
	if err := w.Check(call); err != nil {
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
