package algorithm

import (
	"reflect"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// Arguments are the arguments of a rank in a collective operation, as memory. Each operation uses
// some of them.
type Arguments struct {
	Root      int
	In, Out   []byte
	Ins, Outs [][]byte     // parts for, or from, each rank
	Element   int          // bytes of an element
	Type      reflect.Type // of an element; nil: not known
	Op        reduction.Op
	Near      *Neighbours
	Layouts   *Types
}

// NoArguments are those of a barrier.
var NoArguments Arguments

// Types names the memory that goes to each rank or neighbour, and where data from it is put.
type Types struct{ To, From []datatype.Type }

// Neighbours is the neighbours of one rank, negative where there is nobody.
type Neighbours struct {
	Sources, Destinations []int
	// Mirrored: sources and destinations are pairs of a rank before and one after, as in a grid.
	// What a rank sends to its rank after is received from the rank before. If both are the same
	// rank, the first message that it receives is the one from before; so the message to the rank
	// after has to be sent first.
	Mirrored bool
}

// IsWord reports whether interfaces can do the reduction.
func (a *Arguments) IsWord() bool {
	r, _ := a.Op.AcrossRanks()
	return r != rma.NoOp && len(a.In) == 8
}

// Bytes returns how many bytes each rank gives or gets, or how many for each rank if the operation
// has parts for all. Of parts of different lengths it is their mean, of what the rank gives or of what it
// gets, whichever is more. It reports whether all ranks find the same number.
func (a *Arguments) Bytes(o Operation, size int) (bytes int, alike bool) {
	switch o {
	case Barrier:
		return 0, true
	case Broadcast, Scatter, ReduceScatter:
		return len(a.Out), true
	case Reduce, AllReduce, Gather, AllGather, Scan, ExScan:
		return len(a.In), true
	case AllToAll:
		return len(a.In) / size, true
	case AllGatherV:
		return bytesOfAll(a.Outs) / size, true
	case ReduceScatterV:
		return bytesOfAll(a.Ins) / size, true
	case AllToAllV:
		return max(bytesOfAll(a.Ins), bytesOfAll(a.Outs)) / size, false
	case AllToAllW:
		return max(bytesOfTypes(a.Layouts.To), bytesOfTypes(a.Layouts.From)) / size, false
	}
	return 0, false
}
