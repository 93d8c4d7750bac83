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
	all := pieces{at: at, count: math.MaxInt / t.Size, stride: t.Extent(), bytes: t.Size}
	if one := &t.Data[0]; len(t.Data) == 1 && one.isContiguous() {
		all.at += one.At
		return Tiling{all, t.Size == t.Extent()}
	}
	all.set(t.Data)
	return Tiling{all, false}
}

// TileBytes returns bytes without gaps from some place on, in elements of so many.
func TileBytes(bytes, at int) Tiling {
	return Tiling{pieces{at: at, count: math.MaxInt / bytes, stride: bytes, bytes: bytes}, true}
}

func (p *pieces) set(data []Series) {
	p.of, p.before = make([]pieces, len(data)), make([]int, len(data))
	p.bytes = 0
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
	if t.flat {
		return t.all.at + i
	}
	t.all.visit(0, i, i+1, func(place Pieces) bool { at = place.At; return false })
	return at
}

// Pieces are contiguous pieces of data at equal distances.
type Pieces struct{ At, Bytes, Count, Stride int }

// End returns where the last of them ends.
func (p *Pieces) End() int { return p.At + (p.Count-1)*p.Stride + p.Bytes }

// Gather copies pieces out of memory that begins at low, and returns the room behind them.
func (p *Pieces) Gather(into, memory []byte, low int) []byte {
	s := Series{At: p.At, Count: p.Count, Stride: p.Stride, Bytes: p.Bytes}
	return s.gather(into, memory, -low)
}

// Scatter copies data to pieces in memory that begins at low, and returns what is left.
func (p *Pieces) Scatter(memory, from []byte, low int) []byte {
	s := Series{At: p.At, Count: p.Count, Stride: p.Stride, Bytes: p.Bytes}
	return s.scatter(memory, from, -low)
}

// Visit visits the pieces of so many bytes of data, from one on in their order, until visit returns false. Single pieces that touch are
// one.
func (t *Tiling) Visit(from, bytes int, visit func(Pieces) bool) {
	if bytes <= 0 {
		return
	}
	if t.flat {
		visit(Pieces{At: t.Place(from), Bytes: bytes, Count: 1})
		return
	}
	var last Pieces // one that may go on
	more := t.all.visit(0, from, from+bytes, func(p Pieces) bool {
		if last.Count == 1 && p.Count == 1 && p.At == last.At+last.Bytes {
			last.Bytes += p.Bytes
			return true
		}
		if last.Count > 0 && !visit(last) {
			return false
		}
		last = p
		return true
	})
	if more {
		visit(last)
	}
}

// visit visits the pieces of the data from one byte to before another, until do returns false, and returns what that has.
func (p *pieces) visit(base, from, to int, do func(Pieces) bool) bool {
	if p.of == nil {
		return p.visitEqual(base, from, to, do)
	}
	for k := from / p.bytes; k < p.count && k*p.bytes < to; k++ {
		at, done := base+p.at+k*p.stride, k*p.bytes
		first, last := max(from-done, 0), min(to-done, p.bytes)
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

// visitEqual is visit of pieces that have none in them: the rest of one, whole ones, and the beginning of one.
func (p *pieces) visitEqual(base, from, to int, do func(Pieces) bool) bool {
	k, into := from/p.bytes, from%p.bytes
	base += p.at
	if into > 0 {
		n := min(p.bytes-into, to-from)
		if !do(Pieces{base + k*p.stride + into, n, 1, 0}) {
			return false
		}
		k, from = k+1, from+n
	}
	whole := (to - from) / p.bytes
	if whole > 0 && !do(Pieces{base + k*p.stride, p.bytes, whole, p.stride}) {
		return false
	}
	if rest := (to - from) % p.bytes; rest > 0 {
		return do(Pieces{base + (k+whole)*p.stride, rest, 1, 0})
	}
	return true
}
