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

// Mechanism is how data gets from a process into its network interface.
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

// Op is an operation under way. The zero value is an operation that is done.
type Op uint64

// Process is what one rank can ask of the machine that it runs on. Its methods
// return errors for wrong arguments and for what the machine cannot do; they do
// not panic.
type Process interface {
	// Rank returns the number of this process, 0 to Size-1.
	Rank() int
	// Size returns the number of processes.
	Size() int
	// Now returns the time since the program was started, on this world's clock.
	Now() units.Time
	// Compute keeps the processor busy.
	Compute(d units.Time)

	// Expose lets the network interface, and by it other ranks, write to and read
	// from memory. Segments are numbered from 0 in the order of the calls, but numbers
	// that have been withdrawn are used again, the last one first. Accesses
	// that arrive before the segment they name is exposed fail at their initiator.
	Expose(memory []byte) (segment int)
	// Withdraw ends what Expose or ExposeWindow began, once nothing that others do with
	// the segment is under way. Later accesses fail at their initiator, until its number
	// is given out again. Memory that ExposeWindow has returned may not be used any more.
	Withdraw(segment int) error
	// ExposeWindow exposes memory of the interface that the processor reads
	// directly, such as a Prefetch Window of DIMMnet-2, and returns it: zeros, until
	// somebody writes there. It is meant for small messages; the machine may limit a
	// push to it to one packet. On machines that have no such memory it is as if exposed
	// with Expose. It fails if less is left.
	ExposeWindow(bytes int) (segment int, memory []byte, err error)

	// Push starts to write data to the memory of another rank, or of this one. The
	// data may not be changed before Wait has returned. Push returns when the
	// processor is free again; that an address is wrong, Wait reports.
	//
	// By DMA the interface fetches data that lies in exposed memory as it is; other
	// data the processor may first have to bring to where the interface can.
	Push(to Address, data []byte, by Mechanism) (Op, error)
	// Pull starts to read into memory from another rank, or from this one. What is
	// in that memory before Wait has returned is not defined.
	Pull(from Address, into []byte) (Op, error)
	// PushLayout is Push of the elements in data that gather names to where scatter
	// says at the target. If both are given, they have the same number of bytes.
	// Machines that write contiguous data only refuse a scatter.
	PushLayout(to Address, scatter Layout, data []byte, gather Layout, by Mechanism) (Op, error)
	// PullLayout is Pull of the elements that gather names at the target to where
	// scatter says in into.
	PullLayout(from Address, gather Layout, into []byte, scatter Layout) (Op, error)

	// Windows limits how many windows of the interface Push and IPush by BOTF use in
	// turn, so that one is written while the one before is being sent; 0 means all.
	// It fails if there are fewer, or none to choose from.
	Windows(n int) error

	// Wait blocks until the operation is complete at both ends. An operation may be
	// waited for once, by the process that started it, and need not be.
	Wait(op Op) error
	// Test asks once whether Wait would return without blocking. If it says true or
	// fails, the operation has been waited for.
	Test(op Op) (done bool, err error)
	// Fence starts an operation that is complete when all is that this process has started
	// before, whether it is waited for or not. It holds nothing back that is started after
	// it, and does not report what has failed.
	Fence() (Op, error)
	// WaitUntil blocks until condition holds. The condition may depend only on
	// memory of this process and may not call its methods; it is evaluated at once
	// and then whenever pushes have written to an exposed segment, once for all that
	// have come meanwhile. It is not evaluated for what Pull has read.
	WaitUntil(condition func() bool) error

	// Load copies what a layout names in an exposed segment of this process, from an
	// offset, to memory that the processor works on. It blocks. Where processor and
	// interface share their memory it is an ordinary copy.
	Load(segment, offset int, gather Layout, into []byte, as Caching) error

	// Rings sets the receive rings of this process. It may be called once, before
	// the process first communicates. A process that does not call it has rings
	// that the world chooses; if the user has chosen them, Rings changes nothing.
	Rings(r Rings) error
	// IPush starts to append a message to the receive ring that the target has for
	// this process. It is otherwise like Push; when Wait returns nil the message is
	// in the ring. It fails if the ring cannot ever hold the message.
	IPush(to int, data []byte, by Mechanism) (Op, error)
	// Poll looks once at the status ring and tells whether there is an arrival.
	Poll() (bool, error)
	// Await blocks until there is an arrival, or one of some operations of this process
	// is complete. Operations that have been waited for count as complete.
	Await(ops ...Op) error
	// AwaitUntil is Await that also ends when a condition holds, which is as for
	// WaitUntil. It may look at what a Queue has told, too.
	AwaitUntil(condition func() bool, ops ...Op) error
	// Next takes the next arrival off the status ring, and blocks until there is one.
	// Arrivals come in the order in which they were appended, over all senders.
	Next() (Arrival, error)
	// Take copies the data of an arrival, which the process has taken off the status
	// ring, to memory and gives its space in the ring back. Without into it only
	// gives back. Space is reused when all before it in the same ring is given back
	// too, so arrivals that are kept for long should be copied.
	Take(a Arrival, into []byte, as Caching) error
}
