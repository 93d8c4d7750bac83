package memory

import (
	"math/rand/v2"
	"slices"

	"musubi/nic/mbc"
	"musubi/sim/host"
	"musubi/units"
)

// space is the memory of a process as the network names it, by addresses of 32 bits.
// Each exposed segment has pages of its own.
type space struct {
	pages mbc.PageTable
	bases []int32  // first page of each segment, -1 if it has none
	free  []extent // pages between those of segments, in their order

	absent float64 // share of the pages of segments that are made absent
	rng    *rand.Rand
	evict  units.Time // after which as many are made absent again
	period int64      // in which that was done last
}

// extent is pages that follow each other.
type extent struct{ first, pages int32 }

// Pages at the beginning of the address space of each process.
const (
	ringPage  = iota // what is appended to receive rings goes there, to a place that the interface chooses
	flagPage         // flags and words that replies write
	localPage        // memory that is not exposed; several pieces of it may share addresses
	firstPage        // of exposed segments
)

// mostPages are as many as addresses of 32 bits reach.
const mostPages = 1 << 32 / mbc.PageSize

func pagesOf(bytes int) int32 { return int32(max(1, (bytes+mbc.PageSize-1)/mbc.PageSize)) }

// expose gives a segment pages, as long as there are any.
func (s *space) expose(segment, bytes int) {
	for segment >= len(s.bases) {
		s.bases = append(s.bases, none)
	}
	s.bases[segment] = none
	if bytes > mostPages*mbc.PageSize {
		return
	}
	n := pagesOf(bytes)
	i := slices.IndexFunc(s.free, func(e extent) bool { return e.pages >= n })
	switch {
	case i >= 0:
		s.bases[segment] = s.free[i].first
		s.free[i].first += n
		if s.free[i].pages -= n; s.free[i].pages == 0 {
			s.free = slices.Delete(s.free, i, i+1)
		}
	case int(n) <= mostPages-s.pages.Pages():
		s.bases[segment] = int32(s.pages.Pages())
		s.pages.Extend(int(n))
	default:
		return
	}
	s.draw(s.bases[segment], n)
}

// draw makes some pages absent and others present.
func (s *space) draw(first, n int32) {
	for page := first; page < first+n; page++ {
		s.pages.Set(int(page), s.absent == 0 || s.rng.Float64() >= s.absent)
	}
}

// withdraw takes the pages of a segment back. What still comes for them finds nobody's.
func (s *space) withdraw(segment, bytes int) {
	base := s.bases[segment]
	if s.bases[segment] = none; base < 0 {
		return
	}
	e := extent{base, pagesOf(bytes)}
	for page := e.first; page < e.first+e.pages; page++ {
		s.pages.Set(int(page), false)
	}
	i, _ := slices.BinarySearchFunc(s.free, e, func(a, b extent) int { return int(a.first - b.first) })
	s.free = slices.Insert(s.free, i, e)
	s.join(i)
	s.join(i - 1)
}

// join makes one extent of one and the next if no page is between them.
func (s *space) join(i int) {
	if i < 0 || i+1 >= len(s.free) || s.free[i].first+s.free[i].pages != s.free[i+1].first {
		return
	}
	s.free[i].pages += s.free[i+1].pages
	s.free = slices.Delete(s.free, i+1, i+2)
}

// address returns the address of an offset in a segment, and of nobody's page if there is
// no such segment.
func (s *space) address(segment, offset int) uint32 {
	if segment < 0 || segment >= len(s.bases) || s.bases[segment] < 0 || offset < 0 {
		return mostPages*mbc.PageSize - mbc.PageSize + uint32(offset)%mbc.PageSize
	}
	return uint32(s.bases[segment])*mbc.PageSize + uint32(offset)
}

// age makes pages absent again if an interval has passed.
func (s *space) age(now units.Time, segments []host.Segment) {
	if s.evict == 0 || int64(now/s.evict) == s.period {
		return
	}
	s.period = int64(now / s.evict)
	for i, base := range s.bases {
		if base >= 0 {
			s.draw(base, pagesOf(len(segments[i].Memory)))
		}
	}
}

// isSegment reports whether a page is one of an exposed segment, which can be made
// present.
func (s *space) isSegment(at uint32) bool {
	page := int32(at / mbc.PageSize)
	i, found := slices.BinarySearchFunc(s.free, extent{first: page}, func(a, b extent) int { return int(a.first - b.first) })
	free := found || i > 0 && page < s.free[i-1].first+s.free[i-1].pages
	return s.pages.Contains(at) && !free
}

// bring makes the page of an address present, if it is one of a segment.
func (s *space) bring(at uint32) {
	if s.isSegment(at) {
		s.pages.Set(int(at/mbc.PageSize), true)
	}
}
