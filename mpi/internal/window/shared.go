package window

import (
	"errors"
	"math"

	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// sharedMemory is memory of all ranks of a window in one piece, which each of them reaches with its
// own processor. The first rank has exposed it.
type sharedMemory struct {
	segment int      // at the first rank
	parts   [][]byte // by rank; nil: the window is not shared
}

// shares reports whether all ranks of a communicator can share memory.
func shares(c *collective.Comm) bool {
	p, can := c.Engine.Process.(rma.SharedMemory)
	for rank := 0; can && rank < c.Size(); rank++ {
		can = p.Shares(int(c.Process(rank)))
	}
	return can || c.Size() == 1
}

// Host returns what ranks of a communicator that share memory have in common, and others do not: the
// lowest rank of them.
func Host(c *collective.Comm) int {
	p, can := c.Engine.Process.(rma.SharedMemory)
	for rank := 0; can && rank < c.Rank(); rank++ {
		if p.Shares(int(c.Process(rank))) {
			return rank
		}
	}
	return c.Rank()
}

// ExpectShared fails if not all ranks share memory.
func (w *Window) ExpectShared(call string) error {
	if shares(w.C) {
		return nil
	}
	return errors.Join(w.failf(fault.RMAShared, call, "%d ranks, of which not all share memory; expected those of one host", w.C.Size()), w.end(call))
}

// AllocateShared exposes fresh memory that all ranks reach: so many bytes of each, behind those of
// the rank before.
func (w *Window) AllocateShared(call string, bytes int) error {
	if err := w.ExpectShared(call); err != nil {
		return err
	}
	sizes := make([]int, w.C.Size())
	if err := collective.AllGather(w.C, "AllGather", []int{bytes}, sizes); err != nil {
		return err
	}
	memory, err := w.reachFirst(call, Total(sizes))
	if err != nil {
		return err
	}
	w.UseShared(memory, sizes)
	return nil
}

// Total returns how many bytes parts have together, at most as many as an int can tell.
func Total(sizes []int) int {
	total := 0
	for _, n := range sizes {
		total += min(n, math.MaxInt-total)
	}
	return total
}

// UseShared makes memory that all ranks reach that of the window, cut into a part of each.
func (w *Window) UseShared(memory []byte, sizes []int) {
	w.shared.parts = make([][]byte, len(sizes))
	for rank, n := range sizes {
		w.shared.parts[rank], memory = memory[:n:n], memory[n:]
	}
	w.Expose(w.shared.parts[w.C.Rank()])
}

// reachFirst returns memory that the first rank allocates.
func (w *Window) reachFirst(call string, bytes int) ([]byte, error) {
	p, ok := w.e.Process.(rma.SharedMemory)
	if !ok { // alone
		return make([]byte, bytes), nil
	}
	var memory []byte
	var failed error
	mine, told := []int{noSegment}, make([]int, w.C.Size())
	if w.C.Rank() == 0 {
		if mine[0], memory, failed = p.ExposeShared(max(bytes, 1)); failed != nil {
			mine[0] = noSegment
		}
		w.shared.segment = mine[0]
	}
	if err := collective.AllGather(w.C, "AllGather", mine, told); err != nil {
		return nil, err
	}
	if told[0] == noSegment {
		return nil, errors.Join(w.failf(fault.Other, call, "%d bytes of shared memory, which the host does not have", bytes), failed, w.end(call))
	}
	if w.C.Rank() != 0 {
		memory, failed = p.SharedBy(int(w.C.Process(0)), told[0])
	}
	return memory, w.fail(call, failed)
}

// Shared returns the memory of a rank of a window that is shared, nil if it is not.
func (w *Window) Shared(rank int) []byte {
	if uint(rank) >= uint(len(w.shared.parts)) {
		return nil
	}
	return w.shared.parts[rank]
}
