package algorithm

import (
	"musubi/internal/phantom"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/schedule"
)

// sampled is of how many ranks, beside the root, Sent looks at the steps.
const sampled = 16

// Sent returns how many messages all ranks of a communicator send in an operation on some bytes of
// each rank, or for each where it has parts for all, and how many bytes. The algorithm is one of
// Algorithms, or the usual one for any other name. Of many ranks it looks at some: the result is
// exact for up to 17, and an estimate for more.
func (kind Operation) Sent(algorithm string, size, root, bytes int) (messages, data int64) {
	memory := phantom.New()
	defer memory.Free()
	a := kind.argumentsOf(memory, size, bytes)
	a.Root = root
	by := Operations[kind].named(algorithm, &a, size)
	var s schedule.Schedule
	count := func(rank int) (messages, data int64) {
		s.Reset(rank, size)
		by.Build(&s, a)
		for i := range s.Steps {
			m, n := s.Sent(&s.Steps[i])
			messages, data = messages+int64(m), data+int64(n)
		}
		return messages, data
	}
	messages, data = count(root)
	others := min(size-1, sampled)
	var some, bytesOfSome int64
	for i := range others {
		m, n := count((root + 1 + scattered(i, others, size-1)) % size)
		some, bytesOfSome = some+m, bytesOfSome+n
	}
	if others > 0 {
		messages += some * int64(size-1) / int64(others)
		data += int64(float64(bytesOfSome) * float64(size-1) / float64(others))
	}
	return messages, data
}

// scattered returns the i-th of some of n numbers from 0 on. They have no bits in common, by which
// trees of ranks go.
func scattered(i, some, n int) int {
	if some == n {
		return i
	}
	const golden = 0.6180339887498949
	at := float64(i+1) * golden
	return int((at - float64(int(at))) * float64(n))
}

// named returns the algorithm with a name, or the usual one.
func (o *Info) named(name string, a *Arguments, size int) *Algorithm {
	for _, by := range o.Algorithms {
		if by.Name == name {
			return by
		}
	}
	return o.Usual(a, size, false)
}

// argumentsOf returns arguments of an operation on data without bytes.
func (kind Operation) argumentsOf(memory *phantom.Memory, size, bytes int) Arguments {
	in, out := 1, 1 // parts
	switch kind {
	case Gather, GatherV, AllGather, AllGatherV:
		out = size
	case Scatter, ScatterV, ReduceScatter, ReduceScatterV:
		in = size
	case AllToAll, AllToAllV, AllToAllW:
		in, out = size, size
	}
	a := Arguments{Element: 1, Op: reduction.Op{Commutative: true}, In: memory.Bytes(in * bytes), Out: memory.Bytes(out * bytes)}
	a.Ins, a.Outs = equal(a.In, in), equal(a.Out, out)
	if kind == AllToAllW {
		types := make([]datatype.Type, size)
		for i := range types {
			types[i] = datatype.Indexed([]datatype.Run{{At: i * bytes, Bytes: bytes}})
		}
		a.Layouts = &Types{To: types, From: types}
	}
	return a
}
