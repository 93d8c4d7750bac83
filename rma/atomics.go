package rma

// Atomics is a Process whose interface, or that of the target, changes single words of
// memory in one step; such as fetch-and-add and compare-and-swap of InfiniBand. It is
// optional.
//
// A word has 8 bytes, in the order of the target's processor, and lies at an offset that
// is a multiple of 8 in memory that begins at such an address; ExposeWindow returns
// memory that does. An operation on any other place fails.
//
// Operations of Atomics on the same word take place one after the other, whoever starts
// them, and each at one moment between the call that starts it and its completion; those
// of one process in the order in which it has started them. All else that happens to the
// word meanwhile counts as a race: what Push writes there, what Pull reads, and what the
// target's own processor does with its memory. The target does it right with operations
// that have itself as their target. It sees a word that others have changed as it sees
// what they have pushed.
type Atomics interface {
	Process

	// FetchOp starts to replace a word by what r makes of it and operand. was, if not
	// nil, gets what was there before; that is undefined until Wait.
	FetchOp(at Address, r Reduction, operand int64, was *int64) (Op, error)
	// CompareSwap starts to replace a word if it is the one expected. was, if not nil,
	// gets what was there before, so that the word has been replaced if that is expected;
	// it is undefined until Wait.
	CompareSwap(at Address, expected, replacement int64, was *int64) (Op, error)
}
