package mpi

// Scatter gives each rank a part of the root's elements, in the order of the ranks.
// There in has as many times the length of out as there are ranks, and out may be the
// part for its own; at the other ranks in is not used. The length of out is the same
// everywhere.
func Scatter[T any](c *Comm, root int, in, out []T) error {
	return carryOut(planFor(c, "Scatter", scatter, root, in, out))
}

// IScatter starts a Scatter.
func IScatter[T any](c *Comm, root int, in, out []T) (*Request, error) {
	return begin(planFor(c, "IScatter", scatter, root, in, out))
}

// ScatterV is Scatter of as many elements to each rank as it has room for: rank r
// gets those of in[r] at the root, which has the length of its out. The root's out may
// be its own part of in.
func ScatterV[T any](c *Comm, root int, in [][]T, out []T) error {
	return carryOut(planParts(c, "ScatterV", scatterV, root, nil, out, in, nil))
}

// IScatterV starts a ScatterV.
func IScatterV[T any](c *Comm, root int, in [][]T, out []T) (*Request, error) {
	return begin(planParts(c, "IScatterV", scatterV, root, nil, out, in, nil))
}

// scatterLinear lets the root send to all ranks.
func scatterLinear(s *schedule, a arguments) {
	if s.rank == a.root {
		a.ins = equal(a.in, s.size)
	}
	scatterVLinear(s, a)
}

func scatterVLinear(s *schedule, a arguments) {
	if s.rank != a.root {
		s.receive(a.root, a.out)
		s.wait()
		return
	}
	for rank, in := range a.ins {
		if rank != s.rank {
			s.send(rank, in)
		}
	}
	s.copy(a.out, a.ins[s.rank])
	s.wait()
}

// scatterBinomial scatters along a binomial tree, where every rank gets the
// elements of its subtree in one message.
func scatterBinomial(s *schedule, a arguments) {
	p, n := s.treeFrom(a.root), len(a.out)
	subtree := p.collected(s, a.in, n)
	switch {
	case p.number > 0:
		s.receive(p.parent(), subtree)
		s.wait()
	case p.root > 0:
		p.toPlaces(s, subtree, a.in)
	}
	p.farChildren(func(d, child int) {
		s.send(child, subtree[d*n:(d+p.childSize(d))*n])
	})
	s.copy(a.out, subtree[:n])
	s.wait()
}
