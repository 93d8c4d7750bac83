package flit

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

// paceless is the pace of switches as fast as their links: cycles of switches in a thousand of links.
const paceless = 1000

// faster returns a clock that is faster by so many thousandths.
func (c clock) faster(pace int64) clock {
	if pace == paceless {
		return c
	}
	return clock{c.num * paceless, c.den * uint64(pace)}
}

// first returns the first cycle of the switches that begins in a cycle of links. It does not begin
// before that: else what a device sends at the beginning of a cycle of links would miss it.
func (f *Fabric) first(line int64) int64 { return (line*f.pace + paceless - 1) / paceless }

// lineOf returns the cycle of links in which a cycle of the switches begins.
func (f *Fabric) lineOf(cycle int64) int64 { return cycle * paceless / f.pace }

// depart returns when a flit arrives that is ready for a link in a cycle, and takes the link for it.
// Links take flits and hand them over at the beginning of their own cycles.
func (f *Fabric) depart(l *link, ready int64) int64 {
	at := max(f.lineOf(ready), l.next)
	l.next = at + 1
	arrives := f.first(at + l.line + 1)
	if l.to >= 0 {
		arrives += f.inputDelay
	}
	return arrives
}

// creditAt returns when a credit that a flit frees in a cycle is of use to the sender of a link.
func (f *Fabric) creditAt(l *link, cycle int64) int64 {
	if f.pace == paceless {
		return cycle + l.back
	}
	return f.first(f.lineOf(cycle) + l.line + 1 + l.back)
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
