package memory

import (
	"math"

	"musubi/nic/mbc"
	"musubi/onesided"
)

// unbounded is more than any memory has.
const unbounded = math.MaxInt

// stretch returns where a byte of the packed form of an access lies in memory, and how many
// follow it there without a gap, at most limit.
func stretch(a *onesided.Layout, at, limit int) (offset, n int) {
	if a.IsContiguous() || limit == 0 {
		return at, limit
	}
	element, skip := at/a.Element, at%a.Element
	n = a.Element - skip
	if a.Offsets == nil {
		for i := element + 1; a.Stride == a.Element && i < a.Count && n < limit; i++ {
			n += a.Element
		}
		return element*a.Stride + skip, min(n, limit)
	}
	for i := element + 1; i < a.Count && n < limit && a.Offsets[i] == a.Offsets[i-1]+a.Element; i++ {
		n += a.Element
	}
	return a.Offsets[element] + skip, min(n, limit)
}

// leftInPage returns how many bytes of its page an address begins.
func leftInPage(address int) int { return mbc.PageSize - address&(mbc.PageSize-1) }
