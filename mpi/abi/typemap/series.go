package typemap

import (
	"iter"
	"math"

	"musubi/mpi/internal/datatype"
)

// Series is data in memory that comes again and again. A type of two thousand million elements
// is few of them.
type Series struct {
	At     int      // where the first is
	Count  int      // how often the data comes
	Stride int      // bytes from one beginning to the next; 0 if it comes once
	Bytes  int      // contiguous, each time
	Of     []Series // or else what comes each time, counted from where it begins
}

// addBlock appends the data of a block.
func (t *Type) addBlock(b Block) {
	data := b.Of.Data
	if len(data) == 1 && b.Count > 1 {
		switch s := data[0]; {
		case s.Count == 1:
			t.addSeries(Series{At: b.At + s.At, Count: b.Count, Stride: b.Stride, Bytes: s.Bytes})
			return
		case b.Stride == s.Count*s.Stride: // the second goes on where the first ends
			t.addSeries(Series{At: b.At + s.At, Count: b.Count * s.Count, Stride: s.Stride, Bytes: s.Bytes, Of: s.Of})
			return
		}
	}
	if b.Count > 1 && len(data) > 0 {
		t.addSeries(Series{At: b.At, Count: b.Count, Stride: b.Stride, Of: data})
		return
	}
	for _, s := range data {
		s.At += b.At
		t.addSeries(s)
	}
}

// addSeries appends data, to the last if it follows it.
func (t *Type) addSeries(s Series) {
	if s.Of == nil && (s.Count == 1 || s.Stride == s.Bytes) {
		s = Series{At: s.At, Count: 1, Bytes: s.Count * s.Bytes}
	}
	if last := len(t.Data) - 1; last >= 0 && s.isContiguous() && t.Data[last].isContiguous() && t.Data[last].At+t.Data[last].Bytes == s.At {
		t.Data[last].Bytes += s.Bytes
		return
	}
	t.Data = append(t.Data, s)
}

func (s *Series) isContiguous() bool { return s.Of == nil && s.Count == 1 }

// inRow returns the data of some elements in a row.
func (t *Type) inRow(count int) []Series {
	if t.Size == 0 {
		return nil
	}
	return []Series{{Count: count, Stride: t.Extent(), Of: t.Data}}
}

// each visits the series of contiguous pieces in the order of the data, with where they are counted from, until visit returns
// false.
func each(data []Series, base int, visit func(s *Series, base int) bool) bool {
	for i := range data {
		s := &data[i]
		if s.Of == nil {
			if !visit(s, base) {
				return false
			}
			continue
		}
		for k := range s.Count {
			if !each(s.Of, base+s.At+k*s.Stride, visit) {
				return false
			}
		}
	}
	return true
}

// Runs returns the contiguous bytes of some elements in the order of the data.
func (t *Type) Runs(count int) iter.Seq[datatype.Run] {
	return func(yield func(datatype.Run) bool) {
		each(t.inRow(count), 0, func(s *Series, base int) bool {
			for k := range s.Count {
				if !yield(datatype.Run{At: base + s.At + k*s.Stride, Bytes: s.Bytes}) {
					return false
				}
			}
			return true
		})
	}
}

// Bytes returns the bytes of so many elements as package datatype has them, from the first of them on, and where that is when the
// elements are at some place.
func (t *Type) Bytes(count, at int) (datatype.Type, int) {
	of, low, _ := t.fewBytes(count, math.MaxInt)
	return of, at + low
}

// FewBytes is Bytes if that names few runs, or such as are equally far apart; else it reports false.
func (t *Type) FewBytes(count int) (of datatype.Type, at int, ok bool) {
	const few = 512
	return t.fewBytes(count, few)
}

func (t *Type) fewBytes(count, most int) (of datatype.Type, low int, ok bool) {
	if t.Simple || count == 0 || t.Size == 0 {
		return datatype.Contiguous(count * t.Size), 0, true
	}
	whole := Compose([]Block{Row(0, count, t)})
	if s := whole.Data[0]; len(whole.Data) == 1 && s.Of == nil && s.Stride >= 0 {
		return datatype.Strided(s.Count, s.Bytes, s.Stride), s.At, true
	}
	var runs []datatype.Run
	for r := range whole.Runs(1) {
		if len(runs) == most {
			return datatype.Type{}, 0, false
		}
		runs = append(runs, datatype.Run{At: r.At - whole.TrueLow, Bytes: r.Bytes})
	}
	return datatype.Indexed(runs), whole.TrueLow, true
}
