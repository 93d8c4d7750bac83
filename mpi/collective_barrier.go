package mpi

// Barrier returns when all ranks have called it.
func Barrier(c *Comm) error {
	const call = "Barrier"
	if met, err := c.meet(call, barrier, nil); met || err != nil {
		return err
	}
	return carryOut(c.plan(call, barrier, &arguments{}))
}

// IBarrier starts a Barrier: the request is complete when all ranks have started it.
func IBarrier(c *Comm) (*Request, error) {
	return begin(c.plan("IBarrier", barrier, &arguments{}))
}

// barrierDissemination is by Hensgen, Finkel and Manber (1988): in each of
// ceil(log2 n) steps every rank tells the one 2^step places on that it has come that
// far.
func barrierDissemination(s *schedule, _ arguments) {
	for d := 1; d < s.size; d *= 2 {
		s.exchange(s.right(d), nil, s.left(d), nil)
	}
}

// barrierLinear lets rank 0 hear from all others before it answers them. Where ranks share
// processors, each needs its turn once only: in dissemination it does in every step.
func barrierLinear(s *schedule, _ arguments) {
	if s.rank > 0 {
		s.exchange(0, nil, 0, nil)
		return
	}
	for other := 1; other < s.size; other++ {
		s.receive(other, nil)
	}
	s.wait()
	for other := 1; other < s.size; other++ {
		s.send(other, nil)
	}
	s.wait()
}

// barrierTree gathers along a binomial tree and releases along it: twice as many
// steps, but only 2 (n-1) messages.
func barrierTree(s *schedule, _ arguments) {
	p := s.treeFrom(0)
	p.nearChildren(func(_, child int) { s.receive(child, nil) })
	s.wait()
	if p.number > 0 {
		s.exchange(p.parent(), nil, p.parent(), nil)
	}
	p.farChildren(func(_, child int) { s.send(child, nil) })
	s.wait()
}
