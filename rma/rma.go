package rma

import (
	"fmt"

	"musubi/units"
)

// Address names a place in the memory of a rank.
type Address struct {
	Rank    int
	Segment int // number that Expose returned there
	Offset  int // in bytes
}

func (a Address) String() string {
	return fmt.Sprintf("rank %d segment %d offset %d", a.Rank, a.Segment, a.Offset)
}

// Mechanism is the way of data from a process into its network interface.
type Mechanism uint8

// Mechanisms.
const (
	// DMA: the interface fetches the data from memory. For bandwidth.
	DMA Mechanism = iota
	// BOTF (Block On The Fly): the processor writes the packet to the interface
	// itself. For the latency of small messages. Elsewhere it is known as PIO
	// (Martini), STEN (Elan4) or inline data (InfiniBand).
	BOTF
)

var mechanismNames = [...]string{DMA: "dma", BOTF: "botf"}

func (m Mechanism) String() string {
	if int(m) >= len(mechanismNames) {
		return fmt.Sprintf("mechanism %d", m)
	}
	return mechanismNames[m]
}

// Op is an operation in flight. The zero value is an operation that is complete.
type Op uint64

// Process is one rank's access to the machine that it runs on. Its methods return errors for wrong
// arguments and for requests that the machine cannot carry out; they do not panic.
type Process interface {
	// Rank returns the number of this process, 0 to Size-1.
	Rank() int
	// Size returns the number of processes.
	Size() int
	// Now returns the time since the program was started, on the clock of this world.
	Now() units.Time
	// Compute keeps the processor busy.
	Compute(d units.Time)

	// Expose lets the network interface, and through it other ranks, write to and read from
	// memory. Segments are numbered from 0 in the order of the calls; numbers that have been
	// withdrawn are used again, the last one first. An access that arrives before the segment that
	// it names is exposed fails at its initiator.
	Expose(memory []byte) (segment int)
	// Withdraw ends the exposure by Expose or ExposeWindow, once no operation of others on the
	// segment is in flight. Later accesses fail at their initiator, until the number is given out
	// again. The program may no longer use memory that ExposeWindow has returned.
	Withdraw(segment int) error
	// ExposeWindow exposes memory of the interface that the processor reads directly, such as a
	// Prefetch Window of DIMMnet-2, and returns it, filled with zeros. It is meant for small
	// messages; the machine may limit a push to it to one packet. On machines without such memory
	// it exposes ordinary memory. It fails if less is left.
	ExposeWindow(bytes int) (segment int, memory []byte, err error)

	// Push starts to write data to the memory of another rank, or of this one. The program may not
	// change the data before Wait has returned. Push returns when the processor is free again;
	// Wait reports a wrong address.
	//
	// By DMA the interface fetches data that lies in exposed memory as it is; the processor may
	// first have to copy other data to memory that the interface can address.
	Push(to Address, data []byte, by Mechanism) (Op, error)
	// Pull starts to read into memory from another rank, or from this one. The contents of that
	// memory are not defined before Wait has returned.
	Pull(from Address, into []byte) (Op, error)
	// PushLayout starts to write the elements of data that gather names to the elements that
	// scatter names at the target. If both are given, they have the same number of bytes. Machines
	// that write contiguous data only refuse a scatter.
	PushLayout(to Address, scatter Layout, data []byte, gather Layout, by Mechanism) (Op, error)
	// PullLayout starts to read the elements that gather names at the target into the elements of
	// into that scatter names.
	PullLayout(from Address, gather Layout, into []byte, scatter Layout) (Op, error)

	// Windows limits how many windows of the interface Push and IPush by BOTF use in turn, so that
	// one is written while the previous one is being sent; 0 means all. It fails if the interface
	// has fewer windows, or does not let programs choose.
	Windows(n int) error

	// Wait blocks until the operation is complete at both ends. The process that started an
	// operation may wait for it once, and need not.
	Wait(op Op) error
	// Test reports whether Wait would return without blocking. If it returns true or fails, the
	// operation has been waited for.
	Test(op Op) (done bool, err error)
	// Fence starts an operation that is complete when everything that this process has started
	// before is complete, whether it is waited for or not. It does not hold back operations that
	// are started after it, and does not report which operations have failed.
	Fence() (Op, error)
	// WaitUntil blocks until condition holds. The condition may depend only on memory of this
	// process and may not call its methods. It is evaluated at once and then whenever pushes have
	// written to an exposed segment, once for all that have arrived meanwhile. It is not evaluated
	// for data that Pull has read.
	WaitUntil(condition func() bool) error

	// Load copies the elements that a layout names in an exposed segment of this process, from an
	// offset on, to memory that the processor works on. It blocks. Where processor and interface
	// share their memory it is an ordinary copy.
	Load(segment, offset int, gather Layout, into []byte, as Caching) error

	// Rings sets the receive rings of this process. It may be called once, before
	// the process first communicates. A process that does not call it has rings
	// that the world chooses; if the user has chosen them, Rings changes nothing.
	Rings(r Rings) error
	// IPush starts to append a message to the receive ring that the target has for this process.
	// It is otherwise like Push; when Wait returns nil the message is in the ring. It fails if the
	// ring can never hold the message.
	IPush(to int, data []byte, by Mechanism) (Op, error)
	// Poll checks the status ring once and reports whether there is an arrival.
	Poll() (bool, error)
	// Await blocks until there is an arrival, or until one of the given operations of this process
	// is complete. Operations that have been waited for count as complete.
	Await(ops ...Op) error
	// AwaitUntil blocks like Await, and also returns when a condition holds. The rules of
	// WaitUntil apply to the condition; it may also call HasEvent of a Queue, and MayPost and Posted of a
	// SharedBarrier.
	AwaitUntil(condition func() bool, ops ...Op) error
	// Next takes the next arrival off the status ring, and blocks until there is one.
	// Arrivals come in the order in which they were appended, over all senders.
	Next() (Arrival, error)
	// Take copies the data of an arrival, which the process has taken off the status ring, to
	// memory and gives its space in the ring back. If into is nil it only gives the space back.
	// Space is used again when all earlier arrivals in the same ring are given back too, so copy
	// arrivals that you keep for long.
	Take(a Arrival, into []byte, as Caching) error
}
