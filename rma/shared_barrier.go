package rma

// NoteBytes is the length of the longest note of a SharedBarrier, in bytes.
const NoteBytes = 16 << 10

// AllMembers stands for all members of a SharedBarrier in place of one.
const AllMembers = -1

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
// notes of others, without a message. All members post in every round. A member waits in a round for
// all others, for one of them or for nobody, so that it may be some rounds ahead of others.
type SharedBarrier interface {
	// Part is the handle that the other members need for Join: it names the place where this
	// process posts.
	Part() uint64
	// Join makes this process one of several members, which have these ranks and parts. All
	// members call it with the same arguments, once, before they post. It fails if a part does not
	// exist, or none of them belongs to this process.
	Join(ranks []int, parts []uint64) error
	// MayPost looks, without waiting, whether there is room for the next round: whether all members
	// have begun a round that is not too far back. There always is when all notes of the last one
	// are posted.
	MayPost() bool
	// AwaitRoom blocks until MayPost, or until Process.Await with these operations would return, and
	// reports MayPost.
	AwaitRoom(ops ...Op) (room bool, err error)
	// Post posts the note of this process for the next round, and reports false if there is no room.
	// Sole says that others wait in this round for this note alone, and are to be woken. It fails if
	// the note is too long.
	Post(note []byte, sole bool) (posted bool, err error)
	// Round returns how many notes this process has posted.
	Round() uint64
	// Await blocks until a member, or all with AllMembers, have posted in the round, or until
	// Process.Await with these operations would return, and reports Posted.
	Await(member int, ops ...Op) (posted bool, err error)
	// Posted looks, without waiting, whether a member, or all with AllMembers, have posted in the round.
	Posted(member int) bool
	// Missing returns a member that had not posted when this process looked last for what it waits
	// for; -1 if there was none.
	Missing() int
	// Note returns the note of a member that has posted. The program may read it, and not write it,
	// until this process posts again.
	Note(member int) []byte
	// Leave ends the use of the shared barrier. Other members may still be in their last rounds.
	Leave()
}
