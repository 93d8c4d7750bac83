package wordlock

// Kind is how a rank holds a lock.
type Kind uint8

const (
	None Kind = iota
	Shared
	Exclusive
)

// Words of a lock.
const (
	State = iota // who holds it, and who is first in the lanes
	Tails        // of two lanes: number of the last rank and 1; 0: the lane is empty

	Words = Tails + lanes
)

// A lane is a queue of ranks.
const (
	ordinary = iota
	holding  // of those that hold another lock, and want to read

	lanes
)

// MostRanks is how many ranks can use a lock.
const MostRanks = 1<<rankBits - 1

// The state has, from the lowest bit on: how many hold the lock to read, whether one holds it to
// write, the number of the first rank of each lane and 1 if that waits for the state to change, and
// whether the first of the ordinary lane wants to write.
const (
	rankBits = 20
	rankMask = 1<<rankBits - 1
	Writer   = 1 << rankBits
	firstAt  = rankBits + 1
	toWrite  = 1 << (firstAt + lanes*rankBits)
)

// state is the word that says who has the lock.
type state int64

func (s state) readers() int64 { return int64(s) & rankMask }

func (s state) isWritten() bool { return s&Writer != 0 }

// first returns the number of the rank that a lane has entered, and 1; 0: none.
func (s state) first(lane int) int64 { return int64(s) >> (firstAt + lane*rankBits) & rankMask }

// enter returns the state with the first rank of a lane in it.
func (s state) enter(lane, rank int, kind Kind) state {
	s |= state(rank+1) << (firstAt + lane*rankBits)
	if lane == ordinary && kind == Exclusive {
		s |= toWrite
	}
	return s
}

// without returns the state without the first rank of a lane.
func (s state) without(lane int) state {
	s &^= rankMask << (firstAt + lane*rankBits)
	if lane == ordinary {
		s &^= toWrite
	}
	return s
}

// grant returns the state in which one more has the lock, and whether it may.
func (s state) grant(kind Kind) (state, bool) {
	switch {
	case s.isWritten() || kind == Exclusive && s.readers() > 0:
		return s, false
	case kind == Exclusive:
		return s + Writer, true
	}
	return s + 1, true
}

// release returns the state without one that has the lock, and to whom that gives it: for each lane
// the number of its first rank and 1; 0: to nobody.
func (s state) release(kind Kind) (next state, to [lanes]int64) {
	if kind == Exclusive {
		s -= Writer
	} else {
		s--
	}
	for _, lane := range [...]int{holding, ordinary} {
		kind := Shared
		if lane == ordinary && s&toWrite != 0 {
			kind = Exclusive
		}
		if granted, may := s.grant(kind); may && s.first(lane) != 0 {
			to[lane] = s.first(lane)
			s = granted.without(lane)
		}
	}
	return s, to
}
