package mpi

// AllReduce combines the elements of all ranks to out at each of them. It has the
// length of in, which is the same everywhere, and may be in. All ranks get the same
// result, bit by bit.
func AllReduce[T any](c *Comm, in, out []T, op Op[T]) error {
	const call = "AllReduce"
	if met, err := reduceOnBoard(c, call, in, out, op); met || err != nil {
		return err
	}
	return carryOut(planReduction(c, call, allReduce, 0, in, out, op))
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

// allReduceLinear lets rank 0 combine the elements of all, with the brackets of recursive
// doubling, so that the result has the same bits. Where ranks share processors, each needs
// its turn once only.
func allReduceLinear(s *schedule, a arguments) {
	if s.rank > 0 {
		s.send(0, a.in)
		s.wait()
		s.receive(0, a.out)
		s.wait()
		return
	}
	parts := cut(s.scratch(s.size*len(a.in)), a.element, s.size)
	s.copy(parts.at(0), a.in)
	for other := 1; other < s.size; other++ {
		s.receive(other, parts.at(other))
	}
	s.wait()
	s.copy(a.out, s.combineAll(parts))
	for other := 1; other < s.size; other++ {
		s.send(other, a.out)
	}
	s.wait()
}

// combineAll combines the parts of all ranks, and returns the part that has the result.
func (s *schedule) combineAll(parts blocks) []byte {
	combineInOrder(s.size, func(from, into int) { s.combine(parts.at(from), parts.at(into)) })
	return parts.at(s.size - 1)
}

// combineInOrder calls combine for the ranks of which parts are to be combined, one after
// the other, so that it is done as in recursive doubling. What ranks have combined so far
// is in the part of the last one of them.
func combineInOrder(size int, combine func(from, into int)) {
	f := foldOf(size)
	for i := range f.pairs {
		combine(2*i, 2*i+1)
	}
	for d := 1; d < f.count; d *= 2 {
		for i := d - 1; i < f.count-d; i += 2 * d {
			combine(f.rank(i), f.rank(i+d))
		}
	}
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
