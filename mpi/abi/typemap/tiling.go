package typemap

import (
	"math"
	"sort"
)

// Tiling is elements of a type one behind the other without end: which bytes of a file a view shows.
type Tiling struct {
	all  pieces // the elements, as those of one series
	flat bool   // all bytes from the first on
}

// Order is what a view asks for of the data of a type, in its order.
type Order struct {
	Monotonic bool // none begins before what comes earlier
	Apart     bool // nor within it
}

// Order returns what of that holds.
func (t *Type) Order() Order { return orderOf(t.Data).Order }

// span is the order of data, and where its first and last pieces begin and the last ends.
type span struct {
	Order
	first, last, end int
}

func orderOf(data []Series) span {
	all := span{Order: Order{true, true}}
	for i := range data {
		s := &data[i]
		in := span{Order: Order{true, true}, end: s.Bytes}
		if s.Of != nil {
			in = orderOf(s.Of)
		}
		all.Monotonic = all.Monotonic && in.Monotonic
		all.Apart = all.Apart && in.Apart
		if s.Count > 1 {
			all.follow(s.Stride+in.first, in.last, in.end)
		}
		if i > 0 {
			all.follow(s.At+in.first, all.last, all.end)
		} else {
			all.first = s.At + in.first
		}
		over := s.At + (s.Count-1)*s.Stride
		all.last, all.end = over+in.last, over+in.end
	}
	return all
}

// follow notes that data begins behind other data.
func (s *span) follow(at, last, end int) {
	s.Monotonic = s.Monotonic && at >= last
	s.Apart = s.Apart && at >= end
}

// pieces is a Series that finds bytes of its data without a look at those before.
type pieces struct {
	at, count, stride int
	bytes             int // of data, each time
	of                []pieces
	before            []int // data before each of these
}

// Tile returns elements of a type of which the first is at some place.
func (t *Type) Tile(at int) Tiling {
	if t.Size == 0 {
		return Tiling{}
	}
	all := pieces{at: at, count: math.MaxInt / t.Size, stride: t.Extent()}
	all.set(t.Data)
	flat := t.Size == t.Extent() && len(t.Data) == 1 && t.Data[0].isContiguous()
	return Tiling{all, flat}
}

// TileBytes returns bytes without gaps from some place on, in elements of so many.
func TileBytes(bytes, at int) Tiling {
	return (&Type{Size: bytes, Upper: bytes, Data: []Series{{Count: 1, Bytes: bytes}}}).Tile(at)
}

func (p *pieces) set(data []Series) {
	p.of, p.before = make([]pieces, len(data)), make([]int, len(data))
	for i := range data {
		s, in := &data[i], &p.of[i]
		*in = pieces{at: s.At, count: s.Count, stride: s.Stride, bytes: s.Bytes}
		if s.Of != nil {
			in.set(s.Of)
		}
		p.before[i] = p.bytes
		p.bytes += in.count * in.bytes
	}
}

// IsFlat reports whether the bytes have no gaps.
func (t *Tiling) IsFlat() bool { return t.flat }

// IsEmpty reports whether there are no bytes.
func (t *Tiling) IsEmpty() bool { return t.all.bytes == 0 }

// Place returns where a byte of data is.
func (t *Tiling) Place(i int) (at int) {
	t.all.visit(0, i, i+1, func(place, _ int) bool { at = place; return false })
	return at
}

// Visit visits the contiguous pieces of so many bytes of data, from one on in their order, until visit returns false. Pieces that
// touch are one.
func (t *Tiling) Visit(from, bytes int, visit func(at, bytes int) bool) {
	if bytes <= 0 {
		return
	}
	if t.flat {
		visit(t.Place(from), bytes)
		return
	}
	begin, end := 0, 0 // of a piece that may go on
	more := t.all.visit(0, from, from+bytes, func(at, n int) bool {
		if at == end {
			end += n
			return true
		}
		if end > begin && !visit(begin, end-begin) {
			return false
		}
		begin, end = at, at+n
		return true
	})
	if more {
		visit(begin, end-begin)
	}
}

// visit visits the pieces of the data from one byte to before another, until do returns false, and returns what that has.
func (p *pieces) visit(base, from, to int, do func(at, bytes int) bool) bool {
	for k := from / p.bytes; k < p.count && k*p.bytes < to; k++ {
		at, done := base+p.at+k*p.stride, k*p.bytes
		first, last := max(from-done, 0), min(to-done, p.bytes)
		if p.of == nil {
			if !do(at+first, last-first) {
				return false
			}
			continue
		}
		i := 0
		if first > 0 {
			i = sort.SearchInts(p.before, first+1) - 1
		}
		for ; i < len(p.of) && p.before[i] < last; i++ {
			in := &p.of[i]
			if !in.visit(at, max(first-p.before[i], 0), min(last-p.before[i], in.count*in.bytes), do) {
				return false
			}
		}
	}
	return true
}
