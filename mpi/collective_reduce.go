package mpi

// Reduce combines the elements of all ranks to out at the root. There out has the
// length of in, and may be in; at the other ranks it is not used. Both root and op
// are the same everywhere, and so is the length of in.
func Reduce[T any](c *Comm, root int, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "Reduce", reduce, root, in, out, op))
}

// IReduce starts a Reduce.
func IReduce[T any](c *Comm, root int, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IReduce", reduce, root, in, out, op))
}

// reduceBinomial combines along a binomial tree. The tree begins at rank 0, which
// passes the result on, if elements are to be combined in the order of ranks.
func reduceBinomial(s *schedule, a arguments) {
	top := a.root
	if !a.op.commutative {
		top = 0
	}
	p := s.treeFrom(top)
	have, spare := a.work(s), s.scratch(len(a.in))
	s.copy(have, a.in)
	p.nearChildren(func(_, child int) {
		s.receive(child, spare)
		s.wait()
		have, spare = s.merge(a.op, have, spare, false)
	})
	if p.number > 0 {
		s.send(p.parent(), have)
		s.wait()
	}
	s.deliver(a, top, have)
}

// work returns memory for a partial result: out where there is one.
func (a arguments) work(s *schedule) []byte {
	if len(a.out) == len(a.in) {
		return a.out
	}
	return s.scratch(len(a.in))
}

// deliver brings a result from one rank to out at the root.
func (s *schedule) deliver(a arguments, at int, result []byte) {
	switch {
	case at == a.root && s.rank == at:
		s.copy(a.out, result)
	case s.rank == at:
		s.send(a.root, result)
		s.wait()
	case at != a.root && s.rank == a.root:
		s.receive(at, a.out)
		s.wait()
	}
}

// reduceRabenseifner scatters the result over the ranks while combining, and then
// gathers it at the root (Rabenseifner, 2004). So no rank sends more than about
// twice its elements.
func reduceRabenseifner(s *schedule, a arguments) {
	f := s.foldTo(a.root)
	have, spare := s.foldIn(f, a)
	if f.number < 0 {
		return
	}
	have, mine := s.halve(f, a, have, spare)
	root := f.numberOf(a.root)
	for d := f.count / 2; d > 0; d /= 2 {
		level := mine[len(mine)-1]
		mine = mine[:len(mine)-1]
		peer := f.rank(f.number ^ d)
		if f.number&d != root&d {
			s.send(peer, level.own.of(have))
			s.wait()
			return
		}
		s.receive(peer, level.other.of(have))
		s.wait()
	}
	s.copy(a.out, have)
}
