package onesided

import (
	"fmt"
	"math"
)

// Layout selects the bytes of a memory that an operation works on, counted from the address or the
// start of the slice that the operation names. Scattered elements are packed in packets, one after
// the other. The zero value selects all of the memory, contiguous.
//
// If Offsets is nil, Count elements begin Stride bytes from each other; otherwise
// one element begins at each of Offsets, in that order. Elements that are read may
// overlap. If elements that are written overlap, the last one prevails.
type Layout struct {
	Element int // bytes of each element
	Stride  int // bytes from one beginning to the next
	Count   int
	Offsets []int // in bytes
}

// Strided returns the layout of count elements that begin stride bytes from each other.
func Strided(element, stride, count int) Layout {
	return Layout{Element: element, Stride: stride, Count: count}
}

// List returns the layout of an element at each of several offsets.
func List(element int, offsets ...int) Layout {
	return Layout{Element: element, Count: len(offsets), Offsets: offsets}
}

// IsContiguous reports whether the layout is the zero value.
func (l *Layout) IsContiguous() bool { return l.Element == 0 && l.Count == 0 && l.Offsets == nil }

// Bytes returns the size of all elements together.
func (l *Layout) Bytes() int { return l.Element * l.Count }

// Check fails if the layout is not well-formed or reaches beyond size bytes.
func (l *Layout) Check(size int) error {
	switch {
	case l.IsContiguous():
		return nil
	case l.Element < 1 || l.Count < 0 || l.Element > size && l.Count > 0 || l.Count > math.MaxInt/l.Element:
		return fmt.Errorf("layout of %d elements of %d bytes in %d bytes; expected elements of at least 1 byte that fit", l.Count, l.Element, size)
	case l.Offsets == nil:
		return l.checkStride(size)
	case len(l.Offsets) != l.Count:
		return fmt.Errorf("layout of %d elements at %d offsets; expected as many", l.Count, len(l.Offsets))
	}
	for _, o := range l.Offsets {
		if o < 0 || o > size-l.Element {
			return fmt.Errorf("an element of %d bytes at offset %d reaches beyond %d bytes", l.Element, o, size)
		}
	}
	return nil
}

func (l *Layout) checkStride(size int) error {
	switch {
	case l.Stride < 0:
		return fmt.Errorf("layout with stride %d; expected at least 0", l.Stride)
	case l.Stride > 0 && l.Count > 0 && l.Count-1 > (size-l.Element)/l.Stride:
		return fmt.Errorf("%d elements of %d bytes, %d bytes apart, reach beyond %d bytes", l.Count, l.Element, l.Stride, size)
	}
	return nil
}
