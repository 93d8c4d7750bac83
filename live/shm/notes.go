package shm

import (
	"sync/atomic"
	"unsafe"
)

// What a member of a shared barrier posts lies in a Note. Programs in C post notes and look for them by themselves between two
// calls; abi/front/notes.h has the same types.

const (
	// NoteSlots is how many notes a member has room for. A note is overwritten so many rounds later, when
	// all members have posted in the round behind it, and so do not read it any more.
	NoteSlots = 4
	// ShortNote is the length of the longest note that lies beside its word, so that short ones need
	// few pages.
	ShortNote = 1 << 10
	// NoteRoundShift is where the round begins in the word of a note.
	NoteRoundShift = 16
	// LongNotesAt is where longer notes begin in the part of a member, behind short ones and two lines of its own.
	LongNotesAt = NoteSlots*unsafe.Sizeof(Note{}) + 2*LineBytes
)

// Note is what a member has posted in a round.
type Note struct {
	Word atomic.Uint64 // round 48 bits, bytes of the note 16; written last
	Data [ShortNote]byte
	_    [LineBytes - WordBytes]byte
}

// NoteState is how far a member of a shared barrier has come.
type NoteState struct {
	Round    uint64 // that this member has posted in last
	Here     uint64 // members, from the first one on, that have been seen to post in this round
	Reached  uint64 // round in which all members have been seen to post, at least
	HandedOn uint64 // 1: the program has posted the note of an operation that it hands on
}

// Notes is what a program in C needs to post and to take notes.
type Notes struct {
	State    *NoteState
	Parts    []unsafe.Pointer // of the members
	Own      int              // which of them is this one's
	Sleeping []*atomic.Uint32 // words of the members that tell who sleeps, and has to be woken; nil: nobody does
}
