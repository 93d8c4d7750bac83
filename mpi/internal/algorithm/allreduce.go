package algorithm

import "musubi/mpi/internal/schedule"

// allReduceDoubling lets ranks exchange all of their elements with ever farther
// peers: ceil(log2 n) steps.
func allReduceDoubling(s *schedule.Schedule, a Arguments) {
	f := foldTo(s, -1)
	p := foldIn(s, f, a)
	if f.number >= 0 {
		for round := 0; 1<<round < f.count; round++ {
			if p.accumulates() {
				s.Double(f.number, f.pairs, round, p.have, p.into())
				break
			}
			peer := f.rank(f.number ^ 1<<round)
			s.Exchange(peer, p.have, peer, p.into())
			p.mergeAll(f.number&(1<<round) != 0)
		}
	}
	foldOut(s, f, a, p.have)
}

// allReduceLinear lets rank 0 combine the elements of all, in the order of recursive doubling, so
// that the result has the same bits. Where ranks share processors, each waits for a processor once
// only.
func allReduceLinear(s *schedule.Schedule, a Arguments) {
	if s.Rank > 0 {
		s.Send(0, a.In)
		s.Wait()
		s.Receive(0, a.Out)
		s.Wait()
		return
	}
	parts := cut(s.Scratch(a.In, s.Size*len(a.In)), a.Element, s.Size)
	s.Copy(parts.at(0), a.In)
	for other := 1; other < s.Size; other++ {
		s.Receive(other, parts.at(other))
	}
	s.Wait()
	s.Copy(a.Out, combineAll(s, parts))
	for other := 1; other < s.Size; other++ {
		s.Send(other, a.Out)
	}
	s.Wait()
}

// combineAll combines the parts of all ranks, and returns the part with the result.
func combineAll(s *schedule.Schedule, parts blocks) []byte {
	combineInOrder(s.Size, func(from, into int) { s.Combine(parts.at(from), parts.at(into)) })
	return parts.at(s.Size - 1)
}

// CombineAs calls combine for pairs of ranks whose parts are to be combined, one after the other, in the order in which the
// usual algorithm of a reduction combines short data: to a root, to all, or to scatter the result. So bits do not depend on how data
// travels. The rank whose part has the result is returned.
func CombineAs(o Operation, size, root int, commutative bool, combine func(from, into int)) (result int) {
	switch {
	case o == AllReduce:
		return combineInOrder(size, combine)
	case !commutative:
		return combineAsTree(size, 0, combine)
	case o == Reduce:
		return combineAsTree(size, root, combine)
	}
	return combineByHalves(size, combine)
}

// combineInOrder calls combine in the order of recursive doubling. A partial result is in the part of its last rank, and so is the
// result, whose rank is returned.
func combineInOrder(size int, combine func(from, into int)) (result int) {
	f := foldOf(size)
	for i := range f.pairs {
		combine(2*i, 2*i+1)
	}
	for d := 1; d < f.count; d *= 2 {
		for i := d - 1; i < f.count-d; i += 2 * d {
			combine(f.rank(i), f.rank(i+d))
		}
	}
	return size - 1
}

// allReduceRabenseifner scatters the result over the ranks while combining, and
// then passes it on the same way back (Rabenseifner, 2004). So a rank sends about
// twice its elements, in 2 log2 n steps.
func allReduceRabenseifner(s *schedule.Schedule, a Arguments) {
	f := foldTo(s, -1)
	p := foldIn(s, f, a)
	if f.number >= 0 {
		levels := halve(s, f, a, &p)
		for d := f.count / 2; d > 0; d /= 2 {
			level := levels[len(levels)-1]
			levels = levels[:len(levels)-1]
			peer := f.rank(f.number ^ d)
			s.Exchange(peer, level.own.of(p.have), peer, level.other.of(p.have))
		}
	}
	foldOut(s, f, a, p.have)
}

// allReduceRing passes pieces of the elements on in a ring, where each rank
// combines them with its own, and then passes the results on (Patarasuk and Yuan,
// 2009). A rank sends twice its elements, whatever the number of ranks, but in
// 2 (n-1) steps.
func allReduceRing(s *schedule.Schedule, a Arguments) {
	if s.Size == 1 {
		s.Copy(a.Out, a.In)
		return
	}
	s.CombineOn(inApart(s, a), a.Out, a.Element, s.Rank)
	s.PassOn(a.Out, a.Element, s.Rank+1)
}
