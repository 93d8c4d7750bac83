package algorithm

import (
	"math/bits"

	"musubi/mpi/internal/schedule"
)

// fold reduces the number of ranks to a power of two: there are as many pairs of neighbours as ranks
// too many, and one rank of each pair hands over its elements and stands aside. The ranks that stay
// are numbered in order, so that combining neighbours keeps the order of the ranks.
type fold struct {
	pairs  int // ranks 0 and 1, 2 and 3, and so on
	count  int // of those that stay: a power of two
	stays  int // rank that has to stay in its pair; -1: none in particular
	number int // of this rank among those that stay; -1: it stands aside
}

// foldTo folds the ranks so that a given rank stays, any if it is -1.
func foldTo(s *schedule.Schedule, stays int) fold {
	f := foldOf(s.Size)
	f.stays = stays
	f.number = f.numberOf(s.Rank)
	return f
}

// foldOf folds a number of ranks, without the view of one of them.
func foldOf(size int) fold {
	count := 1 << (bits.Len(uint(size)) - 1)
	return fold{pairs: size - count, count: count, stays: -1, number: -1}
}

// numberOf returns the number of a rank among those that stay, or -1.
func (f fold) numberOf(rank int) int {
	switch {
	case rank >= 2*f.pairs:
		return rank - f.pairs
	case f.rank(rank/2) == rank:
		return rank / 2
	}
	return -1
}

// rank returns the rank with a number among those that stay: the second of a pair, unless the first
// has to stay.
func (f fold) rank(number int) int {
	if number < f.pairs && f.stays == 2*number {
		return f.stays
	}
	return schedule.Unfolded(number, f.pairs)
}

// partner returns the other one in this rank's pair, if it is in one.
func (f fold) partner(rank int) (int, bool) { return rank ^ 1, rank < 2*f.pairs }

// foldIn combines the elements of pairs. It returns the partial result of this rank, unless it stands
// aside.
func foldIn(s *schedule.Schedule, f fold, a Arguments) partial {
	partner, paired := f.partner(s.Rank)
	if f.number < 0 {
		s.Send(partner, a.In)
		s.Wait()
		return partial{}
	}
	p := partialOf(s, a)
	if paired {
		s.Receive(partner, p.into())
		s.Wait()
		p.mergeAll(partner < s.Rank)
	}
	return p
}

// foldOut sends the result to the ranks that stand aside, and copies it to out.
func foldOut(s *schedule.Schedule, f fold, a Arguments, have []byte) {
	partner, paired := f.partner(s.Rank)
	if f.number < 0 {
		s.Receive(partner, a.Out)
		s.Wait()
		return
	}
	s.Copy(a.Out, have)
	if paired {
		s.Send(partner, have)
		s.Wait()
	}
}

// halved is the result of one halving: a rank's own half, and its peer's.
type halved struct{ own, other half }

// halve lets ranks exchange halves of their elements with ever farther peers, each combining the half
// that it keeps. As neighbours begin, elements are combined in the order of ranks. It returns all
// halves, of which the last one holds the result.
func halve(s *schedule.Schedule, f fold, a Arguments, p *partial) []halved {
	var levels []halved
	own := half{0, len(p.have)}
	for d := 1; d < f.count; d *= 2 {
		low, high := own.split(a.Element)
		level := halved{low, high}
		if f.number&d != 0 {
			level = halved{high, low}
		}
		peer := f.rank(f.number ^ d)
		s.Exchange(peer, level.other.of(p.have), peer, level.own.of(p.into()))
		own = level.own
		p.merge(own, f.number&d != 0)
		levels = append(levels, level)
	}
	return levels
}
