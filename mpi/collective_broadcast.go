package mpi

// Broadcast copies the root's data to the data of all other ranks, which has the
// same length everywhere.
func Broadcast[T any](c *Comm, root int, data []T) error {
	const call = "Broadcast"
	if met, err := broadcastOnBoard(c, call, root, data); met || err != nil {
		return err
	}
	return carryOut(planFor(c, call, broadcast, root, nil, data))
}

// IBroadcast starts a Broadcast.
func IBroadcast[T any](c *Comm, root int, data []T) (*Request, error) {
	return begin(planFor(c, "IBroadcast", broadcast, root, nil, data))
}

// broadcastBinomial sends all of the data along a binomial tree.
func broadcastBinomial(s *schedule, a arguments) {
	p := s.treeFrom(a.root)
	if p.number > 0 {
		s.receive(p.parent(), a.out)
		s.wait()
	}
	p.farChildren(func(_, child int) { s.send(child, a.out) })
	s.wait()
}

// broadcastScatterAllGather is by Van de Geijn (1994): the root scatters pieces of
// the data along a binomial tree, and then all pass the pieces on in a ring. So no
// rank sends more than about twice the data.
func broadcastScatterAllGather(s *schedule, a arguments) {
	p, pieces := s.treeFrom(a.root), cut(a.out, 1, s.size)
	if p.number > 0 {
		s.receive(p.parent(), pieces.from(p.number, p.subtree()))
		s.wait()
	}
	p.farChildren(func(d, child int) {
		s.send(child, pieces.from(p.number+d, p.childSize(d)))
	})
	s.wait()
	s.passOn(pieces, p.number)
}

// passOn lets every rank send the piece that it has, then the one that it has got
// last, to its right, until all have all pieces. Ranks have consecutive pieces.
func (s *schedule) passOn(pieces blocks, own int) {
	for i := range s.size - 1 {
		s.exchange(s.right(1), pieces.at(own-i), s.left(1), pieces.at(own-i-1))
	}
}
