package fabric

import (
	"math/bits"

	"musubi/units"
)

// clock converts between cycles and times. A cycle is num/den picoseconds, which
// need not be whole: cycle k begins at k*num/den, rounded up once.
type clock struct{ num, den uint64 }

// newClock returns the clock of a link on which a flit takes one cycle.
func newClock(flit units.Bytes, rate units.Rate) clock {
	num, den := uint64(flit)*8*uint64(units.Second), uint64(rate)
	a, b := num, den
	for b != 0 {
		a, b = b, a%b
	}
	return clock{num / a, den / a}
}

// time returns when a cycle begins.
func (c clock) time(cycle int64) units.Time {
	hi, lo := bits.Mul64(uint64(cycle), c.num)
	q, rest := bits.Div64(hi, lo, c.den)
	if rest != 0 {
		q++
	}
	return units.Time(q)
}

// cycle returns the first cycle that does not begin before t.
func (c clock) cycle(t units.Time) int64 {
	if t <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(t-1), c.den)
	q, _ := bits.Div64(hi, lo, c.num)
	return int64(q) + 1
}

// round returns the number of cycles nearest to a span of time, the larger one
// of two that are equally near.
func (c clock) round(t units.Time) int64 {
	hi, lo := bits.Mul64(uint64(t), c.den)
	q, rest := bits.Div64(hi, lo, c.num)
	if rest >= c.num-rest {
		q++
	}
	return int64(q)
}
