package mpi

import (
	"errors"
	"slices"

	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/sparse"
	"musubi/rma"
)

// Window is memory of the ranks of a communicator that they let each other access:
// elements of one type, any number at each rank. Elements that are accessed are named
// by a rank and an index there. All ranks make a window, and free it, together.
//
// An access needs an epoch, which says when it may take extent and when it is done:
//
//   - Fence, called by all ranks, ends the epoch of all and begins the next;
//   - Lock, LockShared and LockAll begin one without the rank that is accessed,
//     Unlock and UnlockAll end it, and Flush completes accesses meanwhile;
//   - Start begins one with ranks that Post, Complete ends it, and they Wait for that.
//
// In an epoch accesses are only started. What is put, and where something is got to,
// may not be used until the epoch ends or a Flush has returned. Put and Get are not
// ordered, nor atomic; two of them may not meet in an element if one is a Put, nor may
// a Put and an Accumulate. Accumulate and its kin are atomic in each element, and
// those of one rank to the same element take extent in the order of the calls.
//
// A rank may use its own elements as ordinary memory, between epochs in which others
// change them. It sees what they have put when the synchronisation is over, and in
// Sync.
type Window[T any] struct {
	window
	elements []T
	word     [3]T // of operations on single elements
}

// window is a Window without its type.
type window struct {
	c       *Comm // of its own
	e       *engine
	element int // bytes of an element
	kind    reduction.Kind
	memory  []byte
	segment int
	places  []extent            // by rank
	peers   sparse.Values[peer] // by rank
	busy    []*peer             // with which something is under way, or not confirmed
	atomic  bool                // elements are words that all ranks change by rma.Atomics
	freed   bool

	epoch   epoch
	used    bool    // something has been accessed in the epoch of a fence
	held    []*peer // whose locks this rank has
	started []*peer
	posted  []*peer
	locks   locks // of the memory of this rank

	idle  int     // flushes that found nothing to do
	waits Request // what the window waits for, for explain
	runs  []run
}

// extent is what all ranks know of the memory of one.
type extent struct {
	Length  int // elements
	Segment int32
	Element int32 // bytes
	Kind    reduction.Kind
	Words   bool // the rank changes elements by rma.Atomics
	_       [6]byte
}

// NewWindow lets all ranks access memory of each, which may have any length, or be
// nil. Where it can be, AllocateWindow makes memory that others access faster. The
// memory may not be put to another use until Free has returned.
//
// It fails with ErrType if the elements cannot be sent, and at all ranks if their
// types differ.
func NewWindow[T any](c *Comm, memory []T) (*Window[T], error) {
	const call = "NewWindow"
	w, err := newWindow[T](c, call)
	if err != nil {
		return nil, err
	}
	w.elements, w.memory = memory, elements.Memory(memory)
	w.segment = w.e.p.Expose(w.memory)
	return w.met(call)
}

// addressable is what processors let a process address, in bytes.
const addressable = 1 << 47

// AllocateWindow is NewWindow of fresh memory for n elements, where others access it
// fastest. Each rank says how many it wants. They may not be used after Free. It fails
// with ErrCount if n is negative, or more than a process can address.
func AllocateWindow[T any](c *Comm, n int) (*Window[T], error) {
	const call = "AllocateWindow"
	if n < 0 {
		return nil, c.failf(fault.Count, call, "%d elements; expected at least 0", n)
	}
	if size := elements.Size[T](); size > 0 && n > addressable/size {
		return nil, c.failf(fault.Count, call, "%d elements of %d bytes; expected at most %d", n, size, addressable/size)
	}
	w, err := newWindow[T](c, call)
	if err != nil {
		return nil, err
	}
	if err := w.allocate(n); err != nil {
		return nil, c.fail(fault.Other, call, err)
	}
	return w.met(call)
}

// met returns the window when the ranks have told each other of their memory.
func (w *Window[T]) met(call string) (*Window[T], error) {
	if err := w.meet(call); err != nil {
		return nil, err
	}
	return w, nil
}

// newWindow makes a window without memory, which messages can be for.
func newWindow[T any](c *Comm, call string) (*Window[T], error) {
	if err := c.check(call); err != nil {
		return nil, err
	}
	if err := checkElement[T](); err != nil {
		return nil, c.fail(fault.Type, call, err)
	}
	own, err := c.Dup()
	if err != nil {
		return nil, err
	}
	w := &Window[T]{window: window{c: own, e: c.e, element: elements.Size[T](), kind: kindOf[T](), peers: sparse.New[peer](c.Size())}}
	c.e.addWindow(&w.window)
	return w, nil
}

// allocate exposes fresh memory: of the interface, if it takes pushes of any size.
func (w *Window[T]) allocate(n int) error {
	segment, memory, err := w.e.p.ExposeWindow(n * w.element)
	if err == nil {
		good, err := w.e.takesPushes(segment, len(memory))
		if err != nil {
			return err
		}
		if good {
			w.elements, w.memory, w.segment = elements.Of[T](memory), memory, segment
			return nil
		}
		if err := w.e.p.Withdraw(segment); err != nil {
			return err
		}
	}
	w.elements = make([]T, n)
	w.memory = elements.Memory(w.elements)
	w.segment = w.e.p.Expose(w.memory)
	return nil
}

// largestPacket is more than machines have that limit pushes to a packet, in bytes.
const largestPacket = 64 << 10

// takesPushes finds out whether memory of the interface, fresh and so all zero, takes
// pushes of more than a packet.
func (e *engine) takesPushes(segment, bytes int) (bool, error) {
	zeros := make([]byte, min(bytes, largestPacket))
	op, err := e.p.Push(rma.Address{Rank: e.rank, Segment: segment}, zeros, rma.DMA)
	if err != nil {
		return false, nil
	}
	for {
		done, refused := e.p.Test(op)
		if done || refused != nil {
			return refused == nil, nil
		}
		if err := e.p.Await(op); err != nil {
			return false, err
		}
		if err := e.progress(); err != nil {
			return false, err
		}
	}
}

// meet lets the ranks tell each other of their memory. After it they can access it.
func (w *window) meet(call string) error {
	mine := extent{Length: len(w.memory) / w.element, Segment: int32(w.segment), Element: int32(w.element), Kind: w.kind, Words: w.e.atomics != nil && w.isOfWords()}
	w.places = make([]extent, w.c.Size())
	if err := AllGather(w.c, []extent{mine}, w.places); err != nil {
		return err
	}
	w.atomic = !slices.ContainsFunc(w.places, func(p extent) bool { return !p.Words })
	for rank, p := range w.places {
		if p.Element != mine.Element || p.Kind != mine.Kind {
			return errors.Join(w.failf(fault.Type, call, "elements of %d bytes, and of %d bytes or another kind at rank %d; expected the same type", mine.Element, p.Element, rank), w.end(call))
		}
	}
	return nil
}

// Free ends the use of a window, when all ranks have called it and all accesses are
// done; what it exposed is not exposed any more. It fails with ErrRMASync if there is
// an epoch that Unlock, UnlockAll, Complete or Wait is to end, and as Comm.Free if the
// program has left something undone in the window's communicator.
func (w *Window[T]) Free() error {
	const call = "Free"
	if err := w.core().check(call); err != nil {
		return err
	}
	if err := w.expectEpoch(call, noEpoch, fenceEpoch); err != nil {
		return err
	}
	if w.posted != nil {
		return w.failf(fault.RMASync, call, "an epoch that Post has begun; expected Wait before")
	}
	err := w.flushAll(call)
	if err = errors.Join(err, w.end(call)); w.freed {
		w.elements = nil
	}
	return err
}

// end takes the memory back when all ranks have come so far.
func (w *window) end(call string) error {
	if err := Barrier(w.c); err != nil {
		return err
	}
	w.freed = true
	w.e.windows[w.c.point/2] = nil
	if err := w.e.p.Withdraw(w.segment); err != nil {
		return w.fail(call, err)
	}
	return w.c.Free()
}

// core returns the window without its type, nil if there is none.
func (w *Window[T]) core() *window {
	if w == nil {
		return nil
	}
	return &w.window
}

// Memory returns the elements of this rank, nil when the window has been freed.
func (w *Window[T]) Memory() []T { return w.elements }

// Comm returns a communicator of the window's own, with the ranks that the window has.
// It may not be freed.
func (w *Window[T]) Comm() *Comm { return w.c }

// Len returns how many elements a rank has, -1 if there is no such rank.
func (w *Window[T]) Len(rank int) int {
	if rank < 0 || rank >= len(w.places) {
		return -1
	}
	return w.places[rank].Length
}

// check fails if the window cannot be used.
func (w *window) check(call string) error {
	switch {
	case w == nil:
		return &fault.Error{Class: fault.Window, Call: call, Rank: -1, Err: errors.New("no window: it is nil")}
	case w.freed:
		return w.failf(fault.Window, call, "the window has been freed")
	}
	return nil
}

// fail is Comm.fail of the machine's error, nil if there is none.
func (w *window) fail(call string, err error) error {
	if err == nil {
		return nil
	}
	return w.c.fail(fault.Other, call, err)
}

func (w *window) failf(class fault.Class, call, format string, args ...any) error {
	return w.c.failf(class, call, format, args...)
}
