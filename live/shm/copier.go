package shm

import (
	"math"
	"time"
	"unsafe"
)

// A processor writes to memory that it shares through its cache, or past it. If whoever
// reads has the same cache, the first is faster; if the lines lie in the cache of another
// processor, from which each has to be fetched before it is written, it takes ten times as
// long as the second. What processors have in common no system says reliably, least of all
// where they are virtual and move. So a copier tries both ways now and then, and more often at first: the memory of the first trials
// may be fresh, of which each page takes longer than all else.

const (
	pastBytes  = 2 << 10 // of a copy, at least, to go past the cache
	firstEvery = 16      // copies of that length from the first trials to the next
	longerBy   = 4       // from these to the next there are so many times as many, and so on up to trialEvery
	trialEvery = 1024
	trials     = 4 // of these copies, in turn through the cache and past it
	// What is written past the cache whoever reads has to fetch from farther away, which the
	// copier does not see. So that way has to be so many times as fast.
	pastGain = 4
)

// Copier copies to shared memory that a certain rank reads.
type Copier struct {
	copies int        // since the last trials began
	every  int        // from these trials to the next; 0: firstEvery
	past   bool       // which way copies take
	least  [2]float64 // time for a byte in the trials, through the cache and past it, in ns
}

func (c *Copier) Copy(to, from []byte) {
	if !canCopyPast || len(from) < pastBytes {
		CopyQuietly(to, from)
	} else {
		c.copyLong(to, from)
	}
}

// copyLong is copy of as much as may go past the cache.
func (c *Copier) copyLong(to, from []byte) {
	if c.copies < trials {
		c.try(to, from)
	} else {
		copyBy(c.past, to, from)
	}
	every := max(c.every, firstEvery)
	if c.copies++; c.copies == every {
		c.copies, c.every = 0, min(longerBy*every, trialEvery)
	}
}

// usesCache reports whether the next copy of that length goes through the cache, and not for
// a trial.
func (c *Copier) usesCache() bool { return !canCopyPast || c.copies >= trials && !c.past }

// try measures a copy. The last one of the trials decides.
func (c *Copier) try(to, from []byte) {
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
		CopyQuietly(to, from)
		return
	}
	to = to[:len(from)]
	before := int(-AddressOf(to) % LineBytes)
	lines := (len(to) - before) / LineBytes
	after := before + lines*LineBytes
	CopyQuietly(to[:before], from)
	CopyQuietly(to[after:], from[after:])
	copyLinesPast(unsafe.Pointer(&to[before]), unsafe.Pointer(&from[before]), lines)
}

func AddressOf(memory []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

// CopyInOrder copies data to memory of the same length that others look at, its end
// last, all else as a copier does. An end that is an aligned number of 2, 4 or 8 bytes is
// written at once. The race detector is not told: programs may look at such memory at any
// time.
//
//go:norace
func CopyInOrder(memory, data []byte, by *Copier) {
	end := uintptr(unsafe.Pointer(unsafe.SliceData(memory))) + uintptr(len(memory))
	unit := 8
	for end%uintptr(unit) != 0 || unit > len(memory) {
		unit /= 2
	}
	rest := len(memory) - unit
	by.Copy(memory[:rest], data[:rest])
	StoreFence()
	copyUnit(memory[rest:], data[rest:], unit)
}

// copyUnit copies a number of 1, 2, 4 or 8 bytes.
//
//go:norace
func copyUnit(memory, data []byte, unit int) {
	to, from := unsafe.Pointer(&memory[0]), unsafe.Pointer(&data[0])
	switch unit {
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 2:
		*(*uint16)(to) = *(*uint16)(from)
	default:
		*(*byte)(to) = *(*byte)(from)
	}
}
