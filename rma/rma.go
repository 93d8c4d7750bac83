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
	// PIO: the processor writes the data to the interface itself. For the latency
	// of small messages (PIO on RHiNET-2, BOTF on DIMMnet-2, inline data on
	// InfiniBand).
	PIO
)

var mechanismNames = [...]string{DMA: "dma", PIO: "pio"}

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

	// Expose lets other ranks write to and read from memory. Segments are numbered
	// from 0 in the order of the calls. Accesses that arrive before the segment
	// they name is exposed fail at their initiator.
	Expose(memory []byte) (segment int)

	// Push starts to write data to the memory of another rank, or of this one. The
	// data may not be changed before Wait has returned. Push returns when the
	// processor is free again; that an address is wrong, Wait reports.
	Push(to Address, data []byte, by Mechanism) (Op, error)
	// Pull starts to read into memory from another rank, or from this one. What is
	// in that memory before Wait has returned is not defined.
	Pull(from Address, into []byte) (Op, error)
	// Wait blocks until the operation is complete at both ends. An operation may be
	// waited for once, by the process that started it, and need not be.
	Wait(op Op) error
	// WaitUntil blocks until condition holds. The condition may depend only on
	// memory of this process and may not call its methods; it is evaluated at once
	// and then whenever pushes have written to an exposed segment, once for all that
	// have come meanwhile. It is not evaluated for what Pull has read.
	WaitUntil(condition func() bool) error
}
