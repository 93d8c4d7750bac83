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

// Where processes share memory, barriers, short broadcasts and short reductions are done on a
// shared barrier: each rank posts what it has, waits for what the others post, and combines all of it
// itself.
// Operations that are started, and not waited for, are not.

const (
	// mostAlone is up to how many ranks a rank of a processor of its own looks at what each
	// posts: one line of memory for each, when in dissemination it waits for as many
	// messages one after the other as their number has binary digits. Where ranks share
	// processors it always does, as it then waits for its turn once only.
	mostAlone = 32
	// lookEvery is how many operations on shared barriers a rank does until it looks what others
	// want of it. It need not wait for anything meanwhile.
	lookEvery = 16
)

// sharedBarrier is what a communicator keeps for operations on its barrier.
type sharedBarrier struct {
	decided bool              // whether there is one, by all ranks alike
	barrier rma.SharedBarrier // nil: none
	call    string            // function of this package
	failed  error             // of the machine: a turn is not over
	done    uint64            // operations
	room    []uint64          // to combine in
}

// meetAtBarrier posts a note for an operation, and waits for those of all other ranks. It reports
// false if the operation is to be done by messages, which all ranks find alike.
func (c *Comm) meetAtBarrier(call string, kind algorithm.Operation, note []byte) (met bool, err error) {
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
	if err := c.turn(note); err != nil {
		m.failed = c.Fail(fault.Other, call, err)
	}
	return true, m.failed
}

// turn takes a turn on the barrier.
func (c *Comm) turn(note []byte) error {
	m, e := &c.shared, c.Engine
	if err := m.barrier.Post(note); err != nil {
		return err
	}
	if m.done++; m.done%lookEvery == 0 {
		if err := e.Progress(); err != nil {
			return err
		}
	}
	e.Waiting.Elsewhere = c
	complete, err := m.barrier.Await(e.Watch()...)
	for !complete && err == nil {
		if err = e.Progress(); err == nil {
			complete, err = m.barrier.Await(e.Watch()...)
		}
	}
	e.Waiting.Elsewhere = nil
	return err
}

// makeSharedBarrier makes the shared barrier of the communicator, if all of its ranks can have one. They
// all call it, in the same operation.
func (c *Comm) makeSharedBarrier(call string) error {
	e, size := c.Engine, c.Size()
	ranks, parts, part := make([]int, size), make([]uint64, size), []uint64{0}
	for rank := range ranks {
		ranks[rank] = int(c.Process(rank))
		if !c.job.barriers.Shares(ranks[rank]) {
			return nil
		}
	}
	if size == 1 || size > mostAlone && !e.Oversubscribed {
		return nil
	}
	barrier := c.job.barriers.NewSharedBarrier()
	if barrier != nil {
		part[0] = barrier.Part() + 1
	}
	if err := c.usually(func() error { return AllGather(c, call, part, parts) }); err != nil {
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

// notes copies what all ranks have posted, as many bytes each, to memory to work in. It
// fails if one has posted another number.
func (c *Comm) notes(bytes int) ([]byte, error) {
	m, size := &c.shared, c.Size()
	if n := (size*bytes + 7) / 8; n > len(m.room) {
		m.room = make([]uint64, n)
	}
	all := elements.Memory(m.room)[:size*bytes]
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
	if met, err := c.meetAtBarrier(call, algorithm.Barrier, nil); met || err != nil {
		return err
	}
	return c.run(call, algorithm.Barrier, &algorithm.Arguments{})
}

// AllReduce combines the elements of all ranks to out at each of them.
func (c *Comm) AllReduce(call string, in, out []byte, element int, op reduction.Op) error {
	if met, err := c.reduceAtBarrier(call, in, out, &op); met || err != nil {
		return err
	}
	return c.run(call, algorithm.AllReduce, &algorithm.Arguments{In: in, Out: out, Element: element, Op: op})
}

// reduceAtBarrier is allReduce of elements that are few enough for a barrier. It reports false
// if that is to be done by messages, or refused.
func (c *Comm) reduceAtBarrier(call string, in, out []byte, op *reduction.Op) (met bool, err error) {
	if len(in) != len(out) {
		return false, nil
	}
	if met, err := c.meetAtBarrier(call, algorithm.AllReduce, in); !met || err != nil {
		return met, err
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

// Broadcast copies the root's data to that of all other ranks.
func (c *Comm) Broadcast(call string, root int, data []byte, element int) error {
	if met, err := c.broadcastAtBarrier(call, root, data); met || err != nil {
		return err
	}
	return c.run(call, algorithm.Broadcast, &algorithm.Arguments{Root: root, Out: data, Element: element})
}

// broadcastAtBarrier is broadcast of data that fits a note, which the root posts; the others
// post that they are there. It reports false if that is to be done by messages, or refused.
// Where ranks share processors messages are faster: nobody waits for those behind it in the
// tree.
func (c *Comm) broadcastAtBarrier(call string, root int, data []byte) (met bool, err error) {
	if c.job == nil || c.job.barriers == nil || c.Engine.Oversubscribed || len(data) > rma.NoteBytes || root < 0 || root >= c.Size() {
		return false, nil
	}
	var note []byte
	if c.Rank() == root {
		note = data
	}
	if met, err := c.meetAtBarrier(call, algorithm.Broadcast, note); !met || err != nil {
		return met, err
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

// Explain says what the process waits for on the barrier.
func (c *Comm) Explain() string {
	m := &c.shared
	return m.call + c.ExplainProcess(" for ", c.Process(max(0, m.barrier.Missing())))
}
