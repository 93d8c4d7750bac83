package mpi

// Scan combines the elements of the ranks up to each rank, its own included. Out has
// the length of in, which is the same everywhere, and may be in.
func Scan[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "Scan", scan, 0, in, out, op))
}

// IScan starts a Scan.
func IScan[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IScan", scan, 0, in, out, op))
}

// ExScan combines the elements of the ranks before each rank, without its own. Rank
// 0 has none before it and keeps what is in out. Out has the length of in, which is
// the same everywhere, and may be in, except that rank 0 then keeps its elements.
func ExScan[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "ExScan", exScan, 0, in, out, op))
}

// IExScan starts an ExScan.
func IExScan[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IExScan", exScan, 0, in, out, op))
}

// scanLinear passes the result on from rank to rank.
func scanLinear(s *schedule, a arguments) {
	s.copy(a.out, a.in)
	if s.rank > 0 {
		before := s.scratch(len(a.in))
		s.receive(s.rank-1, before)
		s.wait()
		s.combine(before, a.out)
	}
	if s.rank+1 < s.size {
		s.send(s.rank+1, a.out)
		s.wait()
	}
}

// scanDoubling is by Hillis and Steele (1986): in each of ceil(log2 n) steps every
// rank sends what it has to the one 2^step places on; what it has then is of twice as
// many ranks, and ends with its own.
func scanDoubling(s *schedule, a arguments) {
	s.copy(a.out, a.in)
	before := s.scratch(len(a.in))
	for d := 1; d < s.size; d *= 2 {
		if s.shift(d, a.out, before) {
			s.combine(before, a.out)
		}
	}
}

// shift sends to the rank some places on and receives from the one as many places
// back, where there are such ranks. It tells whether it receives.
func (s *schedule) shift(d int, from, into []byte) bool {
	if s.rank >= d {
		s.receive(s.rank-d, into)
	}
	if s.rank+d < s.size {
		s.send(s.rank+d, from)
	}
	s.wait()
	return s.rank >= d
}

// exScanLinear passes on, from rank to rank, what is combined so far.
func exScanLinear(s *schedule, a arguments) {
	upTo := s.scratch(len(a.in))
	s.copy(upTo, a.in)
	if s.rank > 0 {
		before := s.scratch(len(a.in))
		s.receive(s.rank-1, before)
		s.wait()
		s.combine(before, upTo)
		s.copy(a.out, before)
	}
	if s.rank+1 < s.size {
		s.send(s.rank+1, upTo)
		s.wait()
	}
}

// exScanDoubling is scanDoubling with a second result, to which the rank's own
// elements do not belong.
func exScanDoubling(s *schedule, a arguments) {
	upTo, before := s.scratch(len(a.in)), s.scratch(len(a.in))
	s.copy(upTo, a.in)
	for d := 1; d < s.size; d *= 2 {
		if !s.shift(d, upTo, before) {
			continue
		}
		if d == 1 {
			s.copy(a.out, before)
		} else {
			s.combine(before, a.out)
		}
		s.combine(before, upTo)
	}
}
