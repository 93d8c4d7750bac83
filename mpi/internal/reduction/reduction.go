// Package reduction combines elements in memory: operations that are known at run time, by
// their number and the kind of the elements.
package reduction

import "musubi/rma"

// ID is the number of an operation, in messages too.
type ID uint8

// The operations.
const (
	User ID = iota // of the program's own; messages cannot name it
	SumID
	ProductID
	MaxID
	MinID
	AndID
	OrID
	XorID
	LogicalAndID
	LogicalOrID
	LogicalXorID
	MaxLocationID
	MinLocationID
	ReplaceID
	NoOpID
	LastID = NoOpID
)

var idNames = [LastID + 1]string{
	User: "an operation of the program", SumID: "Sum", ProductID: "Product", MaxID: "Max", MinID: "Min", AndID: "And", OrID: "Or", XorID: "Xor",
	LogicalAndID: "LogicalAnd", LogicalOrID: "LogicalOr", LogicalXorID: "LogicalXor", MaxLocationID: "MaxLocation", MinLocationID: "MinLocation",
	ReplaceID: "Replace", NoOpID: "NoOp",
}

// String returns the name that the operation has in package mpi.
func (id ID) String() string { return idNames[id] }

// Func combines elements in memory: those of inout become in combined with inout.
type function func(in, inout []byte)

// Op is an operation on elements of one kind.
type Op struct {
	Apply       function
	Commutative bool
	ID          ID
	Kind        Kind
}

// IsExact reports whether the result does not depend on the order in which elements are combined.
func (op *Op) IsExact() bool { return op.ID != User && op.Kind.IsWhole() }

// words are the operations that interfaces have for integers of 8 bytes.
var words = [LastID + 1]struct {
	rma.Reduction
	known bool
}{
	SumID: {rma.Sum, true}, MinID: {rma.Min, true}, MaxID: {rma.Max, true}, AndID: {rma.And, true}, OrID: {rma.Or, true},
	XorID: {rma.Xor, true}, ReplaceID: {rma.Replace, true}, NoOpID: {rma.NoOp, true},
}

// OnWord returns the reduction of interfaces that is an operation on a word of a kind, false if there
// is none. Interfaces compare words as signed integers.
func OnWord(id ID, kind Kind) (rma.Reduction, bool) {
	r := words[id]
	return r.Reduction, r.known && (kind.isSigned() || r.Reduction != rma.Min && r.Reduction != rma.Max)
}

// AcrossRanks returns the reduction by which interfaces combine a word of each rank, rma.NoOp if
// there is none, and the bits to be flipped in each word before and in the result after it: the
// highest bit of unsigned integers, so that they compare as signed ones.
func (op *Op) AcrossRanks() (r rma.Reduction, flipped uint64) {
	if op.ID > XorID || !op.Kind.isWord() {
		return rma.NoOp, 0
	}
	r = words[op.ID].Reduction
	if !op.Kind.isSigned() && (r == rma.Min || r == rma.Max) {
		flipped = 1 << 63
	}
	return r, flipped
}
