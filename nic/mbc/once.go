package mbc

// OnceWindow is how many multicasts of one source may be under way.
const OnceWindow = 64

// Once tells the multicasts that have come before from new ones, by the numbers that their
// sources, the interfaces that have switches copy them, give them. A source numbers its
// multicasts one after the other, and never has two under way that are OnceWindow apart or
// more: neither without acknowledgement nor as a copy in the network. A receiver need not be
// among those of each multicast, so numbers may jump, but by no more than 65,536 -
// OnceWindow, as they go round.
//
// Sources should be numbered from 0 on. The zero value has seen nothing.
type Once struct {
	sources []seen
}

// seen are the numbers of a source that have come: the highest one, and a bit for each from
// it downwards, its own the lowest.
type seen struct {
	any  bool
	last uint16
	bits uint64
}

// Seen reports whether a multicast has come before. A receiver asks before all else: what has
// been done and comes again is only acknowledged again, even if the access id is stale now.
func (o *Once) Seen(source, sequence uint16) bool {
	if int(source) >= len(o.sources) {
		return false
	}
	s := &o.sources[source]
	return s.bits>>(s.last-sequence)&1 == 1 // 0 beyond the window
}

// Fresh reports whether a multicast comes for the first time, and notes that it has come. A
// receiver asks when it is about to do it, not before: until then a copy that comes again
// must wait like the first one.
func (o *Once) Fresh(source, sequence uint16) bool {
	for int(source) >= len(o.sources) {
		o.sources = append(o.sources, seen{})
	}
	if o.Seen(source, sequence) {
		return false
	}
	o.sources[source].note(sequence)
	return true
}

func (s *seen) note(sequence uint16) {
	if back := s.last - sequence; s.any && back < OnceWindow {
		s.bits |= 1 << back
		return
	}
	s.bits = s.bits<<(sequence-s.last) | 1 // after a jump only that one
	s.any, s.last = true, sequence
}
