package mpi

// AllReduce combines the elements of all ranks to out at each of them. It has the
// length of in, which is the same everywhere, and may be in. All ranks get the same
// result, bit by bit.
func AllReduce[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "AllReduce", allReduce, 0, in, out, op))
}

// IAllReduce starts an AllReduce.
func IAllReduce[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IAllReduce", allReduce, 0, in, out, op))
}

// allReduceDoubling lets ranks exchange all of their elements with ever farther
// peers: ceil(log2 n) steps.
func allReduceDoubling(s *schedule, a arguments) {
	f := s.foldTo(-1)
	have, spare := s.foldIn(f, a)
	if f.number >= 0 {
		for d := 1; d < f.count; d *= 2 {
			peer := f.rank(f.number ^ d)
			s.exchange(peer, have, peer, spare)
			have, spare = s.merge(a.op, have, spare, f.number&d != 0)
		}
	}
	s.foldOut(f, a, have)
}

// allReduceRabenseifner scatters the result over the ranks while combining, and
// then passes it on the same way back (Rabenseifner, 2004). So a rank sends about
// twice its elements, in 2 log2 n steps.
func allReduceRabenseifner(s *schedule, a arguments) {
	f := s.foldTo(-1)
	have, spare := s.foldIn(f, a)
	if f.number >= 0 {
		var levels []halved
		have, levels = s.halve(f, a, have, spare)
		for d := f.count / 2; d > 0; d /= 2 {
			level := levels[len(levels)-1]
			levels = levels[:len(levels)-1]
			peer := f.rank(f.number ^ d)
			s.exchange(peer, level.own.of(have), peer, level.other.of(have))
		}
	}
	s.foldOut(f, a, have)
}

// allReduceRing passes pieces of the elements on in a ring, where each rank
// combines them with its own, and then passes the results on (Patarasuk and Yuan,
// 2009). A rank sends twice its elements, whatever the number of ranks, but in
// 2 (n-1) steps.
func allReduceRing(s *schedule, a arguments) {
	s.copy(a.out, a.in)
	pieces := cut(a.out, a.element, s.size)
	spare := s.scratch(pieces.largest())
	for i := range s.size - 1 {
		own := pieces.at(s.rank - i - 1)
		received := spare[:len(own)]
		s.exchange(s.right(1), pieces.at(s.rank-i), s.left(1), received)
		s.combine(received, own)
	}
	s.passOn(pieces, s.rank+1)
}
