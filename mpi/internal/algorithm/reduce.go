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
	have, spare := a.work(s), s.Scratch(len(a.In))
	s.Copy(have, a.In)
	p.NearChildren(func(_, child int) {
		s.Receive(child, spare)
		s.Wait()
		have, spare = s.Merge(a.Op, have, spare, false)
	})
	if p.Number > 0 {
		s.Send(p.Parent(), have)
		s.Wait()
	}
	deliver(s, a, top, have)
}

// work returns memory for a partial result: out where there is one.
func (a Arguments) work(s *schedule.Schedule) []byte {
	if len(a.Out) == len(a.In) {
		return a.Out
	}
	return s.Scratch(len(a.In))
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
	have, spare := foldIn(s, f, a)
	if f.number < 0 {
		return
	}
	have, mine := halve(s, f, a, have, spare)
	root := f.numberOf(a.Root)
	for d := f.count / 2; d > 0; d /= 2 {
		level := mine[len(mine)-1]
		mine = mine[:len(mine)-1]
		peer := f.rank(f.number ^ d)
		if f.number&d != root&d {
			s.Send(peer, level.own.of(have))
			s.Wait()
			return
		}
		s.Receive(peer, level.other.of(have))
		s.Wait()
	}
	s.Copy(a.Out, have)
}
