package rma

// Violation is an access to memory of this process that its interface has refused, because
// who tried it has no right to.
type Violation struct {
	From            int    // rank
	Process, Access uint16 // that the interface of From has put into its packets
	Times           uint64
}

// Guarded is a Process that learns who has tried to access its memory without the right to,
// such as on SSS-CORE (Kunisawa et al., 1997), where a packet has to name the access id of the
// process that it is for. It is optional.
type Guarded interface {
	Process

	// Violations returns what this process has been told so far, in the order of the first
	// attempts. It only reads memory, and so may be part of a condition of WaitUntil.
	Violations() []Violation
}
