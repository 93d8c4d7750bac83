package mpi

// AllGather puts the elements of all ranks one after the other at each of them, in
// the order of the ranks. The length of in is the same everywhere, and out has room
// for as many times that as there are ranks. In may be this rank's part of out.
func AllGather[T any](c *Comm, in, out []T) error {
	return carryOut(planFor(c, "AllGather", allGather, 0, in, out))
}

// IAllGather starts an AllGather.
func IAllGather[T any](c *Comm, in, out []T) (*Request, error) {
	return begin(planFor(c, "IAllGather", allGather, 0, in, out))
}

// AllGatherV is AllGather of different numbers of elements: those of rank r go to
// out[r], whose length is that of the in there. In may be this rank's part of out.
func AllGatherV[T any](c *Comm, in []T, out [][]T) error {
	return carryOut(planParts(c, "AllGatherV", allGatherV, 0, in, nil, nil, out))
}

// IAllGatherV starts an AllGatherV.
func IAllGatherV[T any](c *Comm, in []T, out [][]T) (*Request, error) {
	return begin(planParts(c, "IAllGatherV", allGatherV, 0, in, nil, nil, out))
}

// allGatherDoubling lets ranks exchange all that they have with ever farther peers:
// log2 n steps, for powers of two.
func allGatherDoubling(s *schedule, a arguments) {
	all := cut(a.out, 1, s.size)
	s.copy(all.at(s.rank), a.in)
	for d := 1; d < s.size; d *= 2 {
		peer, mine := s.rank^d, s.rank&^(d-1)
		s.exchange(peer, all.from(mine, d), peer, all.from(mine^d, d))
	}
}

// allGatherBruck is by Bruck et al. (1997): in each of ceil(log2 n) steps every rank
// gets what the one 2^step places on has collected. What it collects begins with its
// own elements and is turned at the end.
func allGatherBruck(s *schedule, a arguments) {
	n := len(a.in)
	collected := s.scratch(len(a.out))
	s.copy(collected, a.in)
	for d := 1; d < s.size; d *= 2 {
		count := min(d, s.size-d)
		s.exchange(s.left(d), collected[:count*n], s.right(d), collected[d*n:(d+count)*n])
	}
	place{size: s.size, root: s.rank}.toRanks(s, a.out, collected)
}

// allGatherRing passes the elements on in a ring.
func allGatherRing(s *schedule, a arguments) {
	all := cut(a.out, 1, s.size)
	s.copy(all.at(s.rank), a.in)
	s.passOn(all, s.rank)
}

func allGatherVRing(s *schedule, a arguments) {
	s.copy(a.outs[s.rank], a.in)
	for i := range s.size - 1 {
		s.exchange(s.right(1), a.outs[s.left(i)], s.left(1), a.outs[s.left(i+1)])
	}
}

// allGatherVLinear lets every rank send to all others at once.
func allGatherVLinear(s *schedule, a arguments) {
	for i := 1; i < s.size; i++ {
		s.receive(s.left(i), a.outs[s.left(i)])
	}
	for i := 1; i < s.size; i++ {
		s.send(s.right(i), a.in)
	}
	s.copy(a.outs[s.rank], a.in)
	s.wait()
}
