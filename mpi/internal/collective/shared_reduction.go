package collective

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

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
	return true, c.reduceNotes(c.shared.barrier, len(in), out, op)
}

// reduceNotes combines the notes of all ranks at a barrier, of some bytes each.
func (c *Comm) reduceNotes(b rma.SharedBarrier, bytes int, out []byte, op *reduction.Op) error {
	if c.Size() != 2 {
		return c.combineNotes(b, algorithm.AllReduce, 0, 0, bytes, out, op)
	}
	first, second := b.Note(0), b.Note(1)
	if len(first) != bytes {
		return c.checkNote(0, len(first), bytes)
	}
	if len(second) != bytes {
		return c.checkNote(1, len(second), bytes)
	}
	combineTwo(first, second, out, op)
	return nil
}

// combineNotes combines a part of the notes of all ranks at a barrier, of some bytes each, that begins at a place of each.
func (c *Comm) combineNotes(b rma.SharedBarrier, o algorithm.Operation, root, at, bytes int, out []byte, op *reduction.Op) error {
	n := len(out)
	parts, err := c.notes(b, at, n, bytes)
	if err != nil || n == 0 {
		return err
	}
	result := algorithm.CombineAs(o, c.Size(), root, op.Commutative, func(from, into int) {
		op.Apply(parts[from*n:][:n:n], parts[into*n:][:n:n])
	})
	copy(out, parts[result*n:][:n])
	return nil
}

// combineTwo combines the elements of two ranks where the result goes: a copy of both first would
// take about as long as the rest.
func combineTwo(first, second, out []byte, op *reduction.Op) {
	copy(out, second)
	if len(out) > 0 {
		op.Apply(first, out)
	}
}

// Broadcast copies the root's data to all other ranks.
func (c *Comm) Broadcast(call string, root int, data []byte, element int) error {
	if done, err := c.broadcastAtBarrier(call, root, data); done || err != nil {
		return err
	}
	return c.run(call, algorithm.Broadcast, &algorithm.Arguments{Root: root, Out: data, Element: element})
}

// broadcastAtBarrier does a broadcast of short data: the root posts it and goes on, and the others
// wait for that note only. It reports false if the broadcast has to go by messages, or is to be refused.
func (c *Comm) broadcastAtBarrier(call string, root int, data []byte) (done bool, err error) {
	if !c.isShort(len(data)) || root < 0 || root >= c.Size() {
		return false, nil
	}
	if use, err := c.useBarrier(call, algorithm.Broadcast); !use || err != nil {
		return use, err
	}
	c.collectives.chosen = algorithm.Notes
	note, err := c.fromRoot(root, data)
	if err != nil || c.Rank() == root {
		return true, err
	}
	if err := c.checkNote(root, len(note), len(data)); err != nil {
		return true, err
	}
	copy(data, note)
	return true, nil
}
