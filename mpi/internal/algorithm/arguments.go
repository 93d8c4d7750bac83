package algorithm

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// Arguments is what a rank gives to a collective operation, as memory. An operation
// uses some of it.
type Arguments struct {
	Root      int
	In, Out   []byte
	Ins, Outs [][]byte // parts for, or from, each rank
	Element   int      // bytes of an element
	Op        reduction.Op
	Near      *Neighbours
	Layouts   *Types
}

// Types says which memory goes to each rank or neighbour, and where what comes from it is
// put.
type Types struct{ To, From []datatype.Type }

// Neighbours is the neighbours of one rank, negative where there is nobody.
type Neighbours struct {
	Sources, Destinations []int
	// mirrored: sources and destinations are pairs of a rank before and one after,
	// where what the one before sends to its rank after is received. If both are the
	// same rank, the first message that it receives is from before; so the first to be
	// sent is that to the rank after.
	Mirrored bool
}

// IsWord reports whether interfaces can do the reduction.
func (a *Arguments) IsWord() bool {
	r, _ := a.Op.AcrossRanks()
	return r != rma.NoOp && len(a.In) == 8
}
