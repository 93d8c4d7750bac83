package mpi

import (
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// Where processes share memory, barriers, short broadcasts and short reductions are done on a
// board: each rank posts what it has, waits for what the others post, and combines all of it
// itself.
// Operations that are started, and not waited for, are not.

const (
	// mostAlone is up to how many ranks a rank of a processor of its own looks at what each
	// posts: one line of memory for each, when in dissemination it waits for as many
	// messages one after the other as their number has binary digits. Where ranks share
	// processors it always does, as it then waits for its turn once only.
	mostAlone = 32
	// lookEvery is how many operations on boards a rank does until it looks what others
	// want of it. It need not wait for anything meanwhile.
	lookEvery = 16
)

// meeting is what a communicator keeps for operations on its board.
type meeting struct {
	decided bool              // whether there is one, by all ranks alike
	board   rma.SharedBarrier // nil: none
	call    string            // function of this package
	failed  error             // of the machine: a turn is not over
	done    uint64            // operations
	room    []uint64          // to combine in
}

// meet posts a note for an operation, and waits for those of all other ranks. It reports
// false if the operation is to be done by messages, which all ranks find alike.
func (c *Comm) meet(call string, kind algorithm.Operation, note []byte) (met bool, err error) {
	if c == nil || c.e.boards == nil || c.collectives.forced[kind] != nil || len(note) > rma.NoteBytes || c.check(call) != nil {
		return false, nil
	}
	m := &c.meeting
	if !m.decided {
		m.decided = true
		m.failed = c.makeBoard(call)
	}
	switch {
	case m.failed != nil:
		return true, m.failed
	case m.board == nil:
		return false, nil
	}
	m.call = call
	if err := c.turn(note); err != nil {
		m.failed = c.fail(fault.Other, call, err)
	}
	return true, m.failed
}

// turn takes a turn on the board.
func (c *Comm) turn(note []byte) error {
	m, e := &c.meeting, c.e
	if err := m.board.Post(note); err != nil {
		return err
	}
	if m.done++; m.done%lookEvery == 0 {
		if err := e.progress(); err != nil {
			return err
		}
	}
	e.meets = c
	complete, err := m.board.Await(e.watch()...)
	for !complete && err == nil {
		if err = e.progress(); err == nil {
			complete, err = m.board.Await(e.watch()...)
		}
	}
	e.meets = nil
	return err
}

// watch returns the operations whose end lets something go on.
func (e *engine) watch() (ops []rma.Op) {
	for _, r := range e.pulls[:min(watched, len(e.pulls))] {
		ops = append(ops, r.pull)
	}
	if len(e.ready) > 0 && e.out.Flights.Count > 0 { // they wait for room
		ops = append(ops, e.out.Flights.Head().Op)
	}
	return ops
}

// makeBoard makes the board of the communicator, if all of its ranks can have one. They
// all call it, in the same operation.
func (c *Comm) makeBoard(call string) error {
	e, size := c.e, c.Size()
	ranks, parts, part := make([]int, size), make([]uint64, size), []uint64{0}
	for rank := range ranks {
		ranks[rank] = int(c.process(rank))
		if !e.boards.Shares(ranks[rank]) {
			return nil
		}
	}
	if size == 1 || size > mostAlone && !e.oversubscribed {
		return nil
	}
	board := e.boards.NewSharedBarrier()
	if board != nil {
		part[0] = board.Part() + 1
	}
	if err := c.usually(func() error { return carryOut(planFor(c, call, algorithm.AllGather, 0, part, parts)) }); err != nil {
		return err
	}
	if !slices.Contains(parts, 0) {
		for rank := range parts {
			parts[rank]--
		}
		c.meeting.board = board
		if err := board.Join(ranks, parts); err != nil {
			return c.fail(fault.Other, call, err)
		}
	} else if board != nil {
		board.Leave()
	}
	return nil
}

// leave ends the use of the board.
func (m *meeting) leave() {
	if m.board != nil {
		m.board.Leave()
	}
}

// notes copies what all ranks have posted, as many bytes each, to memory to work in. It
// fails if one has posted another number.
func (c *Comm) notes(bytes int) ([]byte, error) {
	m, size := &c.meeting, c.Size()
	if n := (size*bytes + 7) / 8; n > len(m.room) {
		m.room = make([]uint64, n)
	}
	all := elements.Memory(m.room)[:size*bytes]
	var err error
	for rank := range size {
		note := m.board.Note(rank)
		if err == nil {
			err = c.checkNote(rank, len(note), bytes)
		}
		copy(all[rank*bytes:][:bytes], note)
	}
	return all, err
}

// reduceOnBoard is AllReduce of elements that are few enough for a board. It reports false
// if that is to be done by messages, or refused.
func reduceOnBoard[T any](c *Comm, call string, in, out []T, op Op[T]) (met bool, err error) {
	if len(in) != len(out) || op.Apply == nil || checkElement[T]() != nil {
		return false, nil
	}
	if met, err := c.meet(call, algorithm.AllReduce, elements.Memory(in)); !met || err != nil {
		return met, err
	}
	memory, err := c.notes(len(elements.Memory(in)))
	if err != nil || len(in) == 0 {
		return true, err
	}
	parts, n := elements.Of[T](memory), len(in)
	algorithm.CombineInOrder(c.Size(), func(from, into int) {
		op.Apply(parts[from*n:][:n:n], parts[into*n:][:n:n])
	})
	copy(out, parts[len(parts)-n:])
	return true, nil
}

// broadcastOnBoard is Broadcast of elements that fit a note, which the root posts; the others
// post that they are there. It reports false if that is to be done by messages, or refused.
// Where ranks share processors messages are faster: nobody waits for those behind it in the
// tree.
func broadcastOnBoard[T any](c *Comm, call string, root int, data []T) (met bool, err error) {
	if c == nil || c.e.boards == nil || c.e.oversubscribed || len(data)*elements.Size[T]() > rma.NoteBytes || root < 0 || root >= c.Size() || checkElement[T]() != nil {
		return false, nil
	}
	var note []byte
	if c.rank == root {
		note = elements.Memory(data)
	}
	if met, err := c.meet(call, algorithm.Broadcast, note); !met || err != nil {
		return met, err
	}
	if c.rank == root {
		return true, nil
	}
	note = c.meeting.board.Note(root)
	if err := c.checkNote(root, len(note), len(data)*elements.Size[T]()); err != nil {
		return true, err
	}
	copy(elements.Memory(data), note)
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
	return c.otherLength(class, c.meeting.call, bytes, rank, expected)
}

// explain says what the process waits for on the board.
func (c *Comm) explainMeeting() string {
	m := &c.meeting
	missing := Request{c: c, peer: c.process(max(0, m.board.Missing()))}
	return m.call + missing.explainPeer(" for ")
}
