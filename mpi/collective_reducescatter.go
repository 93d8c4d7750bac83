package mpi

// ReduceScatter combines the elements of all ranks and gives each rank a part of the
// result, in the order of the ranks. The length of out is the same everywhere, and
// in has as many times that as there are ranks.
func ReduceScatter[T any](c *Comm, in, out []T, op Op[T]) error {
	return runOp(c, reduceScatter, 0, in, out, op)
}

// reduceScatterTree reduces to rank 0, which scatters the result.
func reduceScatterTree(s *schedule, a arguments) {
	var all []byte
	if s.rank == 0 {
		all = s.scratch(len(a.in))
	}
	reduceBinomial(s, arguments{in: a.in, out: all, element: a.element, op: a.op})
	scatterBinomial(s, arguments{in: all, out: a.out, element: a.element})
}

// reduceScatterHalving lets ranks exchange halves of their elements with ever nearer
// peers, each combining the half that has its own: log2 n steps. Far ranks begin, so
// the operation has to be commutative.
func reduceScatterHalving(s *schedule, a arguments) {
	f := s.foldTo(-1)
	parts := cut(a.in, 1, s.size)
	have, spare := s.foldIn(f, arguments{in: a.in, element: a.element, op: a.op})
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
		own, other := f.span(parts, keep), f.span(parts, give)
		peer := f.rank(f.number ^ d)
		s.exchange(peer, other.of(have), peer, own.of(spare))
		s.combine(own.of(spare), own.of(have))
	}
	own := parts.begin(s.rank)
	s.copy(a.out, have[own:own+len(a.out)])
	if paired {
		its := parts.begin(partner)
		s.send(partner, have[its:its+len(a.out)])
		s.wait()
	}
}

// span returns where the parts of those are who stay with some numbers, and of their
// partners.
func (f fold) span(parts blocks, numbers half) half {
	begin := func(number int) int { return parts.begin(number + min(number, f.pairs)) }
	return half{begin(numbers.lo), begin(numbers.hi)}
}

// reduceScatterPairwise brings all parts to where they belong, and combines them
// there in the order of ranks.
func reduceScatterPairwise(s *schedule, a arguments) {
	parts := s.scratch(len(a.in))
	allToAllPairwise(s, arguments{in: a.in, out: parts})
	each := equal(parts, s.size)
	for r := 1; r < s.size; r++ {
		s.combine(each[r-1], each[r])
	}
	s.copy(a.out, each[s.size-1])
}
