package algorithm

import "musubi/mpi/internal/schedule"

// broadcastBinomial sends all of the data along a binomial tree.
func broadcastBinomial(s *schedule.Schedule, a Arguments) {
	p := TreeFrom(s, a.Root)
	if p.Number > 0 {
		s.Receive(p.Parent(), a.Out)
		s.Wait()
	}
	p.farChildren(func(_, child int) { s.Send(child, a.Out) })
	s.Wait()
}

// broadcastLinear sends all of the data to each rank.
func broadcastLinear(s *schedule.Schedule, a Arguments) {
	if s.Rank != a.Root {
		s.Receive(a.Root, a.Out)
	} else {
		for i := 1; i < s.Size; i++ {
			s.Send(s.Right(i), a.Out)
		}
	}
	s.Wait()
}

// broadcastScatterAllGather is by Van de Geijn (1994): the root scatters pieces of
// the data along a binomial tree, and then all pass the pieces on in a ring. So no
// rank sends more than about twice the data.
func broadcastScatterAllGather(s *schedule.Schedule, a Arguments) {
	p, pieces := TreeFrom(s, a.Root), cut(a.Out, 1, s.Size)
	if p.Number > 0 {
		s.Receive(p.Parent(), pieces.from(p.Number, p.subtree()))
		s.Wait()
	}
	p.farChildren(func(d, child int) {
		s.Send(child, pieces.from(p.Number+d, p.childSize(d)))
	})
	s.Wait()
	s.PassOn(a.Out, 1, p.Number)
}
