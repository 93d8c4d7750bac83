package mpi

import (
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/window"
)

// SplitShared makes a communicator of the ranks that share memory with this one: those of its host.
// Its ranks are in the order of their keys, as with Split. All ranks call it.
func (c *Comm) SplitShared(key int) (*Comm, error) {
	defer c.enter("SplitShared").Leave()
	return commOf(c.inner().Split("SplitShared", window.Host(c.comm), key))
}

// SharedWindow is a window whose memory all ranks also read and write as their own. An element that
// one rank writes so and another one reads needs a synchronisation between them, such as Barrier, and
// in an epoch of LockAll also Sync before it and behind it.
type SharedWindow[T any] struct {
	Window[T]
	parts [][]T
}

// AllocateSharedWindow makes a window of fresh memory, all zero, with n elements of this rank. Those of
// all ranks follow each other in memory. It fails with ErrRMAShared if not all ranks share memory, as
// those of SplitShared do, and with ErrCount if n is negative or more than a process can address.
func AllocateSharedWindow[T any](c *Comm, n int) (*SharedWindow[T], error) {
	const call = "AllocateSharedWindow"
	defer c.enter(call).Leave()
	size, err := c.sizeOf(call, n, elements.Size[T]())
	if err != nil {
		return nil, err
	}
	w := new(SharedWindow[T])
	if err := w.setUp(c, call); err != nil {
		return nil, err
	}
	if err := w.window.AllocateShared(call, size); err != nil {
		return nil, err
	}
	w.elements = elements.Of[T](w.window.Memory)
	for rank := range w.window.C.Size() {
		w.parts = append(w.parts, elements.Of[T](w.window.Shared(rank)))
	}
	return w, w.window.ExchangeExtents(call)
}

// Of returns the elements of a rank: the memory itself, which may not be used after Free. It is nil if
// there is no such rank.
func (w *SharedWindow[T]) Of(rank int) []T {
	if rank < 0 || rank >= len(w.parts) || w.window.Freed {
		return nil
	}
	return w.parts[rank]
}

// DynamicWindow is a window whose ranks attach and detach memory without each other. In the calls of
// Window an index is a place that Attach has returned at the rank that is accessed, plus the number of
// an element of that memory. The owner carries accesses out in its calls of this package. One to a
// place where nothing is attached is an error there.
type DynamicWindow[T any] struct {
	Window[T]
	next int // place that has not been used
}

// NewDynamicWindow makes a window to which nothing is attached.
func NewDynamicWindow[T any](c *Comm) (*DynamicWindow[T], error) {
	const call = "NewDynamicWindow"
	defer c.enter(call).Leave()
	w := new(DynamicWindow[T])
	if err := w.setUp(c, call); err != nil {
		return nil, err
	}
	w.window.MakeDynamic()
	return w, w.window.ExchangeExtents(call)
}

// Attach lets others access memory, and returns the place of its first element, which they need to
// know. A place is not used again. What is attached next has the places behind it.
func (w *DynamicWindow[T]) Attach(memory []T) (place int, err error) {
	place = w.next
	if err := w.enter("Attach").Returns(w.inner().Attach("Attach", place, elements.Memory(memory))); err != nil {
		return 0, err
	}
	w.next += max(1, len(memory))
	return place, nil
}

// Detach ends the use of memory by the place that Attach has returned, once no access is under way. It
// fails with ErrRMAAttach for any other place.
func (w *DynamicWindow[T]) Detach(place int) error {
	return w.enter("Detach").Returns(w.inner().Detach("Detach", place))
}

// sizeOf returns the bytes of n elements.
func (c *Comm) sizeOf(call string, n, element int) (int, error) {
	switch {
	case n < 0:
		return 0, c.inner().Failf(fault.Count, call, "%d elements; expected at least 0", n)
	case element > 0 && n > addressable/element:
		return 0, c.inner().Failf(fault.Count, call, "%d elements of %d bytes; expected at most %d", n, element, addressable/element)
	}
	return n * element, nil
}
