package mpi

// Gather puts the elements of all ranks one after the other at the root, in the
// order of the ranks. There out has room for as many times the length of in as
// there are ranks, and in may be the part for its own; at the other ranks out is not
// used. The length of in is the same everywhere.
func Gather[T any](c *Comm, root int, in, out []T) error {
	return carryOut(planFor(c, "Gather", gather, root, in, out))
}

// IGather starts a Gather.
func IGather[T any](c *Comm, root int, in, out []T) (*Request, error) {
	return begin(planFor(c, "IGather", gather, root, in, out))
}

// GatherV is Gather of as many elements of each rank as out has room for them: at
// the root, those of rank r go to out[r], whose length is that of the in there. The
// root's in may be its own part of out.
func GatherV[T any](c *Comm, root int, in []T, out [][]T) error {
	return carryOut(planParts(c, "GatherV", gatherV, root, in, nil, nil, out))
}

// IGatherV starts a GatherV.
func IGatherV[T any](c *Comm, root int, in []T, out [][]T) (*Request, error) {
	return begin(planParts(c, "IGatherV", gatherV, root, in, nil, nil, out))
}

// gatherLinear lets all ranks send to the root.
func gatherLinear(s *schedule, a arguments) {
	if s.rank == a.root {
		a.outs = equal(a.out, s.size)
	}
	gatherVLinear(s, a)
}

func gatherVLinear(s *schedule, a arguments) {
	if s.rank != a.root {
		s.send(a.root, a.in)
		s.wait()
		return
	}
	for rank, out := range a.outs {
		if rank != s.rank {
			s.receive(rank, out)
		}
	}
	s.copy(a.outs[s.rank], a.in)
	s.wait()
}

// gatherBinomial gathers along a binomial tree, where every rank sends on the
// elements of its subtree in one message.
func gatherBinomial(s *schedule, a arguments) {
	p, n := s.treeFrom(a.root), len(a.in)
	subtree := p.collected(s, a.out, n)
	s.copy(subtree, a.in)
	p.nearChildren(func(d, child int) {
		s.receive(child, subtree[d*n:(d+p.childSize(d))*n])
	})
	s.wait()
	if p.number > 0 {
		s.send(p.parent(), subtree)
		s.wait()
		return
	}
	p.toRanks(s, a.out, subtree)
}

// collected returns memory for blocks of n bytes, one for each place of the
// subtree. It is that of all ranks where their order is that of the places.
func (p place) collected(s *schedule, all []byte, n int) []byte {
	if p.number == 0 && p.root == 0 {
		return all
	}
	return s.scratch(p.subtree() * n)
}

// toRanks copies blocks in the order of places to one in the order of ranks.
func (p place) toRanks(s *schedule, ranks, places []byte) {
	before := len(ranks) / p.size * p.root
	s.copy(ranks[before:], places[:len(ranks)-before])
	s.copy(ranks[:before], places[len(ranks)-before:])
}

// toPlaces is toRanks the other way round.
func (p place) toPlaces(s *schedule, places, ranks []byte) {
	before := len(ranks) / p.size * p.root
	s.copy(places[:len(ranks)-before], ranks[before:])
	s.copy(places[len(ranks)-before:], ranks[:before])
}
