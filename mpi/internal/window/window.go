// Package window is one-sided communication: memory that the ranks of a communicator let each
// other access, in epochs, with locks, and atomically where they combine elements.
package window

import (
	"errors"
	"slices"
	"sync/atomic"

	"musubi/internal/sparse"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// Window is memory of the ranks of a communicator that they let each other access.
type Window struct {
	State
	C            *collective.Comm // of its own
	e            *core.Engine
	all          *windows
	element      int // bytes of an element
	kind         reduction.Kind
	typeName     string // of elements
	typed        typed  // of a window of bytes: what is accessed
	Memory       []byte
	segment      int
	places       []extent             // by rank
	peers        sparse.Values[*peer] // by rank; nil: nothing yet
	working      []*peer              // for which flushAll may have something to do
	atomic       bool                 // elements are words that all ranks change by rma.Atomics
	near         []nearMemory         // by rank; nil: not all ranks reach that of all others
	fence        atomic.Uint32        // its change lets them
	locksInWords bool                 // which all ranks change by rma.Atomics
	shared       sharedMemory
	dynamic      *attached // nil: the memory of each rank is fixed
	Freed        bool

	locked  []*peer // whose locks this rank has in an epoch of LockAll, if memory is not near
	started []*peer
	posted  []*peer
	locks   locks     // of the memory of this rank, if it is not in words
	ownLock lockPlace // if it is

	waits access // describes what the window waits for
	runs  []run  // of the next message
}

// noSegment stands for memory that is not exposed.
const noSegment = -1

// extent describes the memory of one rank to all others.
type extent struct {
	Length  int // elements
	Segment int32
	Element int32 // bytes
	Kind    reduction.Kind
	Words   bool // the rank changes elements by rma.Atomics
	Near    bool // others that share memory with the rank reach it
	lock    lockPlace
}

// SetUp makes a window without memory, which can get messages.
func (w *Window) SetUp(c *collective.Comm, call string, element int, kind reduction.Kind, typeName string) error {
	own, err := c.Dup("Dup")
	if err != nil {
		return err
	}
	*w = Window{C: own, e: c.Engine, all: windowsOf(c.Engine), element: element, kind: kind, typeName: typeName, segment: noSegment, ownLock: lockPlace{segment: noSegment}, peers: sparse.New[*peer](c.Size())}
	w.shared.segment = noSegment
	own.Reserved = true
	w.all.add(w)
	return nil
}

// Expose lets others access memory.
func (w *Window) Expose(memory []byte) {
	w.Memory, w.segment = memory, w.e.Process.Expose(memory)
}

// Allocate exposes fresh memory: of the interface, if it takes pushes of any size.
func (w *Window) Allocate(call string, bytes int) error {
	segment, memory, err := w.e.Process.ExposeWindow(bytes)
	if err == nil {
		good, err := w.takesPushes(segment, len(memory))
		if err != nil {
			return w.fail(call, err)
		}
		if good {
			w.Memory, w.segment = memory, segment
			return nil
		}
		if err := w.e.Process.Withdraw(segment); err != nil {
			return w.fail(call, err)
		}
	}
	words := make([]uint64, max(1, (bytes+wordBytes-1)/wordBytes)) // aligned for all elements
	w.Expose(elements.Memory(words)[:bytes])
	return nil
}

// largestPacket is more than machines have that limit pushes to a packet, in bytes.
const largestPacket = 64 << 10

// takesPushes finds out whether fresh memory of the interface, which is all zero, takes pushes of
// more than a packet, by a push of zeros.
func (w *Window) takesPushes(segment, bytes int) (bool, error) {
	zeros := make([]byte, min(bytes, largestPacket))
	e := w.e
	op, err := e.Process.Push(rma.Address{Rank: e.Rank, Segment: segment}, zeros, rma.DMA)
	if err != nil {
		return false, nil
	}
	for {
		done, refused := e.Process.Test(op)
		if done || refused != nil {
			return refused == nil, nil
		}
		if err := e.Process.Await(op); err != nil {
			return false, err
		}
		if err := e.Progress(); err != nil {
			return false, err
		}
	}
}

// ExchangeExtents tells all ranks of the memory of each. Then they can access it.
func (w *Window) ExchangeExtents(call string) error {
	if w.dynamic != nil {
		return w.exchangeNothing()
	}
	mine := extent{Length: len(w.Memory) / w.element, Segment: int32(w.segment), Element: int32(w.element), Kind: w.kind, Words: w.all.atomics != nil && w.isOfWords(), lock: w.takeLock()}
	mine.Near = w.isNear()
	w.places = make([]extent, w.C.Size())
	if err := collective.AllGather(w.C, "AllGather", []extent{mine}, w.places); err != nil {
		return err
	}
	w.atomic = !slices.ContainsFunc(w.places, func(p extent) bool { return !p.Words })
	w.locksInWords = !slices.ContainsFunc(w.places, func(p extent) bool { return p.lock.segment == noSegment })
	for rank, p := range w.places {
		if p.Element != mine.Element || p.Kind != mine.Kind {
			return errors.Join(w.failf(fault.Type, call, "elements of %d bytes, and of %d bytes or another kind at rank %d; expected the same type", mine.Element, p.Element, rank), w.end(call))
		}
	}
	return w.findNear(call)
}

// Free ends the use of the window, when all ranks have called it and all accesses are done.
func (w *Window) Free(call string) error {
	if err := w.Check(call); err != nil {
		return err
	}
	if err := w.expectEpoch(call, noEpoch, fenceEpoch); err != nil {
		return err
	}
	if w.posted != nil {
		return w.failf(fault.RMASync, call, "an epoch that Post has begun; expected Wait before")
	}
	err := w.flushAll(call)
	return errors.Join(err, w.end(call))
}

// end withdraws the memory when all ranks have called it.
func (w *Window) end(call string) error {
	if err := w.C.Barrier("Barrier"); err != nil {
		return err
	}
	w.Freed = true
	if w.ownLock.segment != noSegment {
		w.all.locks.giveBack(w.ownLock)
	}
	w.all.remove(w)
	w.C.Reserved = false
	for _, segment := range []int{w.segment, w.shared.segment} {
		if segment < 0 {
			continue
		}
		if err := w.e.Process.Withdraw(segment); err != nil {
			return w.fail(call, err)
		}
	}
	return w.C.Free("Free")
}

// Length returns how many elements a rank has, -1 if there is no such rank.
func (w *Window) Length(rank int) int {
	if rank < 0 || rank >= len(w.places) {
		return -1
	}
	return w.places[rank].Length
}

// Check fails if the window cannot be used.
func (w *Window) Check(call string) error {
	switch {
	case w == nil:
		return &fault.Error{Class: fault.Window, Call: call, Rank: -1, Err: errors.New("no window: it is nil")}
	case w.Freed:
		return w.failf(fault.Window, call, "the window has been freed")
	case w.C.IsGivenUp():
		return w.C.Check(call)
	}
	return w.C.CheckLimit(call)
}

// lacks reports whether there is no such rank, or the window cannot be used.
func (w *Window) lacks(rank int) bool {
	return w == nil || w.Freed || w.C.IsGivenUp() || uint(rank) >= uint(len(w.places))
}

// fail returns an error of the machine in a call, nil if there is none.
func (w *Window) fail(call string, err error) error {
	if err == nil {
		return nil
	}
	return w.C.Fail(fault.Other, call, err)
}

func (w *Window) failf(class fault.Class, call, format string, args ...any) error {
	return w.C.Failf(class, call, format, args...)
}
