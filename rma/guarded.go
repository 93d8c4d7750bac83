package rma

// Violation is an access to memory of this process that the access check of its interface has
// refused.
type Violation struct {
	From            int    // rank
	Process, Access uint16 // ids that the interface of From has put into its packets
	Times           uint64
}

// Guarded is a Process that learns who has tried to access its memory without the right to, such as
// on SSS-CORE (Kunisawa et al., 1997), where a packet names the access id of its target process. It
// is optional.
type Guarded interface {
	Process

	// Violations returns the violations that have been reported to this process so far, in the
	// order of the first attempts. It only reads memory, so a condition of WaitUntil may call it.
	Violations() []Violation
}
