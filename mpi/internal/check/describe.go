package check

import (
	"fmt"
	"hash/crc32"
	"strings"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/reduction"
)

// Describe returns what a rank says of a call of an operation. forced is the algorithm that the
// program has set, nil if it has set none.
func Describe(call string, o algorithm.Operation, a *algorithm.Arguments, forced *algorithm.Algorithm) Said {
	s := Said{Call: call, Root: -1, Count: -1, Element: a.Element}
	if a.Type != nil {
		s.Type = a.Type.String()
	}
	if algorithm.Operations[o].Rooted {
		s.Root = a.Root
	}
	if forced != nil {
		s.Algorithm = forced.Name
	}
	if a.Op.Apply != nil {
		s.Op = opName(&a.Op)
	}
	if a.Element > 0 {
		s.count(o, a)
	}
	return s
}

// count sets how many elements all ranks have to give alike.
func (s *Said) count(o algorithm.Operation, a *algorithm.Arguments) {
	switch o {
	case algorithm.Broadcast, algorithm.Scatter, algorithm.ReduceScatter:
		s.Count = len(a.Out) / a.Element
	case algorithm.Reduce, algorithm.AllReduce, algorithm.Gather, algorithm.AllGather, algorithm.AllToAll, algorithm.Scan, algorithm.ExScan:
		s.Count = len(a.In) / a.Element
	case algorithm.AllGatherV:
		s.Lengths = lengths(a.Outs, a.Element)
	case algorithm.ReduceScatterV:
		s.Lengths = lengths(a.Ins, a.Element)
	}
}

// lengths lists the lengths of the parts of ranks, in elements.
func lengths(parts [][]byte, element int) string {
	var list []string
	for _, part := range parts {
		list = append(list, fmt.Sprint(len(part)/element))
	}
	text := strings.Join(list, "+")
	if len(text) > mostText { // what is left out is compared all the same
		return fmt.Sprintf("%.24s...(%08x)", text, crc32.ChecksumIEEE([]byte(text)))
	}
	return text
}

// opName names a reduction as package mpi does.
func opName(op *reduction.Op) string {
	if op.ID == reduction.User && op.Commutative {
		return "a commutative operation of the program"
	}
	return op.ID.String()
}
