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

	// NameAccess sets the access id that this process names, whatever the target, in what it starts
	// from now on. Before that it names the right ones, which the job has told it. 0 is the access
	// id of no process.
	NameAccess(id uint16)
	// Violations returns the violations that have been reported to this process so far, in the
	// order of the first attempts. It only reads memory, so a condition of WaitUntil may call it.
	Violations() []Violation
	// Stop asks the system to stop the process of a rank. The operation is complete when that is
	// done: the program there goes no further, and only what it has started before still takes
	// place. Its memory stays exposed. It fails if no violation by that rank has been reported to
	// this process.
	Stop(rank int) (Op, error)
}
