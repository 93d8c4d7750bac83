package rmatest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/rma"
)

var sharedBarrierChecks = []check{
	{"notes on barriers, with messages in between", ringRanks, notesAndMessages},
	{"barriers with other members, one after the other", ringRanks, manyBarriers},
	{"mistakes with barriers", 2, barrierMistakes},
}

// club is the set of processes that share memory with this one.
type club struct {
	rma.SharedBarriers
	members  []int
	receiver *rma.Receiver
	parts    [][]uint64 // handles received from each process
	told     []int      // number of other messages from each process
}

// newClub returns the club of a process, or nil if it shares memory with no other process.
func newClub(p rma.Process) *club {
	b, ok := p.(rma.SharedBarriers)
	if !ok {
		return nil
	}
	c := &club{SharedBarriers: b, receiver: rma.NewReceiver(p), parts: make([][]uint64, p.Size()), told: make([]int, p.Size())}
	for rank := range p.Size() {
		if b.Shares(rank) {
			c.members = append(c.members, rank)
		}
	}
	return c
}

// send sends a message with a part, or an empty one.
func (c *club) send(to int, part ...uint64) error {
	var data []byte
	for _, word := range part {
		data = binary.LittleEndian.AppendUint64(data, word)
	}
	op, err := c.IPush(to, data, rma.DMA)
	return done(c, op, err)
}

// take takes a message.
func (c *club) take() error {
	m, err := c.receiver.Receive()
	if err != nil {
		return err
	}
	if len(m.Data) > 0 {
		c.parts[m.From] = append(c.parts[m.From], binary.LittleEndian.Uint64(m.Data))
	} else {
		c.told[m.From]++
	}
	return nil
}

// barrier makes a shared barrier of some members. It returns nil if one of them has no memory for it.
func (c *club) barrier(members []int) (rma.SharedBarrier, error) {
	barrier, own := c.NewSharedBarrier(), uint64(0)
	if barrier != nil {
		own = barrier.Part() + 1
	}
	for _, to := range members {
		if err := c.send(to, own); err != nil {
			return nil, err
		}
	}
	var parts []uint64
	for _, from := range members {
		for len(c.parts[from]) == 0 {
			if err := c.take(); err != nil {
				return nil, err
			}
		}
		parts = append(parts, c.parts[from][0]-1)
		c.parts[from] = c.parts[from][1:]
	}
	if !slices.Contains(parts, ^uint64(0)) {
		return barrier, barrier.Join(members, parts)
	}
	if barrier != nil {
		barrier.Leave()
	}
	return nil, nil
}

// turn runs a round of a shared barrier, and compares the notes that a member waits for: those of all,
// of one, or none. It draws the same random numbers at all members.
func (c *club) turn(b rma.SharedBarrier, members []int, number int, rng *rand.Rand) error {
	notes := make([][]byte, len(members))
	for i, rank := range members {
		notes[i] = text(rank, number, []int{0, rng.IntN(20), rng.IntN(2000), rng.IntN(rma.NoteBytes + 1)}[rng.IntN(4)])
	}
	own, root, way := slices.Index(members, c.Rank()), rng.IntN(len(members)), rng.IntN(4)
	if err := c.post(b, number, slices.Clone(notes[own]), way == fromRoot && own == root, rng.IntN(2) == 0); err != nil {
		return err
	}
	switch {
	case way == fromAll, way == toRoot && own == root:
		return c.await(b, rma.AllMembers, members, number, notes)
	case way == fromRoot && own != root:
		return c.await(b, root, members, number, notes)
	}
	return nil
}

// Ways of a round: whose notes members wait for.
const (
	fromAll = iota
	fromRoot
	toRoot // the root only
	fromNobody
)

// post posts a note. It waits for room before, or only if there was none.
func (c *club) post(b rma.SharedBarrier, number int, note []byte, sole, before bool) error {
	if before {
		if err := c.room(b, number); err != nil {
			return err
		}
	}
	posted, err := b.Post(note, sole)
	if err != nil || posted {
		return err
	}
	if before {
		return fmt.Errorf("turn %d: no room for a note, and member %d is missing; MayPost was true", number, b.Missing())
	}
	return c.post(b, number, note, sole, true)
}

// room waits until a note may be posted.
func (c *club) room(b rma.SharedBarrier, number int) error {
	for !b.MayPost() {
		there, err := b.AwaitRoom()
		switch {
		case err != nil:
			return err
		case there != (b.Missing() < 0):
			return fmt.Errorf("turn %d: AwaitRoom says %t, and member %d is missing", number, there, b.Missing())
		case !there:
			if err := c.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// await waits for a note, or for all, and compares.
func (c *club) await(b rma.SharedBarrier, from int, members []int, number int, notes [][]byte) error {
	for {
		posted, err := b.Await(from)
		switch missing := b.Missing(); {
		case err != nil:
			return err
		case posted && missing != -1, !posted && (missing < 0 || missing >= len(members)), posted && !b.Posted(from):
			return fmt.Errorf("turn %d: Await says %t, and member %d of %d is missing", number, posted, missing, len(members))
		case posted && from == rma.AllMembers:
			return c.compare(b, members, number, notes)
		case posted:
			return same(fmt.Sprintf("turn %d: note of rank %d", number, members[from]), b.Note(from), notes[from])
		}
		if err := c.take(); err != nil {
			return err
		}
	}
}

func (c *club) compare(b rma.SharedBarrier, members []int, number int, notes [][]byte) error {
	for i, rank := range members {
		if err := same(fmt.Sprintf("turn %d: note of rank %d", number, rank), b.Note(i), notes[i]); err != nil {
			return err
		}
	}
	return nil
}

// notesAndMessages runs rounds of two shared barriers with different orders of members, and lets
// some ranks send messages before they post.
func notesAndMessages(_ *World, p rma.Process) error {
	c := newClub(p)
	if c == nil {
		return nil
	}
	orders := [2][]int{c.members, slices.Clone(c.members)}
	slices.Reverse(orders[1])
	var barriers [2]rma.SharedBarrier
	for i, members := range orders {
		var err error
		if barriers[i], err = c.barrier(members); err != nil || barriers[i] == nil {
			return err
		}
	}
	rng, sent := newRandom(len(c.members), 0), make([]int, p.Size())
	for number := range 300 {
		from, to := c.members[rng.IntN(len(c.members))], c.members[rng.IntN(len(c.members))]
		if to == p.Rank() {
			sent[from]++
		}
		if from == p.Rank() {
			if err := c.send(to); err != nil {
				return err
			}
		}
		i := rng.IntN(2)
		if err := c.turn(barriers[i], orders[i], number, rng); err != nil {
			return err
		}
	}
	for from, n := range sent {
		for c.told[from] < n {
			if err := c.take(); err != nil {
				return err
			}
		}
	}
	barriers[0].Leave()
	barriers[1].Leave()
	return nil
}

// manyBarriers runs a round of shared barriers with changing members. A rank that has left one may
// make the next while others have not yet read the last notes.
func manyBarriers(_ *World, p rma.Process) error {
	c := newClub(p)
	if c == nil {
		return nil
	}
	rng := newRandom(len(c.members), 1)
	for number := range 200 {
		var members []int
		for _, rank := range c.members {
			if rng.IntN(3) > 0 {
				members = append(members, rank)
			}
		}
		turns := newRandom(number, 2)
		if !slices.Contains(members, p.Rank()) {
			continue
		}
		barrier, err := c.barrier(members)
		if err != nil {
			return err
		}
		if barrier == nil {
			continue
		}
		for i := range 1 + turns.IntN(3) {
			if err := c.turn(barrier, members, number+i, turns); err != nil {
				return err
			}
		}
		barrier.Leave()
	}
	return nil
}

func barrierMistakes(_ *World, p rma.Process) error {
	c := newClub(p)
	if c == nil {
		return nil
	}
	if c.Shares(-1) || c.Shares(p.Size()) {
		return errors.New("a process shares memory with one that does not exist")
	}
	barrier := c.NewSharedBarrier()
	if barrier == nil {
		return nil
	}
	own := []int{p.Rank()}
	_, tooLong := barrier.Post(make([]byte, rma.NoteBytes+1), false)
	for i, err := range []error{
		barrier.Join(own, nil),
		barrier.Join(nil, []uint64{barrier.Part()}),
		barrier.Join(own, []uint64{1 << 60}),
		barrier.Join(own, []uint64{barrier.Part() + 1}),
		barrier.Join([]int{p.Size()}, []uint64{barrier.Part()}),
		tooLong,
	} {
		if err == nil {
			return fmt.Errorf("mistake %d succeeds", i)
		}
	}
	if err := c.turn(barrier, own, 0, newRandom(0, 0)); err != nil {
		return fmt.Errorf("alone: %w", err)
	}
	barrier.Leave()
	return nil
}
