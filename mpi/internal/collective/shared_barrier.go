package collective

import (
	"cmp"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// Where processes share memory, blocking barriers, short broadcasts and short reductions use a
// shared barrier: each rank posts a note, waits for the notes of all others, and combines them
// itself. Nonblocking operations go by messages.

const (
	// mostUnshared is up to how many ranks use a shared barrier if each rank has a processor: a
	// rank reads a cache line of each other one, where dissemination waits for log2 n messages, one
	// after the other. Where ranks share processors there is no limit, as each rank then waits for
	// a processor once only.
	mostUnshared = 32
	// progressEvery is how many operations on shared barriers a rank does between two calls of
	// Progress. It may find all notes there each time, and so make no progress by waiting.
	progressEvery = 16
)

// sharedBarrier is the shared barrier of a communicator.
type sharedBarrier struct {
	decided bool              // whether there is one, by all ranks alike
	barrier rma.SharedBarrier // nil: none
	call    string            // function of package mpi
	failed  error             // of the machine: a round is not complete
	done    uint64            // rounds
	scratch []uint64          // to combine in
}

// postAtBarrier posts a note for an operation, and waits for the notes of all other ranks. It
// reports false, at all ranks alike, if the operation has to go by messages.
func (c *Comm) postAtBarrier(call string, kind algorithm.Operation, note []byte) (done bool, err error) {
	if c.job == nil || c.job.barriers == nil || c.collectives.forced[kind] != nil || len(note) > rma.NoteBytes || c.Check(call) != nil {
		return false, nil
	}
	m := &c.shared
	if !m.decided {
		m.decided = true
		m.failed = c.makeSharedBarrier(call)
	}
	switch {
	case m.failed != nil:
		return true, m.failed
	case m.barrier == nil:
		return false, nil
	}
	m.call = call
	if err := c.barrierRound(note); err != nil {
		m.failed = c.Fail(fault.Other, call, err)
	}
	return true, m.failed
}

// barrierRound does one round of the barrier, and makes progress while it waits.
func (c *Comm) barrierRound(note []byte) error {
	m, e := &c.shared, c.Engine
	if err := m.barrier.Post(note); err != nil {
		return err
	}
	if m.done++; m.done%progressEvery == 0 {
		if err := e.Progress(); err != nil {
			return err
		}
	}
	e.Waiting.Other = c
	complete, err := c.awaitBarrier()
	for !complete && err == nil {
		if err = e.Progress(); err == nil {
			complete, err = c.awaitBarrier()
		}
	}
	e.Waiting.Other = nil
	return err
}

// awaitBarrier waits for the notes of the other ranks, or for anything else that lets this one advance.
func (c *Comm) awaitBarrier() (complete bool, err error) {
	m, e := &c.shared, c.Engine
	if e.Limit() == nil {
		return m.barrier.Await(e.AwaitedOps()...)
	}
	err = e.AwaitWithin(m.barrier.Complete, e.AwaitedOps()...)
	return m.barrier.Complete(), err
}

// makeSharedBarrier makes the shared barrier of the communicator, if all of its ranks can be
// members. They all call it, in the same operation.
func (c *Comm) makeSharedBarrier(call string) error {
	e, size := c.Engine, c.Size()
	ranks, parts, part := make([]int, size), make([]uint64, size), []uint64{0}
	for rank := range ranks {
		ranks[rank] = int(c.Process(rank))
		if !c.job.barriers.Shares(ranks[rank]) {
			return nil
		}
	}
	if size == 1 || size > mostUnshared && !e.Oversubscribed {
		return nil
	}
	var barrier rma.SharedBarrier
	if e.Share == nil { // threads of one process would wait there for each other
		barrier = c.job.barriers.NewSharedBarrier()
	}
	if barrier != nil {
		part[0] = barrier.Part() + 1
	}
	if err := AllGather(c, call, part, parts); err != nil {
		return err
	}
	if !slices.Contains(parts, 0) {
		for rank := range parts {
			parts[rank]--
		}
		c.shared.barrier = barrier
		if err := barrier.Join(ranks, parts); err != nil {
			return c.Fail(fault.Other, call, err)
		}
	} else if barrier != nil {
		barrier.Leave()
	}
	return nil
}

// leave ends the use of the barrier.
func (m *sharedBarrier) leave() {
	if m.barrier != nil {
		m.barrier.Leave()
	}
}

// notes copies the notes of all ranks, of the same number of bytes each, to scratch memory. It
// fails if a note has another length.
func (c *Comm) notes(bytes int) ([]byte, error) {
	m, size := &c.shared, c.Size()
	if n := (size*bytes + 7) / 8; n > len(m.scratch) {
		m.scratch = make([]uint64, n)
	}
	all := elements.Memory(m.scratch)[:size*bytes]
	var err error
	for rank := range size {
		note := m.barrier.Note(rank)
		if err == nil {
			err = c.checkNote(rank, len(note), bytes)
		}
		copy(all[rank*bytes:][:bytes], note)
	}
	return all, err
}

// Barrier returns when all ranks have called it.
func (c *Comm) Barrier(call string) error {
	if done, err := c.postAtBarrier(call, algorithm.Barrier, nil); done || err != nil {
		return err
	}
	return c.run(call, algorithm.Barrier, &algorithm.NoArguments)
}

// AllReduce combines the elements of all ranks to out at each of them.
func (c *Comm) AllReduce(call string, in, out []byte, element int, op reduction.Op) error {
	if done, err := c.reduceAtBarrier(call, in, out, &op); done || err != nil {
		return err
	}
	r, err := c.planAllReduce(call, in, out, element, &op)
	if err != nil {
		return err
	}
	return r.runNow()
}

// planAllReduce plans an AllReduce. It is a function of its own as all ranks wait in AllReduce, whose
// part of the stack should be small.
//
//go:noinline
func (c *Comm) planAllReduce(call string, in, out []byte, element int, op *reduction.Op) (*Operation, error) {
	return c.Plan(call, algorithm.AllReduce, &algorithm.Arguments{In: in, Out: out, Element: element, Op: *op})
}

// reduceAtBarrier does an AllReduce whose elements fit a note. It reports false if it has to go by
// messages, or is to be refused.
func (c *Comm) reduceAtBarrier(call string, in, out []byte, op *reduction.Op) (done bool, err error) {
	if len(in) != len(out) {
		return false, nil
	}
	if done, err := c.postAtBarrier(call, algorithm.AllReduce, in); !done || err != nil {
		return done, err
	}
	n := len(in)
	if c.Size() == 2 {
		return true, c.reducePair(out, op)
	}
	parts, err := c.notes(n)
	if err != nil || n == 0 {
		return true, err
	}
	algorithm.CombineInOrder(c.Size(), func(from, into int) {
		op.Apply(parts[from*n:][:n:n], parts[into*n:][:n:n])
	})
	copy(out, parts[len(parts)-n:])
	return true, nil
}

// reducePair combines what two ranks have posted where the result goes: a copy of both first would
// take about as long as the rest.
func (c *Comm) reducePair(out []byte, op *reduction.Op) error {
	first, second := c.shared.barrier.Note(0), c.shared.barrier.Note(1)
	if err := cmp.Or(c.checkNote(0, len(first), len(out)), c.checkNote(1, len(second), len(out))); err != nil {
		return err
	}
	copy(out, second)
	if len(out) > 0 {
		op.Apply(first, out)
	}
	return nil
}

// Broadcast copies the root's data to all other ranks.
func (c *Comm) Broadcast(call string, root int, data []byte, element int) error {
	if done, err := c.broadcastAtBarrier(call, root, data); done || err != nil {
		return err
	}
	return c.run(call, algorithm.Broadcast, &algorithm.Arguments{Root: root, Out: data, Element: element})
}

// broadcastAtBarrier does a broadcast of data that fits a note: the root posts it, and the others
// post an empty note. It reports false if the broadcast has to go by messages, or is to be refused.
// Where ranks share processors messages are faster: no rank waits for those below it in the tree.
func (c *Comm) broadcastAtBarrier(call string, root int, data []byte) (done bool, err error) {
	if c.job == nil || c.job.barriers == nil || c.Engine.Oversubscribed || len(data) > rma.NoteBytes || root < 0 || root >= c.Size() {
		return false, nil
	}
	var note []byte
	if c.Rank() == root {
		note = data
	}
	if done, err := c.postAtBarrier(call, algorithm.Broadcast, note); !done || err != nil {
		return done, err
	}
	if c.Rank() == root {
		return true, nil
	}
	note = c.shared.barrier.Note(root)
	if err := c.checkNote(root, len(note), len(data)); err != nil {
		return true, err
	}
	copy(data, note)
	return true, nil
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
