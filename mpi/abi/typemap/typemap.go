// Package typemap says which bytes of memory an element of an MPI datatype is made of, and of which
// basic types, in the order of the data (MPI 5.0, section 5.1). It copies data between memory and a
// packed form.
package typemap

import (
	"slices"

	"musubi/mpi/internal/reduction"
)

// Element is what reductions know about the basic type that all of a type is made of; the zero
// value is mixed.
type Element struct {
	Basic int64 // handle of the type
	Kind  reduction.Kind
	Bytes int
}

// Type is the bytes and the basic types of an element.
type Type struct {
	Size            int      // bytes of data
	Lower, Upper    int      // bounds, of which the difference is the extent
	TrueLow, TrueUp int      // bounds of the data
	Data            []Series // where it is, from the address on
	Parts           []Part   // what it is
	Simple          bool     // the data is extent bytes from the address on
	Element         Element
}

// Basic is a type of one basic element.
func Basic(e Element, word int) Type {
	return Type{Size: e.Bytes, Upper: e.Bytes, TrueUp: e.Bytes, Data: []Series{{Count: 1, Bytes: e.Bytes}}, Parts: []Part{words(e.Bytes, word)}, Simple: true, Element: e}
}

// Pair is a value of so many bytes with an int of four behind it, as a compiler lays out a struct.
func Pair(basic int64, kind reduction.Kind, value int) Type {
	index := roundUp(value, 4)
	extent := roundUp(index+4, max(value, 4))
	t := Type{Size: value + 4, Upper: extent, TrueUp: index + 4, Parts: []Part{words(value, value), words(4, 4)}, Element: Element{basic, kind, extent}}
	t.addSeries(Series{Count: 1, Bytes: value})
	t.addSeries(Series{At: index, Count: 1, Bytes: 4})
	t.setSimple()
	return t
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// Extent is the distance between elements in a row.
func (t *Type) Extent() int { return t.Upper - t.Lower }

// SetBounds gives a type other bounds.
func (t *Type) SetBounds(lower, upper int) {
	t.Lower, t.Upper = lower, upper
	t.setSimple()
}

func (t *Type) setSimple() {
	t.Simple = t.Size == t.Extent() && t.Lower == 0 && (t.Size == 0 || len(t.Data) == 1 && t.Data[0].At == 0 && t.Data[0].Count == 1)
}

// Clone is a type with the same data.
func (t *Type) Clone() Type {
	n := *t
	n.Data, n.Parts = slices.Clone(t.Data), slices.Clone(t.Parts)
	return n
}

// Span returns the bounds of the data of so many elements.
func (t *Type) Span(count int) (low, bytes int) {
	if count <= 0 || t.Size == 0 {
		return 0, 0
	}
	last := (count - 1) * t.Extent()
	low = min(0, last) + t.TrueLow
	return low, max(0, last) + t.TrueUp - low
}
