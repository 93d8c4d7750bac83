package mpi

import (
	"reflect"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/window"
)

// Window is memory of the ranks of a communicator that they let each other access:
// elements of one type, any number at each rank. Elements that are accessed are named
// by a rank and an index there. All ranks make a window, and free it, together.
//
// An access needs an epoch, which determines when it may take place and when it is complete:
//
//   - Fence, called by all ranks, ends the epoch of all and begins the next;
//   - Lock, LockShared and LockAll begin one without the rank that is accessed,
//     Unlock and UnlockAll end it, and Flush completes accesses meanwhile;
//   - Start begins one with ranks that Post, Complete ends it, and they Wait for that.
//
// In an epoch accesses are only started. The program may not use the memory that it gave to
// Put or Get until the epoch ends or a Flush has returned. Put and Get are neither ordered
// nor atomic, and no other access may overlap with a Put in an element. Accumulate and the
// operations like it are atomic in each element, and those of one rank to the same element
// take place in the order of the calls.
//
// A rank may use its own elements as ordinary memory, between epochs in which others
// change them. It sees what they have put when the synchronisation is over, and in
// Sync.
type Window[T any] struct {
	window   window.Window
	comm     *Comm
	elements []T
	word     [3]T // of operations on single elements
}

// NewWindow lets all ranks access memory of each, which may have any length, or be
// nil. Where it can be, AllocateWindow makes memory that others access faster. The
// memory may not be put to another use until Free has returned.
//
// It fails with ErrType if the elements cannot be sent, and at all ranks if their
// types differ.
func NewWindow[T any](c *Comm, memory []T) (*Window[T], error) {
	const call = "NewWindow"
	defer c.enter(call).Leave()
	w, err := newWindow[T](c, call)
	if err != nil {
		return nil, err
	}
	w.elements = memory
	w.window.Expose(elements.Memory(memory))
	return w.exchanged(call)
}

// addressable is the address space of a process, in bytes.
const addressable = 1 << 47

// AllocateWindow is NewWindow of fresh memory for n elements, where others access it
// fastest. Each rank says how many it wants. They may not be used after Free. It fails
// with ErrCount if n is negative, or more than a process can address.
func AllocateWindow[T any](c *Comm, n int) (*Window[T], error) {
	const call = "AllocateWindow"
	defer c.enter(call).Leave()
	size, err := c.sizeOf(call, n, elements.Size[T]())
	if err != nil {
		return nil, err
	}
	w, err := newWindow[T](c, call)
	if err != nil {
		return nil, err
	}
	if err := w.window.Allocate(call, size); err != nil {
		return nil, err
	}
	w.elements = elements.Of[T](w.window.Memory)
	return w.exchanged(call)
}

// exchanged returns the window when the ranks have exchanged their extents.
func (w *Window[T]) exchanged(call string) (*Window[T], error) {
	if err := w.window.ExchangeExtents(call); err != nil {
		return nil, err
	}
	return w, nil
}

// newWindow makes a window without memory, which can get messages.
func newWindow[T any](c *Comm, call string) (*Window[T], error) {
	w := new(Window[T])
	return w, w.setUp(c, call)
}

func (w *Window[T]) setUp(c *Comm, call string) error {
	if err := c.inner().Check(call); err != nil {
		return err
	}
	if err := checkElement[T](); err != nil {
		return c.inner().Fail(fault.Type, call, err)
	}
	if err := w.window.SetUp(c.comm, call, elements.Size[T](), reduction.KindOf(reflect.TypeFor[T]()), reflect.TypeFor[T]().String()); err != nil {
		return err
	}
	w.comm = &Comm{comm: w.window.C, limit: c.limit}
	return nil
}

// Free ends the use of a window, when all ranks have called it and all accesses are
// done; what it exposed is not exposed any more. It fails with ErrRMASync if there is
// an epoch that Unlock, UnlockAll, Complete or Wait is to end, and as Comm.Free if the
// program has left something undone in the window's communicator.
func (w *Window[T]) Free() error {
	c := w.inner()
	err := w.enter("Free").Returns(c.Free("Free"))
	if c != nil && c.Freed {
		w.elements = nil
	}
	return err
}

// enter begins a call: it limits how long the call waits, and tells who asks for it that the program is in the
// call; see core.Engine.Enter.
func (w *Window[T]) enter(call string) core.Call {
	if w == nil || w.window.C.Engine.Plain {
		return core.Call{}
	}
	return w.begin(call)
}

// isPlain reports whether enter has nothing to do. The shortest calls ask, as to hold a core.Call until their end
// takes a tenth of their time.
func (w *Window[T]) isPlain() bool { return w != nil && w.window.C.Engine.Plain }

// begin is enter where there is something to do; a call of its own, so that enter is inlined.
func (w *Window[T]) begin(call string) core.Call {
	w.window.C.Engine.Within(w.comm.limit)
	return w.window.C.Engine.Enter(call)
}

// inner returns the window of package window, nil if there is none.
func (w *Window[T]) inner() *window.Window {
	if w == nil {
		return nil
	}
	return &w.window
}

// Memory returns the elements of this rank, nil when the window has been freed.
func (w *Window[T]) Memory() []T { return w.elements }

// Comm returns a communicator of the window's own, with the ranks that the window has.
// It may not be freed.
func (w *Window[T]) Comm() *Comm { return w.comm }

// Len returns how many elements a rank has, -1 if there is no such rank.
func (w *Window[T]) Len(rank int) int { return w.window.Length(rank) }
