package rank

import "musubi/live/shm"

// When a ring has gone round, its lines lie in the cache of the processor that has read them,
// or in none. Whoever writes a record has to get each of them from there first, which takes
// longer than all the rest. So a rank that has sent and waits gets the lines of its next record
// meanwhile, by writing to them. Found by measuring: messages of 256 bytes to 4 KiB take two
// thirds of the time then. An instruction that asks for a line to be written (PREFETCHW) does
// not help.

// prepare takes some lines of the next record, and reports whether there may be more. Those
// that will be written past the cache are better left alone, and a copier that tries both ways
// is to see what they cost.
func (o *outlet) prepare() bool {
	if o.Last >= shm.WordBytes+shm.PastBytes && !o.copier.UsesCache() {
		return false
	}
	return o.TakeLines()
}
