package algorithm

import "musubi/mpi/internal/schedule"

// reduceBinomial combines along a binomial tree. The tree begins at rank 0, which
// passes the result on, if elements are to be combined in the order of ranks.
func reduceBinomial(s *schedule.Schedule, a Arguments) {
	top := a.Root
	if !a.Op.Commutative {
		top = 0
	}
	p := TreeFrom(s, top)
	part := partialOf(s, a)
	p.NearChildren(func(_, child int) {
		s.Receive(child, part.into())
		s.Wait()
		part.mergeAll(false)
	})
	if p.Number > 0 {
		s.Send(p.Parent(), part.have)
		s.Wait()
	}
	deliver(s, a, top, part.have)
}

// combineAsTree calls combine for pairs of ranks whose parts are to be combined, in the order of
// reduceBinomial from a top. A partial result is in the part of the last place of its subtree; the
// rank of the last of all has the result, and is returned.
func combineAsTree(size, top int, combine func(from, into int)) (result int) {
	p := place{0, size, top}
	last := func(begin, reach int) int { return p.rank(min(begin+reach, size) - 1) }
	for d := 1; d < size; d *= 2 {
		for begin := 0; begin+d < size; begin += 2 * d {
			combine(last(begin, d), last(begin+d, d))
		}
	}
	return last(0, size)
}

// deliver adds the steps that bring a result from one rank to out at the root.
func deliver(s *schedule.Schedule, a Arguments, at int, result []byte) {
	switch {
	case at == a.Root && s.Rank == at:
		s.Copy(a.Out, result)
	case s.Rank == at:
		s.Send(a.Root, result)
		s.Wait()
	case at != a.Root && s.Rank == a.Root:
		s.Receive(at, a.Out)
		s.Wait()
	}
}

// reduceRabenseifner scatters the result over the ranks while combining, and then
// gathers it at the root (Rabenseifner, 2004). So no rank sends more than about
// twice its elements.
func reduceRabenseifner(s *schedule.Schedule, a Arguments) {
	f := foldTo(s, a.Root)
	p := foldIn(s, f, a)
	if f.number < 0 {
		return
	}
	mine := halve(s, f, a, &p)
	root := f.numberOf(a.Root)
	for d := f.count / 2; d > 0; d /= 2 {
		level := mine[len(mine)-1]
		mine = mine[:len(mine)-1]
		peer := f.rank(f.number ^ d)
		if f.number&d != root&d {
			s.Send(peer, level.own.of(p.have))
			s.Wait()
			return
		}
		s.Receive(peer, level.other.of(p.have))
		s.Wait()
	}
	s.Copy(a.Out, p.have)
}
