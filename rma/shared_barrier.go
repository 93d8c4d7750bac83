package rma

// NoteBytes is the length of the longest note on a SharedBarrier.
const NoteBytes = 1 << 10

// SharedBarriers is a Process that shares memory with others, so that some of them can have a
// SharedBarrier. It is optional.
type SharedBarriers interface {
	Process

	// Shares reports whether this process and another one can be members of a board. All
	// with which this one can, can with each other. It does not change.
	Shares(rank int) bool
	// NewSharedBarrier returns a board with this process as its only member, or nil if it has no
	// memory left for that.
	NewSharedBarrier() SharedBarrier
}

// SharedBarrier is where its members tell each other something in turns, without a message: each
// posts a note, and reads those of all when all are there. All members post in every turn,
// and the next one begins when all notes of a turn have been there.
type SharedBarrier interface {
	// Part is what the other members need for Join: what this process posts is there.
	Part() uint64
	// Join makes this process one of several members, which have these ranks and parts.
	// All of them call it alike, once, before they post. It fails if there are no such
	// parts, or none of them is that of this process.
	Join(ranks []int, parts []uint64) error
	// Post posts the note of this process for the next turn. It may be called when all
	// notes of the turn before have been there. It fails if the note is too long.
	Post(note []byte) error
	// Await blocks until all notes of the turn are there, or there is what
	// Process.Await blocks until, and reports whether they are.
	Await(ops ...Op) (complete bool, err error)
	// Missing returns the first member, in the order of Join, whose note was not there
	// yet when this process looked last; -1 if there is none.
	Missing() int
	// Note returns the note of a member when all are there. It may be read, and not be
	// written, until this process posts again.
	Note(member int) []byte
	// Leave ends the use of the board. Other members may be in their last turn still.
	Leave()
}
