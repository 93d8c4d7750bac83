package live

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"musubi/rma"
)

// The members of a board have a part of it each, in their arenas. A member writes its notes
// to its own part, and looks at those of all others: that is one line of memory from each
// to each, and a rank that comes last need not wait for its turn on a shared processor once
// more before it goes on.

// boardPart is where a member posts: notes of even turns and odd ones in different places,
// as others may read the last one still when it posts the next. They have read that before
// it when they post the last.
type boardPart struct {
	notes [2]boardNote
	left  atomic.Uint32 // other members that have left the board
}

type boardNote struct {
	word atomic.Uint64 // turn 48 bits, bytes of the note 16; written last
	data [rma.NoteBytes]byte
	_    [lineBytes - wordBytes]byte
}

const (
	boardPartBytes = int(unsafe.Sizeof(boardPart{}))
	noteTurnShift  = 16
)

// board is what a member knows of one.
type board struct {
	r     *rank
	begin int // of its part, in its arena
	own   *boardPart
	ranks []int        // of the members
	parts []*boardPart // likewise
	turn  uint64
	here  int // members, from the first one on, whose notes have been seen in this turn
}

// Shares reports whether another rank is in the group.
func (r *rank) Shares(rank int) bool {
	return rank >= 0 && rank < r.Size() && r.job.isLocal(rank)
}

func (r *rank) NewSharedBarrier() rma.SharedBarrier {
	r.clearBoards()
	begin := r.arena.take(boardPartBytes)
	if begin < 0 {
		return nil
	}
	b := &board{r: r, begin: begin}
	b.own = r.job.boardPart(b.Part())
	b.ranks, b.parts = []int{r.number}, []*boardPart{b.own}
	return b
}

// Part is where the part is in all arenas.
func (b *board) Part() uint64 { return uint64(b.r.arena.begin + b.begin) }

// boardPart finds a part in all arenas, nil if it cannot be there.
func (g *region) boardPart(part uint64) *boardPart {
	if part%lineBytes != 0 || part > uint64(len(g.arenas)) || uint64(len(g.arenas))-part < uint64(boardPartBytes) {
		return nil
	}
	return (*boardPart)(unsafe.Pointer(&g.arenas[part]))
}

func (b *board) Join(ranks []int, parts []uint64) error {
	found := make([]*boardPart, 0, len(parts))
	for i, part := range parts {
		p := b.r.job.boardPart(part)
		if i >= len(ranks) || !b.r.Shares(ranks[i]) || p == nil {
			return fmt.Errorf("rma: Join of a board with part %#x; expected one that a rank has told that this one shares memory with", part)
		}
		found = append(found, p)
	}
	if len(ranks) != len(parts) || !slices.Contains(found, b.own) {
		return errors.New("rma: Join of a board without the part of this rank; expected ranks and parts of all members")
	}
	b.ranks, b.parts = slices.Clone(ranks), found
	return nil
}

func (b *board) Post(note []byte) error {
	if len(note) > rma.NoteBytes {
		return fmt.Errorf("rma: note of %d bytes; expected at most %d", len(note), rma.NoteBytes)
	}
	b.turn++
	b.here = 0
	n := &b.own.notes[b.turn&1]
	copy(n.data[:], note)
	word := b.turn<<noteTurnShift | uint64(len(note))
	if b.r.job.header.sleeps == 0 {
		storeRelease(&n.word, word)
		return nil
	}
	n.word.Store(word)
	// Whoever sleeps has not seen the last note. Its member sees all.
	if b.isComplete() {
		for _, rank := range b.ranks {
			b.r.job.wake(rank)
		}
	}
	return nil
}

// isComplete reports whether the notes of all members are there.
func (b *board) isComplete() bool {
	for b.here < len(b.parts) {
		if b.parts[b.here].notes[b.turn&1].word.Load()>>noteTurnShift != b.turn {
			return false
		}
		b.here++
	}
	return true
}

func (b *board) Await(list ...rma.Op) (bool, error) {
	r := b.r
	if b.isComplete() || r.job.header.sleeps == 0 && b.glance() {
		return true, nil
	}
	if err := r.ready(); err != nil {
		return false, err
	}
	err := r.await(inAwait, func() bool { return b.isComplete() || r.hasArrivalOr(list) })
	return b.here == len(b.parts), err
}

// glance looks for notes only, for a moment, and reports whether all are there.
func (b *board) glance() bool {
	for range 8 * glances {
		if b.isComplete() {
			return true
		}
	}
	return false
}

func (b *board) Missing() int {
	if b.here == len(b.parts) {
		return -1
	}
	return b.here
}

func (b *board) Note(member int) []byte {
	n := &b.parts[member].notes[b.turn&1]
	return n.data[:n.word.Load()&(1<<noteTurnShift-1)]
}

// Leave tells the other members, who may give back their parts when all have left.
func (b *board) Leave() {
	for _, p := range b.parts {
		if p != b.own {
			p.left.Add(1)
		}
	}
	b.r.boards = append(b.r.boards, b)
	b.r.clearBoards()
}

// clearBoards gives back the memory of boards that everybody has left.
func (r *rank) clearBoards() {
	r.boards = slices.DeleteFunc(r.boards, func(b *board) bool {
		if int(b.own.left.Load()) < len(b.parts)-1 {
			return false
		}
		r.arena.giveBack(b.begin, boardPartBytes)
		return true
	})
}
