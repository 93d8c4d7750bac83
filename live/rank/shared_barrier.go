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
// to its own part, and looks at those of all others: that is one line of memory from each
// to each, and a rank that comes last need not wait for its turn on a shared processor once
// more before it goes on.

// barrierPart is where a member posts: notes of even rounds and odd ones in different places,
// as others may read the last one still when it posts the next. They have read that before
// it when they post the last.
type barrierPart struct {
	notes [2]barrierNote
	left  atomic.Uint32 // other members that have left the barrier
}

type barrierNote struct {
	word atomic.Uint64 // round 48 bits, bytes of the note 16; written last
	data [rma.NoteBytes]byte
	_    [shm.LineBytes - shm.WordBytes]byte
}

const (
	barrierPartBytes = int(unsafe.Sizeof(barrierPart{}))
	noteRoundShift   = 16
)

// sharedBarrier is what a member knows of one.
type sharedBarrier struct {
	r     *Rank
	begin int // of its part, in its arena
	own   *barrierPart
	ranks []int          // of the members
	parts []*barrierPart // of the members
	round uint64
	here  int // members, from the first one on, whose notes have been seen in this round
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
	b.ranks, b.parts = []int{r.number}, []*barrierPart{b.own}
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

func (b *sharedBarrier) Post(note []byte) error {
	if len(note) > rma.NoteBytes {
		return fmt.Errorf("rma: note of %d bytes; expected at most %d", len(note), rma.NoteBytes)
	}
	b.round++
	b.here = 0
	n := &b.own.notes[b.round&1]
	copy(n.data[:], note)
	word := b.round<<noteRoundShift | uint64(len(note))
	if b.r.job.Header.Sleeps == 0 {
		shm.StoreRelease(&n.word, word)
		return nil
	}
	n.word.Store(word)
	// Whoever sleeps has not seen the last note. Its member sees all.
	if b.isComplete() {
		for _, rank := range b.ranks {
			b.r.job.Wake(rank)
		}
	}
	return nil
}

// isComplete reports whether the notes of all members are there.
func (b *sharedBarrier) isComplete() bool {
	for b.here < len(b.parts) {
		if b.parts[b.here].notes[b.round&1].word.Load()>>noteRoundShift != b.round {
			return false
		}
		b.here++
	}
	return true
}

func (b *sharedBarrier) Await(list ...rma.Op) (bool, error) {
	r := b.r
	if b.isComplete() || r.job.Header.Sleeps == 0 && b.peek() {
		return true, nil
	}
	if err := r.ready(); err != nil {
		return false, err
	}
	err := r.await(shm.InAwait, func() bool { return b.isComplete() || r.hasArrivalOr(list) })
	return b.here == len(b.parts), err
}

// peek looks for notes only, for a moment, and reports whether all are there.
func (b *sharedBarrier) peek() bool {
	for range 8 * peekRounds {
		if b.isComplete() {
			return true
		}
	}
	return false
}

func (b *sharedBarrier) Complete() bool { return b.isComplete() }

func (b *sharedBarrier) Missing() int {
	if b.here == len(b.parts) {
		return -1
	}
	return b.here
}

func (b *sharedBarrier) Note(member int) []byte {
	n := &b.parts[member].notes[b.round&1]
	return n.data[:n.word.Load()&(1<<noteRoundShift-1)]
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
