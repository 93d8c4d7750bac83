package mpi

// ReduceScatter combines the elements of all ranks and gives each rank a part of the
// result, in the order of the ranks. The length of out is the same everywhere, and
// in has as many times that as there are ranks. Out may lie in in.
func ReduceScatter[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "ReduceScatter", reduceScatter, 0, in, out, op))
}

// IReduceScatter starts a ReduceScatter.
func IReduceScatter[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IReduceScatter", reduceScatter, 0, in, out, op))
}

// ReduceScatterV is ReduceScatter of parts of different lengths: in[r] of all ranks,
// which has the same length everywhere, is combined for rank r, whose out has that
// length and may lie in in.
func ReduceScatterV[T any](c *Comm, in [][]T, out []T, op Op[T]) error {
	return carryOut(planReductions(c, "ReduceScatterV", in, out, op))
}

// IReduceScatterV starts a ReduceScatterV.
func IReduceScatterV[T any](c *Comm, in [][]T, out []T, op Op[T]) (*Request, error) {
	return begin(planReductions(c, "IReduceScatterV", in, out, op))
}

func planReductions[T any](c *Comm, call string, in [][]T, out []T, op Op[T]) (*running, error) {
	if err := op.check(c, call); err != nil {
		return nil, err
	}
	return c.plan(call, reduceScatterV, &arguments{ins: memoryOfEach(in), out: memoryOf(out), element: sizeOf[T](), op: op.operator()})
}

// reduceScatterTree reduces to rank 0, which scatters the result.
func reduceScatterTree(s *schedule, a arguments) {
	all := s.reduced(a, a.in)
	scatterBinomial(s, arguments{in: all, out: a.out, element: a.element})
}

func reduceScatterVTree(s *schedule, a arguments) {
	all, to := s.reduced(a, s.joined(a.ins)), arguments{out: a.out}
	if s.rank == 0 {
		to.ins = cutLike(all, a.ins)
	}
	scatterVLinear(s, to)
}

// reduced reduces to rank 0, and returns the result there.
func (s *schedule) reduced(a arguments, in []byte) []byte {
	var all []byte
	if s.rank == 0 {
		all = s.scratch(len(in))
	}
	reduceBinomial(s, arguments{in: in, out: all, element: a.element, op: a.op})
	return all
}

// joined copies parts to memory where they follow each other.
func (s *schedule) joined(parts [][]byte) []byte {
	all := s.scratch(bytesOfAll(parts))
	for i, part := range cutLike(all, parts) {
		s.copy(part, parts[i])
	}
	return all
}

// reduceScatterHalving lets ranks exchange halves of their elements with ever nearer
// peers, each combining the half that has its own: log2 n steps. Far ranks begin, so
// the operation has to be commutative.
func reduceScatterHalving(s *schedule, a arguments) {
	s.halveTo(a, a.in, beginsOf(equal(a.in, s.size)))
}

func reduceScatterVHalving(s *schedule, a arguments) {
	s.halveTo(a, s.joined(a.ins), beginsOf(a.ins))
}

// halveTo is reduceScatterHalving with parts that begin, and the last one ends, at
// some places.
func (s *schedule) halveTo(a arguments, in []byte, begins []int) {
	f := s.foldTo(-1)
	have, spare := s.foldIn(f, arguments{in: in, element: a.element, op: a.op})
	partner, paired := f.partner(s.rank)
	if f.number < 0 {
		s.receive(partner, a.out)
		s.wait()
		return
	}
	low, high := 0, f.count
	for d := f.count / 2; d > 0; d /= 2 {
		keep, give := half{low, low + d}, half{low + d, high}
		if f.number&d != 0 {
			keep, give = give, keep
		}
		low, high = keep.lo, keep.hi
		own, other := f.span(begins, keep), f.span(begins, give)
		peer := f.rank(f.number ^ d)
		s.exchange(peer, other.of(have), peer, own.of(spare))
		s.combine(own.of(spare), own.of(have))
	}
	s.copy(a.out, have[begins[s.rank]:begins[s.rank+1]])
	if paired {
		s.send(partner, have[begins[partner]:begins[partner+1]])
		s.wait()
	}
}

// span returns where the parts of those are who stay with some numbers, and of their
// partners.
func (f fold) span(begins []int, numbers half) half {
	begin := func(number int) int { return begins[number+min(number, f.pairs)] }
	return half{begin(numbers.lo), begin(numbers.hi)}
}

// reduceScatterPairwise brings all parts to where they belong, and combines them
// there in the order of ranks.
func reduceScatterPairwise(s *schedule, a arguments) {
	a.ins = equal(a.in, s.size)
	reduceScatterVPairwise(s, a)
}

func reduceScatterVPairwise(s *schedule, a arguments) {
	each := make([][]byte, s.size)
	for r := range each {
		each[r] = s.scratch(len(a.out))
	}
	allToAllVPairwise(s, arguments{ins: a.ins, outs: each})
	for r := 1; r < s.size; r++ {
		s.combine(each[r-1], each[r])
	}
	s.copy(a.out, each[s.size-1])
}
