package rank

import (
	"math"
	"math/bits"
	"time"
)

// A pull that is not very long may go by the ring, where one rank copies to it while the other one copies from it, or from
// process to process, where one copy is made, by the system. Which is faster depends on the processor and the system:
// 64 KiB take 3.4 us by the ring of one host and 9 from process to process, and 10 and 6.5 on another. So a rank tries both
// ways for pulls of each length, up to a factor of two, and keeps to the faster one until it tries again: soon at first, as ranks that pull from
// each other disturb the tries of each other.

const (
	leastAcross = 16 << 10 // bytes of a pull that may go from process to process
	triesOfWay  = 8        // of each way
	firstPulls  = 1 << 8   // after so many pulls both are tried again, and then whenever there were
	morePulls   = 1 << 11  // so many
)

// way is how a pull goes.
type way int

const (
	byRing way = iota
	acrossProcesses
)

// pullWays has the lengths from leastAcross to sharedBytes.
type pullWays [3]pullWay

// pullWay is what is known of the pulls of some length.
type pullWay struct {
	pulls int              // since the ways are tried
	until int              // so many, when they are tried again; 0: they have not been tried yet
	best  [2]time.Duration // by way, in this time
}

// of returns the ways of a pull of n bytes.
func (w *pullWays) of(n int) *pullWay {
	return &w[min(max(0, bits.Len(uint(n/leastAcross))-1), len(w)-1)]
}

// next returns the way of the next pull, and whether it is a try. While others are under way one tells nothing, and goes as is best.
func (w *pullWay) next(alone bool) (by way, try bool) {
	if !alone {
		return w.faster(), false
	}
	n := w.pulls
	if w.pulls++; n == w.until {
		n, w.pulls = 0, 1
		if w.until == 0 {
			w.until = firstPulls
		} else {
			w.until = morePulls
		}
		w.best = [2]time.Duration{math.MaxInt64, math.MaxInt64}
	}
	if n < 2*triesOfWay {
		return way(n % 2), true
	}
	return w.faster(), false
}

func (w *pullWay) faster() way {
	if w.best[acrossProcesses] < w.best[byRing] {
		return acrossProcesses
	}
	return byRing
}

// took notes how long a try took.
func (w *pullWay) took(by way, d time.Duration) { w.best[by] = min(w.best[by], d) }

// pulling is what a rank knows of its pulls.
type pulling struct {
	ways  pullWays
	open  int      // by rings
	try   *pullWay // of the one that is under way by a ring; nil: it is no try, or another one has begun since
	begun time.Time
}

// begin notes that a pull begins by a ring.
func (p *pulling) begin() {
	p.open++
	if p.open > 1 {
		p.try = nil
	}
}

// end notes that one has ended.
func (p *pulling) end() {
	p.open--
	if p.try != nil {
		p.try.took(byRing, time.Since(p.begun))
		p.try = nil
	}
}
