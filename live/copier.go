package live

import (
	"math"
	"time"
	"unsafe"
)

// A processor writes to memory that it shares through its cache, or past it. If whoever
// reads has the same cache, the first is faster; if the lines lie in the cache of another
// processor, from which each has to be fetched before it is written, it takes ten times as
// long as the second. What processors have in common no system says reliably, least of all
// where they are virtual and move. So a copier tries both ways now and then.

const (
	pastBytes  = 2 << 10 // of a copy, at least, to go past the cache
	trialEvery = 1024    // copies of that length
	trials     = 4       // of these, in turn through the cache and past it
	// What is written past the cache whoever reads has to fetch from farther away, which the
	// copier does not see. So that way has to be so many times as fast.
	pastGain = 4
)

// copier copies to shared memory that a certain rank reads.
type copier struct {
	copies int
	past   bool       // which way copies take
	least  [2]float64 // time for a byte in the trials, through the cache and past it, in ns
}

func (c *copier) copy(to, from []byte) {
	if !canCopyPast || len(from) < pastBytes {
		copyQuietly(to, from)
	} else {
		c.copyLong(to, from)
	}
}

// copyLong is copy of as much as may go past the cache.
func (c *copier) copyLong(to, from []byte) {
	if c.copies < trials {
		c.try(to, from)
	} else {
		copyBy(c.past, to, from)
	}
	if c.copies++; c.copies == trialEvery {
		c.copies = 0
	}
}

// usesCache reports whether the next copy of that length goes through the cache, and not for
// a trial.
func (c *copier) usesCache() bool { return !canCopyPast || c.copies >= trials && !c.past }

// try measures a copy. The last one of the trials decides.
func (c *copier) try(to, from []byte) {
	if c.copies == 0 {
		c.least = [2]float64{math.Inf(1), math.Inf(1)}
	}
	way := c.copies % 2
	begin := time.Now()
	copyBy(way == 1, to, from)
	c.least[way] = min(c.least[way], float64(time.Since(begin))/float64(len(from)))
	c.past = pastGain*c.least[1] < c.least[0]
}

// copyBy copies as much as there is of from. What is written behind it is seen behind it.
func copyBy(past bool, to, from []byte) {
	if !past {
		copyQuietly(to, from)
		return
	}
	to = to[:len(from)]
	before := int(-addressOf(to) % lineBytes)
	lines := (len(to) - before) / lineBytes
	after := before + lines*lineBytes
	copyQuietly(to[:before], from)
	copyQuietly(to[after:], from[after:])
	copyLinesPast(unsafe.Pointer(&to[before]), unsafe.Pointer(&from[before]), lines)
}
