package rma

// Change is one step of a sequence: the replacement of a word by r.Apply(word, operand), or if Swap
// is set, by the operand if it has the expected value.
type Change struct {
	At        Address // of a word; see Atomics
	Swap      bool
	Reduction Reduction // without Swap
	Operand   int64
	Expected  int64  // with Swap
	Was       *int64 // if not nil, gets the old value; undefined until Wait
}

// Sequencer is Atomics whose interface sends several changes of words of one target in one request;
// the target's interface carries them out one after the other (Kunisawa et al., 1997, 2.3). It is
// optional.
type Sequencer interface {
	Atomics

	// LongestSequence returns how many changes fit one request, whatever they are. It does not
	// change, and is the same at all processes.
	LongestSequence() int
	// Sequence starts changes, in the order of the list. The same word may come several times. The
	// program may change the list when Sequence returns.
	//
	// Each change is an operation of Atomics, and the changes of other processes may come between
	// two of them. The whole comes after the operations on the same words that this process has
	// started before, and before those that it starts later.
	//
	// It fails for an empty list, for one longer than LongestSequence, and if not all words lie in
	// one segment of one rank. A machine may refuse words that lie far apart, in different pages.
	// It fails and changes none if not all words are exposed, or if they are not aligned.
	Sequence(list []Change) (Op, error)
}
