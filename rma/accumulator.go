package rma

// Accumulator is Atomics whose interface changes many consecutive words with one request, as
// fi_atomic of libfabric does with a count. It is optional: it does FetchOp on each of the words at
// less cost, and both may be used together, in any order.
type Accumulator interface {
	Atomics

	// Accumulate starts to replace consecutive words from an address on, word i by r.Apply(word,
	// operands[i]). was, if not nil, gets the old values; it has as many words, may be the same
	// slice as operands, and is undefined until Wait. The program may change the operands when
	// Accumulate returns.
	//
	// Each word is changed atomically, but not all of them at the same moment. On the same word an
	// Accumulate comes after the operations that this process has started before, and before those
	// that it starts later. It fails and changes none if not all words are exposed, or if they are
	// not aligned.
	Accumulate(at Address, r Reduction, operands, was []int64) (Op, error)
}
