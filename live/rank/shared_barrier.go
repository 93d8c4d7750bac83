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

// noteSlots is how many notes a part has room for. A note is overwritten so many rounds later, when
// all members have posted in the round behind it, and so do not read it any more.
const noteSlots = 4

// shortNote is the length of the longest note that lies beside its word, so that short ones need
// few pages.
const shortNote = 1 << 10

// barrierPart is where a member posts, each round in the next slot.
type barrierPart struct {
	notes [noteSlots]barrierNote
	left  atomic.Uint32 // other members that have left the barrier
	_     [shm.LineBytes - 4]byte
	long  [noteSlots][rma.NoteBytes]byte
}

type barrierNote struct {
	word atomic.Uint64 // round 48 bits, bytes of the note 16; written last
	data [shortNote]byte
	_    [shm.LineBytes - shm.WordBytes]byte
}

const (
	barrierPartBytes = int(unsafe.Sizeof(barrierPart{}))
	noteRoundShift   = 16
)

// memory returns where a note of some bytes lies that is posted in a round.
func (p *barrierPart) memory(round uint64, bytes int) []byte {
	if slot := round % noteSlots; bytes > shortNote {
		return p.long[slot][:bytes]
	} else {
		return p.notes[slot].data[:bytes]
	}
}

// has reports whether the member has posted in a round, one of the last noteSlots.
func (p *barrierPart) has(round uint64) bool {
	return p.notes[round%noteSlots].word.Load()>>noteRoundShift >= round
}

// sharedBarrier is what a member knows of one.
type sharedBarrier struct {
	r       *Rank
	begin   int // of its part, in its arena
	own     *barrierPart
	ranks   []int          // of the members
	parts   []*barrierPart // of the members
	round   uint64
	here    int    // members, from the first one on, that have been seen to post in this round
	reached uint64 // round in which all members have been seen to post, at least
	missing int    // member that was missing at the last look; -1: none
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
	b := &sharedBarrier{r: r, begin: begin}
	b.own = partIn(r.job, b.Part())
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
func (b *sharedBarrier) room() uint64 { return b.round + 2 - min(b.round+2, noteSlots) }

// MayPost looks at rounds that are not far back first, so that it need not look again in the next ones.
func (b *sharedBarrier) MayPost() bool {
	return b.reached >= b.room() || b.allIn(b.round-min(b.round, 1)) || b.allIn(b.room())
}

// allIn reports whether all members have posted in a round, one of the last.
func (b *sharedBarrier) allIn(round uint64) bool {
	for i, p := range b.parts {
		if !p.has(round) {
			b.missing = i
			return false
		}
	}
	b.reached, b.missing = max(b.reached, round), -1
	return b.reached >= b.room()
}

func (b *sharedBarrier) AwaitRoom(list ...rma.Op) (bool, error) {
	return b.awaitUntil(b.MayPost, list)
}

func (b *sharedBarrier) Post(note []byte, sole bool) error {
	switch {
	case len(note) > rma.NoteBytes:
		return fmt.Errorf("rma: note of %d bytes; expected at most %d", len(note), rma.NoteBytes)
	case !b.MayPost():
		return fmt.Errorf("rma: note of round %d, but member %d has not posted in round %d; expected one when MayPost reports true", b.round+1, b.missing, b.room())
	}
	b.round++
	b.here = 0
	copy(b.own.memory(b.round, len(note)), note)
	n := &b.own.notes[b.round%noteSlots]
	word := b.round<<noteRoundShift | uint64(len(note))
	if b.r.job.Header.Sleeps == 0 {
		shm.StoreRelease(&n.word, word)
		return nil
	}
	n.word.Store(word)
	// Whoever waits for all members, and sleeps, has not seen the last note of the round. Its member sees all.
	if b.isComplete() || sole {
		for _, rank := range b.ranks {
			b.r.job.Wake(rank)
		}
	}
	return nil
}

// isComplete reports whether the notes of all members are there.
func (b *sharedBarrier) isComplete() bool {
	for b.here < len(b.parts) {
		if !b.parts[b.here].has(b.round) {
			return false
		}
		b.here++
	}
	b.reached = b.round
	return true
}

func (b *sharedBarrier) Posted(member int) bool {
	posted := false
	if member == rma.AllMembers {
		posted, member = b.isComplete(), b.here
	} else {
		posted = b.parts[member].has(b.round)
	}
	if b.missing = member; posted {
		b.missing = -1
	}
	return posted
}

func (b *sharedBarrier) Await(member int, list ...rma.Op) (bool, error) {
	return b.awaitUntil(func() bool { return b.Posted(member) }, list)
}

// awaitUntil blocks until a condition on notes holds, or Await of the process would return.
func (b *sharedBarrier) awaitUntil(holds func() bool, list []rma.Op) (bool, error) {
	r := b.r
	if holds() || r.job.Header.Sleeps == 0 && peek(holds) {
		return true, nil
	}
	if err := r.ready(); err != nil {
		return false, err
	}
	err := r.await(shm.InAwait, func() bool { return holds() || r.hasArrivalOr(list) })
	return b.missing < 0, err
}

// peek looks for notes only, for a moment, and reports whether a condition on them holds.
func peek(holds func() bool) bool {
	for range 8 * peekRounds {
		if holds() {
			return true
		}
	}
	return false
}

func (b *sharedBarrier) Missing() int { return b.missing }

func (b *sharedBarrier) Note(member int) []byte {
	p := b.parts[member]
	bytes := p.notes[b.round%noteSlots].word.Load() & (1<<noteRoundShift - 1)
	return p.memory(b.round, int(bytes))
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
		return true
	})
}
