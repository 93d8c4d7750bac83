package abi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
)

// gatherAll returns the elements of all ranks of a communicator, of which each may have any number.
func gatherAll[T any](c *call, m *comm, mine []T) ([]T, error) {
	counts := make([]int, m.c.Size())
	if err := collective.AllGather(m.c, c.function.name, []int{len(mine)}, counts); err != nil {
		return nil, err
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	all := make([]T, total)
	outs, at := make([][]byte, len(counts)), 0
	for i, n := range counts {
		outs[i] = elements.Memory(all[at:][:n])
		at += n
	}
	o, err := m.c.Plan(c.function.name, algorithm.AllGatherV, &algorithm.Arguments{In: elements.Memory(mine), Outs: outs, Element: elements.Size[T]()})
	if err != nil {
		return nil, err
	}
	return all, o.Run()
}
