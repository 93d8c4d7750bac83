package algorithm

import "musubi/mpi/internal/schedule"

// scatterLinear lets the root send to all ranks.
func scatterLinear(s *schedule.Schedule, a Arguments) {
	if s.Rank == a.Root {
		a.Ins = equal(a.In, s.Size)
	}
	scatterVLinear(s, a)
}

func scatterVLinear(s *schedule.Schedule, a Arguments) {
	if s.Rank != a.Root {
		s.Receive(a.Root, a.Out)
		s.Wait()
		return
	}
	for rank, in := range a.Ins {
		if rank != s.Rank {
			s.Send(rank, in)
		}
	}
	s.Copy(a.Out, a.Ins[s.Rank])
	s.Wait()
}

// scatterBinomial scatters along a binomial tree, where every rank gets the
// elements of its subtree in one message.
func scatterBinomial(s *schedule.Schedule, a Arguments) {
	p, n := TreeFrom(s, a.Root), len(a.Out)
	subtree := p.collected(s, a.In, a.Out)
	switch {
	case p.Number > 0:
		s.Receive(p.Parent(), subtree)
		s.Wait()
	case p.root > 0:
		p.toPlaces(s, subtree, a.In)
	}
	p.farChildren(func(d, child int) {
		s.Send(child, subtree[d*n:(d+p.childSize(d))*n])
	})
	s.Copy(a.Out, subtree[:n])
	s.Wait()
}
