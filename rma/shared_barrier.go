package rma

// NoteBytes is the length of the longest note of a SharedBarrier, in bytes.
const NoteBytes = 1 << 10

// SharedBarriers is a Process that shares memory with others, so that some of them can use a
// SharedBarrier. It is optional.
type SharedBarriers interface {
	Process

	// Shares reports whether this process and another one can be members of a shared barrier. The
	// relation is transitive, and does not change.
	Shares(rank int) bool
	// NewSharedBarrier returns a shared barrier with this process as its only member, or nil if
	// there is no shared memory left for it.
	NewSharedBarrier() SharedBarrier
}

// SharedBarrier is a barrier in shared memory in which each member also posts a note and reads the
// notes of all others, without a message. All members post in every round, and the next round
// begins when all notes of a round have been posted.
type SharedBarrier interface {
	// Part is the handle that the other members need for Join: it names the place where this
	// process posts.
	Part() uint64
	// Join makes this process one of several members, which have these ranks and parts. All
	// members call it with the same arguments, once, before they post. It fails if a part does not
	// exist, or none of them belongs to this process.
	Join(ranks []int, parts []uint64) error
	// Post posts the note of this process for the next round. It may be called when all notes of
	// the previous round have been posted. It fails if the note is too long.
	Post(note []byte) error
	// Await blocks until all notes of the round are posted, or until Process.Await with these
	// operations would return, and reports whether all notes are posted.
	Await(ops ...Op) (complete bool, err error)
	// Complete looks, without waiting, whether all notes of the round are posted.
	Complete() bool
	// Missing returns the first member, in the order of Join, whose note was missing when this
	// process looked last; -1 if none was.
	Missing() int
	// Note returns the note of a member when all are posted. The program may read it, and not
	// write it, until this process posts again.
	Note(member int) []byte
	// Leave ends the use of the shared barrier. Other members may still be in their last round.
	Leave()
}
