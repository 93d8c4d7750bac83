package algorithm

import "musubi/mpi/internal/schedule"

// scanLinear passes the result on from rank to rank.
func scanLinear(s *schedule.Schedule, a Arguments) {
	s.Copy(a.Out, a.In)
	if s.Rank > 0 {
		before := s.Scratch(a.In, len(a.In))
		s.Receive(s.Rank-1, before)
		s.Wait()
		s.Combine(before, a.Out)
	}
	if s.Rank+1 < s.Size {
		s.Send(s.Rank+1, a.Out)
		s.Wait()
	}
}

// scanDoubling is by Hillis and Steele (1986): in each of ceil(log2 n) steps every
// rank sends what it has to the one 2^step places on; what it has then is of twice as
// many ranks, and ends with its own.
func scanDoubling(s *schedule.Schedule, a Arguments) {
	s.Copy(a.Out, a.In)
	before := s.Scratch(a.In, len(a.In))
	for d := 1; d < s.Size; d *= 2 {
		if shift(s, d, a.Out, before) {
			s.Combine(before, a.Out)
		}
	}
}

// ScanAs calls combine for pairs of ranks whose parts are to be combined, one after the other, in the order in which scanDoubling has what a rank gets:
// its part has the result then. In one that leaves out the rank's own elements its part has those of the rank before at first, if
// there is one.
func ScanAs(rank int, exclusive bool, combine func(from, into int)) {
	for d := 1; d <= rank; d *= 2 {
		for into := rank; into >= d; into -= 2 * d {
			if exclusive && into == rank && d == 1 {
				continue
			}
			combine(into-d, into)
		}
	}
}

// shift sends to the rank some places on and receives from the one as many places
// back, where there are such ranks. It reports whether it receives.
func shift(s *schedule.Schedule, d int, from, into []byte) bool {
	if s.Rank >= d {
		s.Receive(s.Rank-d, into)
	}
	if s.Rank+d < s.Size {
		s.Send(s.Rank+d, from)
	}
	s.Wait()
	return s.Rank >= d
}

// exScanLinear passes on, from rank to rank, what is combined so far. The first rank has nothing to
// combine its own elements with, and the last one passes nothing on.
func exScanLinear(s *schedule.Schedule, a Arguments) {
	first, last := s.Rank == 0, s.Rank+1 == s.Size
	upTo := a.In
	if !first && !last {
		upTo = s.Scratch(a.In, len(a.In))
		s.Copy(upTo, a.In)
	}
	if !first {
		s.Receive(s.Rank-1, a.Out)
		s.Wait()
	}
	if last {
		return
	}
	if !first {
		s.Combine(a.Out, upTo)
	}
	s.Send(s.Rank+1, upTo)
	s.Wait()
}

// exScanDoubling is recursive doubling like scanDoubling, with a second result that leaves out the
// rank's own elements. Those up to them are combined only for ranks that get them.
func exScanDoubling(s *schedule.Schedule, a Arguments) {
	upTo := a.In
	if s.Rank > 0 && (s.Rank+2 < s.Size || isInPlace(a.In, a.Out)) {
		upTo = s.Scratch(a.In, len(a.In))
		s.Copy(upTo, a.In)
	}
	before := a.Out
	for d := 1; d < s.Size; d *= 2 {
		if d == 2 && s.Rank >= d {
			before = s.Scratch(a.In, len(a.In))
		}
		if !shift(s, d, upTo, before) {
			continue
		}
		if d > 1 {
			s.Combine(before, a.Out)
		}
		if s.Rank+2*d < s.Size {
			s.Combine(before, upTo)
		}
	}
}
