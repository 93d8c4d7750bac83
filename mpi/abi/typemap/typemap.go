// Package typemap says which bytes of memory an element of an MPI datatype is made of, and of which
// basic types, in the order of the data (MPI 5.0, section 5.1). It copies data between memory and a
// packed form.
package typemap

import (
	"slices"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
)

// Part is some basic elements of one kind in a row.
type Part struct {
	Bytes, Count int
	Word         int // bytes that keep their order when the data is turned around: half of a complex number
	External     int // bytes of a word in external32
	Signed       bool
}

// Element is what reductions know about the basic type that all of a type is made of; the zero
// value is mixed.
type Element struct {
	Basic int64 // handle of the type
	Kind  reduction.Kind
	Bytes int
}

// Type is the bytes and the basic types of an element.
type Type struct {
	Size            int            // bytes of data
	Lower, Upper    int            // bounds, of which the difference is the extent
	TrueLow, TrueUp int            // bounds of the data
	Runs            []datatype.Run // from the address on
	Parts           []Part
	Simple          bool // the data is extent bytes from the address on
	Element         Element
}

// Basic is a type of one basic element.
func Basic(e Element, word int) Type {
	return Type{Size: e.Bytes, Upper: e.Bytes, TrueUp: e.Bytes, Runs: []datatype.Run{{Bytes: e.Bytes}}, Parts: []Part{words(e.Bytes, word)}, Simple: true, Element: e}
}

// words is an element of words that are as long in external32.
func words(bytes, word int) Part { return Part{Bytes: bytes, Count: 1, Word: word, External: word} }

// Pair is a value of so many bytes with an int of four behind it, as a compiler lays out a struct.
func Pair(basic int64, kind reduction.Kind, value int) Type {
	index := roundUp(value, 4)
	extent := roundUp(index+4, max(value, 4))
	t := Type{Size: value + 4, Upper: extent, TrueUp: index + 4, Parts: []Part{words(value, value), words(4, 4)}, Element: Element{basic, kind, extent}}
	t.addRun(datatype.Run{Bytes: value})
	t.addRun(datatype.Run{At: index, Bytes: 4})
	t.setSimple()
	return t
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// Extent is the distance between elements in a row.
func (t *Type) Extent() int { return t.Upper - t.Lower }

// Alignment is what the basic element that needs most asks for.
func (t *Type) Alignment() int {
	most := 1
	for _, p := range t.Parts {
		most = max(most, min(p.Word, 16))
	}
	return most
}

// SetBounds gives a type other bounds.
func (t *Type) SetBounds(lower, upper int) {
	t.Lower, t.Upper = lower, upper
	t.setSimple()
}

func (t *Type) setSimple() {
	t.Simple = t.Size == t.Extent() && t.Lower == 0 && (t.Size == 0 || len(t.Runs) == 1 && t.Runs[0].At == 0)
}

// Clone is a type with the same data.
func (t *Type) Clone() Type {
	n := *t
	n.Runs, n.Parts = slices.Clone(t.Runs), slices.Clone(t.Parts)
	return n
}

// Basics returns how many basic elements so many bytes of data are, -1 if they end within one.
func (t *Type) Basics(bytes int) int {
	if t.Size == 0 {
		return 0
	}
	n := bytes / t.Size * t.basics()
	rest := bytes % t.Size
	for _, p := range t.Parts {
		if rest == 0 {
			return n
		}
		take := min(rest/p.Bytes, p.Count)
		n += take
		rest -= take * p.Bytes
		if take < p.Count && rest > 0 {
			return -1
		}
	}
	return n
}

// BytesOf returns how many bytes so many basic elements are.
func (t *Type) BytesOf(basics int) int {
	whole := t.basics()
	if whole == 0 {
		return 0
	}
	n := basics / whole * t.Size
	rest := basics % whole
	for _, p := range t.Parts {
		take := min(rest, p.Count)
		n += take * p.Bytes
		rest -= take
	}
	return n
}

// basics returns how many basic elements an element has.
func (t *Type) basics() (n int) {
	for _, p := range t.Parts {
		n += p.Count
	}
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
