package rma

// Accumulator is Atomics whose interface changes many words that follow each other upon one
// request, as fi_atomic of libfabric does with a count. It is optional: what it offers is
// FetchOp on each of the words at less cost, and both may be used together, in any order.
type Accumulator interface {
	Atomics

	// Accumulate starts to replace the words at a place and behind it, each by what r makes
	// of it and of the operand of the same number. was, if not nil, gets what was there before;
	// it has as many words, may be the operands themselves, and is undefined until Wait. The
	// operands may be changed when Accumulate returns.
	//
	// Each word is changed at one moment, but not all of them at the same; on the same word
	// an Accumulate comes before what this process starts later, and after what it has
	// started before. If not all words are exposed, or they are at no offset where words are,
	// it fails and changes none.
	Accumulate(at Address, r Reduction, operands, was []int64) (Op, error)
}
