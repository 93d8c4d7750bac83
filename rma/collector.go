package rma

import (
	"errors"

	"musubi/onesided"
)

// ErrConflict: members of a group have started different reductions at the same time.
var ErrConflict = errors.New("members of a group have started different reductions")

// Collector is a Process whose interface carries out barriers and reductions of one word by itself,
// together with the interfaces of other processes, while the processors compute; such as the
// barrier interface of Tofu (Ajima et al., The Tofu Interconnect, IEEE Micro 2012). It is optional.
// A SharedBarrier, in contrast, is for processes that share memory and shows the note of each
// member; here each member sees only the result of the reduction.
type Collector interface {
	Process

	// NewGroup returns a group with this process as its only member, or nil if the interface has
	// no room left for it.
	NewGroup() Group
}

// Reduction is the operation by which a group combines the words of its members, and by which
// Atomics combine a word in memory with an operand. Words are integers in two's complement; sums
// wrap around.
type Reduction = onesided.Reduction

// Reductions.
const (
	NoOp    = onesided.NoOp // a barrier: words are ignored, and a word in memory stays as it is (MPI_NO_OP)
	Sum     = onesided.Sum
	Min     = onesided.Min
	Max     = onesided.Max
	And     = onesided.And
	Or      = onesided.Or
	Xor     = onesided.Xor
	Replace = onesided.Replace // the operand replaces a word in memory; groups do not know it
)

// Group is a set of processes whose interfaces do barriers and reductions of one word, one after
// the other. All members start the same ones in the same order.
type Group interface {
	// Part is the handle that the other members need for Join.
	Part() uint64
	// Join makes this process one of several members, which have these ranks and parts. All
	// members call it with the same arguments, once, before they start anything. It fails if a
	// part does not exist, or none of them belongs to this process.
	Join(ranks []int, parts []uint64) error
	// Start starts an operation with the word of this process, and returns when the processor is
	// free again. It fails if the result of the previous operation has not been taken.
	Start(r Reduction, word int64) error
	// HasResult reports whether there is a result to take: all members have started the operation.
	// It only reads memory, so a condition of WaitUntil may call it.
	HasResult() bool
	// Result takes the result, which is the same at all members, if it is there. It fails with
	// ErrConflict if members have started different reductions.
	Result() (word int64, done bool, err error)
	// Leave ends the use of the group. This process may have no operation in flight; other members
	// may still wait for their results.
	Leave()
}
