package nic

// OnceWindow is how many multicasts of one source may be under way.
const OnceWindow = 64

// Once tells the multicasts that have come before from new ones, by the numbers that their
// sources give them. A source numbers its multicasts one after the other, and never has two
// under way that are OnceWindow apart or more: neither without acknowledgement nor as a copy
// in the network. A receiver need not be among those of each multicast, so numbers may jump.
//
// Virtual nodes should be numbered from 0 on. The zero value has seen nothing.
type Once struct {
	sources []seen
}

// seen are the numbers of a source that have come: the last one, and a bit for each of the
// numbers before it, the next one the lowest but one.
type seen struct {
	any  bool
	last uint16
	bits uint64
}

// Fresh reports whether a multicast comes for the first time, and notes that it has come.
func (o *Once) Fresh(source, sequence uint16) bool {
	for int(source) >= len(o.sources) {
		o.sources = append(o.sources, seen{})
	}
	return o.sources[source].fresh(sequence)
}

func (s *seen) fresh(sequence uint16) bool {
	forward, back := sequence-s.last, s.last-sequence
	switch {
	case s.any && back < OnceWindow:
		bit := uint64(1) << back
		fresh := s.bits&bit == 0
		s.bits |= bit
		return fresh
	case s.any && forward < OnceWindow:
		s.bits = s.bits<<forward | 1
	default:
		s.bits = 1
	}
	s.any, s.last = true, sequence
	return true
}
