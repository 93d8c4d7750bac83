package collective

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// Where processes share memory, blocking operations on short data use a shared barrier: each rank
// posts a note, waits for the notes that it needs, and takes from them what is for it. A rank that
// needs none goes on at once. Nonblocking operations have a shared barrier of their own; see note_queue.go.

const (
	// mostUnshared is up to how many ranks use a shared barrier if each rank has a processor: a
	// rank reads a cache line of each other one, where dissemination waits for log2 n messages, one
	// after the other. Where ranks share processors there is no limit, as each rank then waits for
	// a processor once only.
	mostUnshared = 32
	// progressEvery is how many operations on shared barriers a rank does between two calls of
	// Progress. It may find all notes there each time, and so make no progress by waiting.
	progressEvery = 16
	// From mostOfMany bytes on, in large groups, copies of what ranks give take as long as messages do. In small ones there are fewer: ranks
	// give up to mostOfAll together, and mostOfFew each.
	mostOfMany = 1 << 10
	mostOfFew  = 4 << 10
	mostOfAll  = 16 << 10
)

// MostInNote returns how many bytes a rank gives at most, or for each other rank, in an operation on a shared barrier.
func (c *Comm) MostInNote() int {
	return max(mostOfMany, min(mostOfAll/max(1, c.Size()), mostOfFew)) // a nil communicator has no ranks
}

// isShort reports whether a rank may give so many bytes, or for another rank. Most operations have few, and need no division.
func (c *Comm) isShort(bytes int) bool { return bytes <= mostOfMany || bytes <= c.MostInNote() }

// sharedBarrier is the shared barrier of a communicator.
type sharedBarrier struct {
	decided bool              // whether there is one, by all ranks alike
	barrier rma.SharedBarrier // nil: none
	queue   *noteQueue        // of nonblocking operations; nil: none
	call    string            // function of package mpi
	failed  error             // of the machine: a round is not complete
	done    uint64            // rounds
	scratch []uint64          // to combine in, and to put notes together

	// From notes that were too long.
	exchanges backoff
	scatters  backoff
}

// useBarrier prepares the shared barrier for a blocking operation. It reports false, at all ranks
// alike, if the operation has to go by messages.
func (c *Comm) useBarrier(call string, kind algorithm.Operation) (use bool, err error) {
	if c.collectives.forced[kind] != nil {
		return false, nil
	}
	return c.mayUseBarrier(call)
}

// mayUseBarrier is useBarrier of an operation for which no algorithm can be forced.
func (c *Comm) mayUseBarrier(call string) (use bool, err error) {
	if c.job == nil || c.job.barriers == nil || !c.Passes() && c.Check(call) != nil {
		return false, nil
	}
	m := &c.shared
	if !m.decided {
		m.decided = true
		m.failed = c.makeSharedBarrier(call)
	}
	m.call = call
	return m.failed != nil || m.barrier != nil, m.failed
}

// Notes returns the shared barrier if all blocking operations on short data go by it, nil if not or not yet.
func (c *Comm) Notes() rma.SharedBarrier {
	if c.shared.failed != nil || c.collectives.forced != (choices{}) {
		return nil
	}
	return c.shared.barrier
}

// postAtBarrier posts a note for an operation, and waits for the notes of all other ranks. It
// reports false, at all ranks alike, if the operation has to go by messages.
func (c *Comm) postAtBarrier(call string, kind algorithm.Operation, note []byte) (done bool, err error) {
	if !c.isShort(len(note)) {
		return false, nil
	}
	if use, err := c.useBarrier(call, kind); !use || err != nil {
		return use, err
	}
	c.collectives.chosen = algorithm.Notes
	return true, c.fromAll(note)
}

// postNote posts a note, when there is room for it. Sole says that the other ranks wait for this note only.
func (c *Comm) postNote(note []byte, sole bool) error {
	m := &c.shared
	for {
		posted, err := m.barrier.Post(note, sole)
		if err != nil {
			return c.barrierFails(err)
		}
		if posted {
			break
		}
		if err := c.awaitNote(roomForNote); err != nil {
			return err
		}
	}
	if m.done++; m.done%progressEvery == 0 {
		if err := c.Engine.Progress(); err != nil {
			return c.barrierFails(err)
		}
	}
	return nil
}

// roomForNote stands for the room for another note, among the ranks to wait for.
const roomForNote = rma.AllMembers - 1

// awaitNote waits for the note of a rank, of all with rma.AllMembers, or for room, and makes progress meanwhile.
func (c *Comm) awaitNote(from int) error {
	e := c.Engine
	if e.Share != nil {
		return c.awaitNoteShared(from)
	}
	e.Waiting.Other = c
	there, err := c.awaitBarrier(from)
	for !there && err == nil {
		if err = e.Progress(); err == nil {
			there, err = c.awaitBarrier(from)
		}
	}
	e.Waiting.Other = nil
	if err != nil {
		return c.barrierFails(err)
	}
	return nil
}

// awaitNoteShared is awaitNote of a thread of several. Others may call meanwhile.
func (c *Comm) awaitNoteShared(from int) error {
	defer func() { c.Engine.Waiting.Other = nil }()
	for holds := c.noteThere(from); !holds(); {
		c.Engine.Waiting.Other = c
		c.Engine.Share(holds)
		if err := c.Engine.Progress(); err != nil {
			return c.barrierFails(err)
		}
	}
	return nil
}

// noteThere returns the condition that awaitNote waits for.
func (c *Comm) noteThere(from int) func() bool {
	b := c.shared.barrier
	if from == roomForNote {
		return b.MayPost
	}
	return func() bool { return b.Posted(from) }
}

// awaitBarrier waits for what awaitNote does, or for anything else that lets this rank advance, and
// reports whether it is there.
func (c *Comm) awaitBarrier(from int) (there bool, err error) {
	b, e := c.shared.barrier, c.Engine
	switch {
	case e.Limit() != nil:
		holds := c.noteThere(from)
		err = e.AwaitWithin(holds, e.AwaitedOps()...)
		return holds(), err
	case from == roomForNote:
		return b.AwaitRoom(e.AwaitedOps()...)
	}
	return b.Await(from, e.AwaitedOps()...)
}

// barrierFails ends the use of the barrier, of which a round is not complete.
func (c *Comm) barrierFails(err error) error {
	c.shared.failed = c.Fail(fault.Other, c.shared.call, err)
	return c.shared.failed
}

// makeSharedBarrier makes the shared barriers of the communicator, if all of its ranks can be
// members. They all call it, in the same operation.
func (c *Comm) makeSharedBarrier(call string) error {
	e, size := c.Engine, c.Size()
	ranks := make([]int, size)
	for rank := range ranks {
		ranks[rank] = int(c.Process(rank))
		if !c.job.barriers.Shares(ranks[rank]) {
			return nil
		}
	}
	if size == 1 || size > mostUnshared && !e.Oversubscribed {
		return nil
	}
	var own [2]rma.SharedBarrier
	var parts [len(own)]uint64 // of each, plus one; 0: this rank has no memory for one
	for i := range own {
		if own[i] = c.job.barriers.NewSharedBarrier(); own[i] != nil {
			parts[i] = own[i].Part() + 1
		}
	}
	all := make([]uint64, len(parts)*size)
	if err := AllGather(c, call, parts[:], all); err != nil {
		return err
	}
	var err error
	for i := range own {
		if own[i], err = joinBarrier(own[i], ranks, all[i:]); err != nil {
			return c.Fail(fault.Other, call, err)
		}
	}
	c.shared.barrier = own[0]
	if own[1] != nil {
		c.shared.queue = &noteQueue{barrier: own[1]}
	}
	return nil
}

// joinBarrier returns the barrier that this rank has made a part of, nil if not all ranks have. The parts of ranks lie two apart.
func joinBarrier(own rma.SharedBarrier, ranks []int, all []uint64) (rma.SharedBarrier, error) {
	parts, missing := make([]uint64, len(ranks)), own == nil
	for rank := range parts {
		parts[rank] = all[2*rank] - 1
		missing = missing || all[2*rank] == 0
	}
	switch {
	case !missing:
		return own, own.Join(ranks, parts)
	case own != nil:
		own.Leave()
	}
	return nil, nil
}

// leave ends the use of the barriers.
func (m *sharedBarrier) leave() {
	if m.barrier != nil {
		m.barrier.Leave()
	}
	if m.queue != nil {
		m.queue.barrier.Leave()
	}
}

// notes copies n bytes of the notes of all ranks at a barrier, at a place of each, to scratch memory. It fails if a note is not of so many
// bytes in all.
func (c *Comm) notes(b rma.SharedBarrier, at, n, bytes int) ([]byte, error) {
	size := c.Size()
	all := c.draft(size * n)
	for rank := range size {
		note := b.Note(rank)
		if err := c.checkNote(rank, len(note), bytes); err != nil {
			return nil, err
		}
		copy(all[rank*n:], note[at:at+n])
	}
	return all, nil
}

// checkNote fails if a rank has posted another number of bytes than expected.
func (c *Comm) checkNote(rank, bytes, expected int) error {
	if bytes == expected {
		return nil
	}
	class := fault.Count
	if bytes > expected {
		class = fault.Truncate
	}
	return c.otherLength(class, c.shared.call, bytes, rank, expected)
}

// Explain returns what the process waits for at the barrier.
func (c *Comm) Explain() string {
	m := &c.shared
	return m.call + c.ExplainProcess(" for ", c.Process(max(0, m.barrier.Missing())))
}
