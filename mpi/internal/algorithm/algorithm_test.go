package algorithm

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/schedule"
)

const mostRanks = 17

// expected says what an operation is to do: it fills the arguments of a rank, and
// returns what its out has to be afterwards.
type expected struct {
	size, root, count int
	combine           func(a, b span) span
	inPlace           bool // out lies in in
}

// mark is the element that a rank has for another one.
func mark(rank, to, i int) span { return span{int8(rank), int8(7*to + i)} }

func marks(rank, to, count int) []span {
	data := make([]span, count)
	for i := range data {
		data[i] = mark(rank, to, i)
	}
	return data
}

// length returns how many elements a rank has for another one: in operations with
// parts of different lengths, they differ.
func (e expected) length(kind Operation, from, to int) int {
	switch kind {
	case GatherV, ScatterV, AllGatherV, AllToAllV, AllToAllW:
		return (e.count + 3*from + 5*to) % 9
	case ReduceScatterV:
		return (e.count + 5*to) % 9
	}
	return e.count
}

// goes returns what a rank has for another one.
func (e expected) goes(kind Operation, from, to int) []span {
	return marks(from, to, e.length(kind, from, to))
}

// scattered is what a rank has for all.
func (e expected) scattered(kind Operation, from int) (all []span) {
	for to := range e.size {
		all = append(all, e.goes(kind, from, to)...)
	}
	return all
}

// gathered is what all have for a rank.
func (e expected) gathered(kind Operation, to int) (all []span) {
	for from := range e.size {
		all = append(all, e.goes(kind, from, to)...)
	}
	return all
}

// single is what a rank has to be combined: itself.
func single(rank, count int) []span {
	return slices.Repeat([]span{{int8(rank), int8(rank + 1)}}, count)
}

// combined is the elements of ranks from lo to hi-1 combined in order.
func (e expected) combined(lo, hi, count int) []span {
	result := single(lo, count)
	for rank := lo + 1; rank < hi; rank++ {
		for i, v := range single(rank, count) {
			result[i] = e.combine(result[i], v)
		}
	}
	return result
}

// of returns in, out and what out has to become, of a rank in an operation.
func (e expected) of(kind Operation, rank int) (in, out, want []span) {
	n := e.count
	switch kind {
	case Broadcast:
		want = marks(e.root, 0, n)
		if rank == e.root {
			return nil, slices.Clone(want), want
		}
	case Reduce:
		in = single(rank, n)
		if rank == e.root {
			want = e.combined(0, e.size, n)
		}
	case AllReduce:
		in, want = single(rank, n), e.combined(0, e.size, n)
	case Gather, GatherV:
		in = e.goes(kind, rank, 0)
		if rank == e.root {
			want = e.gathered(kind, 0)
		}
	case AllGather, AllGatherV:
		in, want = e.goes(kind, rank, 0), e.gathered(kind, 0)
	case Scatter, ScatterV:
		want = e.goes(kind, e.root, rank)
		if rank == e.root {
			in = e.scattered(kind, rank)
		}
	case AllToAll, AllToAllV:
		in, want = e.scattered(kind, rank), e.gathered(kind, rank)
	case AllToAllW:
		in = e.scattered(kind, rank)
		for from := range e.size {
			part := e.goes(kind, from, rank)
			slices.Reverse(part)
			want = append(want, part...)
		}
	case ReduceScatter:
		in, want = single(rank, n*e.size), e.combined(0, e.size, n)
	case ReduceScatterV:
		for to := range e.size {
			in = append(in, single(rank, e.length(kind, rank, to))...)
		}
		want = e.combined(0, e.size, e.length(kind, 0, rank))
	case Scan:
		in, want = single(rank, n), e.combined(0, rank+1, n)
	case ExScan:
		if in, want = single(rank, n), unwritten(n); rank > 0 {
			want = e.combined(0, rank, n)
		}
	}
	return in, unwritten(len(want)), want
}

// unwritten is memory that nothing has been put to.
func unwritten(n int) []span { return slices.Repeat([]span{{99, 99}}, n) }

// arguments returns those of a rank, with out as the memory to write to.
func (e expected) arguments(kind Operation, rank int, in, out []span, op reduction.Op) Arguments {
	a := Arguments{Root: e.root, In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[span](), Op: op}
	switch kind {
	case GatherV, AllGatherV, AllToAllV:
		a.Outs = e.cut(kind, a.Out, func(other int) (from, to int) { return other, rank })
	}
	switch kind {
	case ScatterV, AllToAllV, ReduceScatterV:
		a.Ins = e.cut(kind, a.In, func(other int) (from, to int) { return rank, other })
	case AllToAllW:
		a.Layouts = e.layouts(rank)
	}
	return a
}

// layouts returns those of a rank: what goes to others is in reverse order, and what
// comes from them in two halves.
func (e expected) layouts(rank int) *Types {
	const size = 2 // bytes of a span
	var to, from []datatype.Type
	in, out := 0, 0
	for other := range e.size {
		n := e.length(AllToAllW, rank, other)
		var reverse []datatype.Run
		for i := range n {
			reverse = append(reverse, datatype.Run{At: (in + n - 1 - i) * size, Bytes: size})
		}
		to = append(to, datatype.Indexed(reverse))
		in += n
		n = e.length(AllToAllW, other, rank)
		from = append(from, datatype.Indexed([]datatype.Run{{At: out * size, Bytes: n / 2 * size}, {At: (out + n/2) * size, Bytes: (n - n/2) * size}}))
		out += n
	}
	return &Types{to, from}
}

// cut cuts memory into parts for other ranks.
func (e expected) cut(kind Operation, memory []byte, pair func(other int) (from, to int)) [][]byte {
	var parts [][]byte
	for other := range e.size {
		from, to := pair(other)
		if kind == GatherV || kind == AllGatherV {
			to = 0 // it is the same for all
		}
		n := min(len(memory), e.length(kind, from, to)*elements.Size[span]())
		parts = append(parts, memory[:n])
		memory = memory[n:]
	}
	return parts
}

// Every algorithm of every operation does what is expected, with any number of
// ranks, any root, few elements and more than there are ranks, with an operation
// that is commutative and one that is not, whatever order ranks are run in.
func TestSchedules(t *testing.T) {
	for kind := range Operations {
		for _, algorithm := range Operations[kind].Algorithms {
			for _, op := range []struct {
				name string
				op   reduction.Op
				one  func(a, b span) span
			}{
				{"commutative", addBytes, func(a, b span) span { return span{a.from + b.from, a.to + b.to} }},
				{"ordered", joinSpans, join},
			} {
				t.Run(fmt.Sprint(Operations[kind].Name, "/", algorithm.Name, "/", op.name), func(t *testing.T) {
					for size := 1; size <= mostRanks; size++ {
						for _, count := range []int{0, 1, 3, 40} {
							e := expected{size: size, root: (count + 5) % size, count: count, combine: op.one}
							e.check(t, Operation(kind), algorithm, op.op)
						}
					}
				})
			}
		}
	}
}

// Reductions may put their result to where their elements are.
func TestReductionsInPlace(t *testing.T) {
	for _, kind := range []Operation{Reduce, AllReduce, ReduceScatter} {
		for _, algorithm := range Operations[kind].Algorithms {
			for size := 1; size <= mostRanks; size++ {
				for _, count := range []int{1, 3, 40} {
					e := expected{size: size, root: count % size, count: count, inPlace: true}
					e.combine = func(a, b span) span { return span{a.from + b.from, a.to + b.to} }
					e.check(t, kind, algorithm, addBytes)
					e.combine = join
					e.check(t, kind, algorithm, joinSpans)
				}
			}
		}
	}
}

func (e expected) check(t *testing.T, kind Operation, algorithm *Algorithm, op reduction.Op) {
	t.Helper()
	e.checkBy(t, kind, func(int) *Algorithm { return algorithm }, op)
}

// checkBy is check of ranks that use an algorithm each.
func (e expected) checkBy(t *testing.T, kind Operation, by func(rank int) *Algorithm, op reduction.Op) {
	t.Helper()
	w := newPaper(e.size, uint64(e.count), op)
	ins, outs, wants := make([][]span, e.size), make([][]span, e.size), make([][]span, e.size)
	for rank, r := range w.ranks {
		var in []span
		in, outs[rank], wants[rank] = e.of(kind, rank)
		if e.inPlace && len(outs[rank]) > 0 {
			at := 0
			if kind == ReduceScatter {
				at = rank * e.count
			}
			outs[rank] = in[at:][:e.count]
		}
		ins[rank] = in
		a, algorithm := e.arguments(kind, rank, in, outs[rank], op), by(rank)
		if algorithm.Refuse != nil && algorithm.Refuse(&a, e.size) != "" {
			return
		}
		if check := Operations[kind].Lengths; check != nil {
			if err := check(&a, rank, e.size); err != nil {
				t.Fatalf("%d ranks, %d elements: rank %d: %v", e.size, e.count, rank, err)
			}
		}
		algorithm.Build(&r.Schedule, a)
	}
	given := make([][]span, e.size)
	for rank, in := range ins {
		given[rank] = slices.Clone(in)
	}
	if err := w.run(); err != nil {
		t.Fatalf("%d ranks, root %d, %d elements: %v", e.size, e.root, e.count, err)
	}
	for rank := range outs {
		if !e.inPlace && !slices.Equal(ins[rank], given[rank]) {
			t.Fatalf("%d ranks, root %d, %d elements: rank %d had %v to give, and has %v now", e.size, e.root, e.count, rank, given[rank], ins[rank])
		}
		if !slices.Equal(outs[rank], wants[rank]) {
			t.Fatalf("%d ranks, root %d, %d elements: rank %d has %v; expected %v", e.size, e.root, e.count, rank, outs[rank], wants[rank])
		}
	}
}

// Where each rank may choose, any choices together do the operation.
func TestRanksMayChooseApart(t *testing.T) {
	for _, kind := range eachChooses(t) {
		algorithms := Operations[kind].Algorithms
		rng := rand.New(rand.NewPCG(uint64(kind), 3))
		for size := 2; size <= mostRanks; size++ {
			for _, count := range []int{0, 3, 40} {
				e := expected{size: size, count: count, combine: join}
				e.checkBy(t, kind, func(int) *Algorithm { return algorithms[rng.IntN(len(algorithms))] }, joinSpans)
			}
		}
	}
}

// eachChooses lists the operations of which each rank may choose the algorithm.
func eachChooses(t *testing.T) (list []Operation) {
	t.Helper()
	for kind := range Operations {
		if Operations[kind].EachChooses {
			list = append(list, Operation(kind))
		}
	}
	if len(list) == 0 {
		t.Fatal("no operation lets each rank choose; expected alltoallv and alltoallw")
	}
	return list
}

// That holds as each rank sends the same to the same ranks by all of them.
func TestAlgorithmsThatEachMayChooseSendTheSame(t *testing.T) {
	for _, kind := range eachChooses(t) {
		for size := 1; size <= mostRanks; size++ {
			e := expected{size: size, count: 7}
			for rank := range size {
				var want map[int32]int
				for _, algorithm := range Operations[kind].Algorithms {
					if got := sentTo(e, kind, algorithm, rank); want == nil {
						want = got
					} else if !maps.Equal(got, want) {
						t.Errorf("%s of %d ranks by %s: rank %d sends %v bytes; expected %v", Operations[kind].Name, size, algorithm.Name, rank, got, want)
					}
				}
			}
		}
	}
}

// sentTo returns how many bytes a rank sends to each other one, in one message.
func sentTo(e expected, kind Operation, algorithm *Algorithm, rank int) map[int32]int {
	var s schedule.Schedule
	s.Reset(rank, e.size)
	in, out, _ := e.of(kind, rank)
	algorithm.Build(&s, e.arguments(kind, rank, in, out, joinSpans))
	sent := map[int32]int{}
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Action != schedule.Send && step.Action != schedule.Exchange {
			continue
		}
		if _, twice := sent[step.Peer]; twice {
			sent[step.Peer] = -1 // two messages, which may be received in another order
			continue
		}
		sent[step.Peer] = len(step.From)
	}
	return sent
}

// A barrier ends nowhere before all ranks have come to it.
func TestBarriersWaitForEveryRank(t *testing.T) {
	for _, algorithm := range Operations[Barrier].Algorithms {
		for size := 2; size <= mostRanks; size++ {
			for late := range size {
				w := newPaper(size, uint64(late), reduction.Op{})
				for _, r := range w.ranks {
					algorithm.Build(&r.Schedule, Arguments{})
				}
				steps := w.ranks[late].Steps
				w.ranks[late].Steps = nil
				if err := w.run(); err == nil {
					t.Fatalf("%s of %d ranks: nobody waits for rank %d", algorithm.Name, size, late)
				}
				for _, r := range w.ranks {
					if r.Rank != late && r.next == len(r.Steps) {
						t.Errorf("%s of %d ranks: rank %d does not wait for rank %d", algorithm.Name, size, r.Rank, late)
					}
				}
				w.ranks[late].Steps = steps
				if err := w.run(); err != nil {
					t.Errorf("%s of %d ranks, after rank %d has come: %v", algorithm.Name, size, late, err)
				}
			}
		}
	}
}

// The linear allreduce rounds as recursive doubling does, with any number of ranks.
func TestLinearAllReduceSetsTheBracketsOfDoubling(t *testing.T) {
	for size := 1; size <= mostRanks; size++ {
		want, got := roundedSums(t, doublingReduce, size), roundedSums(t, linearReduce, size)
		if !slices.Equal(got, want) {
			t.Errorf("%d ranks: sums are %v; expected %v", size, got, want)
		}
	}
}

// roundedSums returns sums of numbers of very different size, at all ranks.
func roundedSums(t *testing.T, algorithm *Algorithm, size int) []float32 {
	const count = 20
	op := reduction.Op{Commutative: true, Apply: reduction.Of(reduction.SumID, reduction.Kind(reflect.Float32))}
	w := newPaper(size, 1, op)
	rng := rand.New(rand.NewPCG(uint64(size), 2))
	sums := make([]float32, size*count)
	for rank, r := range w.ranks {
		in := make([]float32, count)
		for i := range in {
			in[i] = float32(math.Ldexp(rng.Float64(), rng.IntN(30)))
		}
		out := sums[rank*count:][:count]
		algorithm.Build(&r.Schedule, Arguments{In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[float32](), Op: op})
	}
	if err := w.run(); err != nil {
		t.Fatalf("%s of %d ranks: %v", algorithm.Name, size, err)
	}
	return sums
}
