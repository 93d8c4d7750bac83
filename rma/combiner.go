package rma

// Combiner is a Process whose network combines the data of several ranks on its way, and copies a result
// to several, such as NVLink SHARP in NVSwitches and SHARP in switches of InfiniBand. It is optional, and a
// matter of ranks: Combines says whether the network does it among some.
type Combiner interface {
	Process

	// Combines returns nil if the network combines data among these ranks, and else says why not.
	Combines(ranks []int) error
	// Combine starts the part of this rank in an operation in which data of some ranks is combined and
	// goes to some. All of them take part, with the same key, and the data moves when the last has
	// started. The operation is complete when the result has reached all ranks that get it. The program
	// may change neither Data nor Into until then.
	Combine(c Combination) (Op, error)
}

// Combination is the part of a rank in an operation that combines data.
type Combination struct {
	Key      uint64 // the same at all ranks that take part; no other operation under way has it
	From, To []int  // ranks whose data is combined, and ranks that get the result; each at least one
	Bytes    int    // of the data of each, and of the result
	Data     []byte // of this rank, if it is one of From
	Into     []byte // where this rank wants the result, if it is one of To
	// Apply combines from with into, into into; nil if From is one rank. The order of ranks is that of
	// From.
	Apply func(from, into []byte)
}
