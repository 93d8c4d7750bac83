package rank

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"musubi/live/shm"
	"musubi/rma"
)

// Each member of a shared barrier has a part of it in its arena. A member writes its notes
// to its own part, and looks at those of others: that is one line of memory from each
// to each, and a rank that comes last need not wait for its turn on a shared processor once
// more before it goes on.

// barrierPart is where a member posts, each round in the next slot.
type barrierPart struct {
	notes [shm.NoteSlots]shm.Note
	left  atomic.Uint32 // other members that have left the barrier
	_     [shm.LineBytes - 4]byte
	state shm.NoteState // of the member, which nobody else looks at
	_     [shm.LineBytes - unsafe.Sizeof(shm.NoteState{})]byte
	long  [shm.NoteSlots][rma.NoteBytes]byte
}

const barrierPartBytes = int(unsafe.Sizeof(barrierPart{}))

// Programs in C have been told where long notes lie.
var _ = [1]struct{}{}[unsafe.Offsetof(barrierPart{}.long)-shm.LongNotesAt]

// memory returns where a note of some bytes lies that is posted in a round.
func (p *barrierPart) memory(round uint64, bytes int) []byte {
	if slot := round % shm.NoteSlots; bytes > shm.ShortNote {
		return p.long[slot][:bytes]
	} else {
		return p.notes[slot].Data[:bytes]
	}
}

// has reports whether the member has posted in a round, one of the last shm.NoteSlots.
func (p *barrierPart) has(round uint64) bool {
	return p.notes[round%shm.NoteSlots].Word.Load()>>shm.NoteRoundShift >= round
}

// takeLines takes the lines of the next note back from those who have read the one that is there: so the member need not do so
// when it posts, for which others wait. Only the member writes there, and writes what is there. The note is likely to be as long
// as that one, as programs do the same again.
func (b *sharedBarrier) takeLines() {
	n := &b.own.notes[(b.state.Round+1)%shm.NoteSlots]
	bytes := n.Word.Load() & (1<<shm.NoteRoundShift - 1)
	if bytes > shm.LineBytes-shm.WordBytes && b.state.Reached+shm.NoteSlots-2 < b.state.Round { // one may read the note that is there
		return
	}
	for at := uint64(0); at < min(shm.WordBytes+bytes, mostAhead); at += shm.LineBytes {
		word := (*atomic.Uint64)(unsafe.Add(unsafe.Pointer(n), at))
		shm.StoreRelease(word, word.Load())
	}
}

// mostAhead is of how many bytes of a note lines are taken ahead.
const mostAhead = 4 * shm.LineBytes

// sharedBarrier is what a member knows of one.
type sharedBarrier struct {
	r       *Rank
	begin   int // of its part, in its arena
	own     *barrierPart
	ranks   []int          // of the members
	parts   []*barrierPart // of the members
	missing int            // member that was missing at the last look; -1: none
	state   *shm.NoteState
}

// Shares reports whether another rank is in the group.
func (r *member) Shares(rank int) bool {
	return rank >= 0 && rank < r.Size() && r.job.IsLocal(rank)
}

func (r *Rank) NewSharedBarrier() rma.SharedBarrier {
	r.clearBarriers()
	begin := r.arena.Take(barrierPartBytes)
	if begin < 0 {
		return nil
	}
	r.notes++
	b := &sharedBarrier{r: r, begin: begin}
	b.own = partIn(r.job, b.Part())
	b.state = &b.own.state
	b.ranks, b.parts, b.missing = []int{r.number}, []*barrierPart{b.own}, -1
	return b
}

// Part is where the part is in all arenas.
func (b *sharedBarrier) Part() uint64 { return uint64(b.r.arena.Begin + b.begin) }

// partIn finds a part in all arenas, nil if it cannot be there.
func partIn(g *shm.Region, part uint64) *barrierPart {
	if part%shm.LineBytes != 0 || part > uint64(len(g.Arenas)) || uint64(len(g.Arenas))-part < uint64(barrierPartBytes) {
		return nil
	}
	return (*barrierPart)(unsafe.Pointer(&g.Arenas[part]))
}

func (b *sharedBarrier) Join(ranks []int, parts []uint64) error {
	found := make([]*barrierPart, 0, len(parts))
	for i, part := range parts {
		p := partIn(b.r.job, part)
		if i >= len(ranks) || !b.r.Shares(ranks[i]) || p == nil {
			return fmt.Errorf("rma: Join of a shared barrier with part %#x; expected one that a rank of the same host has told", part)
		}
		found = append(found, p)
	}
	if len(ranks) != len(parts) || !slices.Contains(found, b.own) {
		return errors.New("rma: Join of a shared barrier without the part of this rank; expected ranks and parts of all members")
	}
	b.ranks, b.parts = slices.Clone(ranks), found
	return nil
}

// room is the round in which all members have to have posted before this one posts in the next: then
// nobody reads the note that is overwritten.
func (b *sharedBarrier) room() uint64 { return b.state.Round + 2 - min(b.state.Round+2, shm.NoteSlots) }

// MayPost looks at rounds that are not far back first, so that it need not look again in the next ones.
func (b *sharedBarrier) MayPost() bool {
	return b.state.HandedOn == 1 || b.state.Reached >= b.room() || b.mayPostNow()
}

func (b *sharedBarrier) mayPostNow() bool {
	return b.allIn(b.state.Round-min(b.state.Round, 1)) || b.allIn(b.room())
}

// allIn reports whether all members have posted in a round, one of the last.
func (b *sharedBarrier) allIn(round uint64) bool {
	for i, p := range b.parts {
		if !p.has(round) {
			b.missing = i
			return false
		}
	}
	b.state.Reached, b.missing = max(b.state.Reached, round), -1
	return b.state.Reached >= b.room()
}

func (b *sharedBarrier) AwaitRoom(list ...rma.Op) (bool, error) {
	return b.awaitUntil(b.MayPost, list)
}

func (b *sharedBarrier) Post(note []byte, sole bool) (posted bool, err error) {
	switch {
	case b.state.HandedOn == 1:
		b.state.HandedOn = 0
		return true, nil
	case len(note) > rma.NoteBytes:
		return false, fmt.Errorf("rma: note of %d bytes; expected at most %d", len(note), rma.NoteBytes)
	case b.state.Reached < b.room() && !b.mayPostNow():
		return false, nil
	}
	b.state.Round++
	b.state.Here = 0
	copy(b.own.memory(b.state.Round, len(note)), note)
	n := &b.own.notes[b.state.Round%shm.NoteSlots]
	word := b.state.Round<<shm.NoteRoundShift | uint64(len(note))
	if b.r.job.Header.Sleeps == 0 {
		shm.StoreRelease(&n.Word, word)
		return true, nil
	}
	n.Word.Store(word)
	// Whoever waits for all members, and sleeps, has not seen the last note of the round. Its member sees all.
	if b.isComplete() || sole {
		for _, rank := range b.ranks {
			b.r.job.Wake(rank)
		}
	}
	return true, nil
}

// isComplete reports whether the notes of all members are there.
func (b *sharedBarrier) isComplete() bool {
	for b.state.Here < uint64(len(b.parts)) {
		if !b.parts[b.state.Here].has(b.state.Round) {
			return false
		}
		b.state.Here++
	}
	b.state.Reached = b.state.Round
	return true
}

func (b *sharedBarrier) Posted(member int) bool {
	posted := false
	if member == rma.AllMembers {
		posted, member = b.isComplete(), int(b.state.Here)
	} else {
		posted = b.parts[member].has(b.state.Round)
	}
	if b.missing = member; posted {
		b.missing = -1
	}
	return posted
}

func (b *sharedBarrier) Await(member int, list ...rma.Op) (bool, error) {
	if b.r.job.Header.Sleeps == 0 {
		if member == rma.AllMembers { // who wait for this one, too
			b.takeLines()
		}
		if b.peek(member) {
			return true, nil
		}
	} else if b.r.giveTurns(func() bool { return b.Posted(member) }) {
		return true, nil
	}
	return b.awaitUntil(func() bool { return b.Posted(member) }, list)
}

// peek looks for notes only, for a moment, and reports whether they are there.
func (b *sharedBarrier) peek(member int) bool {
	for range 8 * peekRounds {
		if b.Posted(member) {
			return true
		}
	}
	return false
}

// awaitUntil blocks until a condition on notes holds, or Await of the process would return.
func (b *sharedBarrier) awaitUntil(holds func() bool, list []rma.Op) (bool, error) {
	r := b.r
	if holds() {
		return true, nil
	}
	if err := r.ready(); err != nil {
		return false, err
	}
	err := r.awaitArrival(list, holds)
	return b.missing < 0, err
}

// Notes returns what a program in C needs to post and to take short notes by itself, as it does in lanes.
func (b *sharedBarrier) Notes() shm.Notes {
	n := shm.Notes{State: b.state, Parts: make([]unsafe.Pointer, len(b.parts)), Own: slices.Index(b.parts, b.own)}
	for i, p := range b.parts {
		n.Parts[i] = unsafe.Pointer(p)
	}
	if b.r.Sleeps() {
		for _, rank := range b.ranks {
			n.Sleeping = append(n.Sleeping, &b.r.job.Ranks[rank].Sleeping)
		}
	}
	return n
}

func (b *sharedBarrier) Round() uint64 { return b.state.Round }

func (b *sharedBarrier) Missing() int { return b.missing }

func (b *sharedBarrier) Note(member int) []byte {
	p := b.parts[member]
	bytes := p.notes[b.state.Round%shm.NoteSlots].Word.Load() & (1<<shm.NoteRoundShift - 1)
	return p.memory(b.state.Round, int(bytes))
}

// Leave tells the other members, who may give back their parts when all have left.
func (b *sharedBarrier) Leave() {
	for _, p := range b.parts {
		if p != b.own {
			p.left.Add(1)
		}
	}
	b.r.barriers = append(b.r.barriers, b)
	b.r.clearBarriers()
}

// clearBarriers gives back the memory of barriers that all members have left.
func (r *Rank) clearBarriers() {
	r.barriers = slices.DeleteFunc(r.barriers, func(b *sharedBarrier) bool {
		if int(b.own.left.Load()) < len(b.parts)-1 {
			return false
		}
		r.arena.GiveBack(b.begin, barrierPartBytes)
		r.notes--
		return true
	})
}
