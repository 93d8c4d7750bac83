package rma

// Atomics is a Process whose interface, or the target's, changes single words of memory atomically,
// such as fetch-and-add and compare-and-swap of InfiniBand. It is optional.
//
// A word has 8 bytes, in the byte order of the target's processor, and is aligned to 8 bytes: its
// offset is a multiple of 8 in memory that begins at such an address. ExposeWindow returns such
// memory. An operation on any other place fails.
//
// Operations of Atomics on the same word are linearizable: they take place one after the other,
// whoever starts them, each at one moment between the call that starts it and its completion. Those
// of one process take place in the order in which it has started them. Every other access to the
// word at the same time is a race: a Push that writes it, a Pull that reads it, and the target's
// own processor. The target uses operations with itself as their target instead. It sees a word
// that others have changed as it sees the data that they have pushed.
type Atomics interface {
	Process

	// FetchOp starts to replace a word by r.Apply(word, operand). was, if not nil, gets the old
	// value; it is undefined until Wait.
	FetchOp(at Address, r Reduction, operand int64, was *int64) (Op, error)
	// CompareSwap starts to replace a word if it has the expected value. was, if not nil, gets the
	// old value, so the word has been replaced if that equals expected; it is undefined until
	// Wait.
	CompareSwap(at Address, expected, replacement int64, was *int64) (Op, error)
}
