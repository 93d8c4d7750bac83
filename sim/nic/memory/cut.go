package memory

import (
	"math"

	"musubi/nic/mbc"
	"musubi/onesided"
	"musubi/sim/host"
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

// piece returns how many bytes from one of an operation on lie in one piece at both ends,
// and where.
func (a *access) piece(at int) (near, far, n int) {
	left := a.size - at
	near, n = stretch(&a.near, at, left)
	far, n = stretch(&a.far, at, n)
	return near, far, n
}

// pieces returns for how many pieces the processor posts requests: at least one.
func (a *access) pieces() int {
	count := 0
	for at := 0; at < a.size || count == 0; count++ {
		_, _, n := a.piece(at)
		at += n
	}
	return count
}

// cut returns the data of the next packet: how much of the piece fits it and lies in one
// page at both ends. What goes to a receive ring has a page of its own there.
func (a *access) cut(at, payload int) (near, far, n int) {
	near, far, n = a.piece(at)
	n = min(n, payload, leftInPage(int(a.base)+near))
	if a.Action != host.IPush {
		n = min(n, leftInPage(a.Address.Offset+far))
	}
	return near, far, n
}

// leftInPage returns how many bytes of its page an address begins.
func leftInPage(address int) int { return mbc.PageSize - address&(mbc.PageSize-1) }

// nearAddress returns the address of an offset in the local memory of an operation. All
// memory that is not exposed shares a page.
func (a *access) nearAddress(offset int) uint32 {
	if a.base < firstPage*mbc.PageSize {
		return a.base + uint32(offset)%mbc.PageSize
	}
	return a.base + uint32(offset)
}

// addressOfLocal returns the address that local data of a rank begins at. What lies in no
// exposed segment begins with a page.
func (m *memoryBased) addressOfLocal(r *host.Process, data []byte) uint32 {
	segment := r.SegmentOf(data)
	if segment < 0 || m.processes[r.Rank()].space.bases[segment] < 0 {
		return localPage * mbc.PageSize
	}
	return m.processes[r.Rank()].space.address(segment, r.OffsetOf(segment, data))
}
