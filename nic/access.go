package nic

import (
	"fmt"
	"math"
)

// Access says which bytes of a memory are read or written; in packets they are
// packed, one element after the other. The zero value means all of the memory,
// contiguous.
//
// If Offsets is nil, Count elements begin Stride bytes from each other; otherwise
// one element begins at each of Offsets, in that order. Elements that are read may
// overlap; of those that are written the last prevails.
//
// A layout of package rma has the same fields and converts.
type Access struct {
	Element int // bytes of each element
	Stride  int // bytes from one beginning to the next
	Count   int
	Offsets []int // in bytes
}

// IsContiguous reports whether it is the zero value.
func (a *Access) IsContiguous() bool { return a.Element == 0 && a.Count == 0 && a.Offsets == nil }

// Bytes returns how many bytes the elements have together.
func (a *Access) Bytes() int { return a.Element * a.Count }

// Check fails if the access is not well-formed or reaches beyond size bytes.
func (a *Access) Check(size int) error {
	switch {
	case a.IsContiguous():
		return nil
	case a.Element < 1 || a.Count < 0 || a.Element > size && a.Count > 0 || a.Count > math.MaxInt/a.Element:
		return fmt.Errorf("nic: access to %d elements of %d bytes in %d bytes; expected elements of at least 1 byte that fit", a.Count, a.Element, size)
	case a.Offsets == nil:
		return a.checkStride(size)
	case len(a.Offsets) != a.Count:
		return fmt.Errorf("nic: access to %d elements at %d offsets; expected as many", a.Count, len(a.Offsets))
	}
	for _, o := range a.Offsets {
		if o < 0 || o > size-a.Element {
			return fmt.Errorf("nic: an element of %d bytes at offset %d reaches beyond %d bytes", a.Element, o, size)
		}
	}
	return nil
}

func (a *Access) checkStride(size int) error {
	switch {
	case a.Stride < 0:
		return fmt.Errorf("nic: access with stride %d; expected at least 0", a.Stride)
	case a.Stride > 0 && a.Count > 0 && a.Count-1 > (size-a.Element)/a.Stride:
		return fmt.Errorf("nic: %d elements of %d bytes, %d bytes apart, reach beyond %d bytes", a.Count, a.Element, a.Stride, size)
	}
	return nil
}

// isDense reports whether the elements lie in memory as they do in packets.
func (a *Access) isDense() bool {
	return a.IsContiguous() || a.Offsets == nil && a.Stride == a.Element
}

// begin returns where element i begins.
func (a *Access) begin(i int) int {
	if a.Offsets != nil {
		return a.Offsets[i]
	}
	return i * a.Stride
}

// Gather copies the bytes of the packed form that begin at from out of memory to
// dst, as many as fit and there are, and returns how many. The access has passed
// Check for the memory.
func (a *Access) Gather(dst, memory []byte, from int) int {
	if a.isDense() {
		return copy(dst, a.dense(memory, from))
	}
	n := a.clip(from, len(dst))
	return a.gather(dst[:n], memory, from)
}

func (a *Access) gather(dst, memory []byte, from int) int {
	i, skip := from/a.Element, from%a.Element
	done := 0
	for ; done < len(dst); i++ {
		at := a.begin(i)
		done += copy(dst[done:], memory[at+skip:at+a.Element])
		skip = 0
	}
	return done
}

// Scatter copies src to where the bytes of the packed form that begin at from
// belong in memory, as many as there are places, and returns how many. The access
// has passed Check for the memory.
func (a *Access) Scatter(memory, src []byte, from int) int {
	if a.isDense() {
		return copy(a.dense(memory, from), src)
	}
	n := a.clip(from, len(src))
	return a.scatter(memory, src[:n], from)
}

func (a *Access) scatter(memory, src []byte, from int) int {
	i, skip := from/a.Element, from%a.Element
	done := 0
	for ; done < len(src); i++ {
		at := a.begin(i)
		done += copy(memory[at+skip:at+a.Element], src[done:])
		skip = 0
	}
	return done
}

// dense returns what follows from in a memory whose elements are not scattered.
func (a *Access) dense(memory []byte, from int) []byte {
	if !a.IsContiguous() {
		memory = memory[:a.Bytes()]
	}
	if from < 0 || from > len(memory) {
		return nil
	}
	return memory[from:]
}

// clip returns how many of the n packed bytes from there on there are. An access
// to all of a memory does not know where that ends.
func (a *Access) clip(from, n int) int {
	if from < 0 {
		return 0
	}
	if !a.IsContiguous() {
		n = min(n, a.Bytes()-from)
	}
	return max(0, n)
}

// Pieces returns of how many pieces, each contiguous in memory and apart from the
// one before, the n packed bytes that begin at from consist.
func (a *Access) Pieces(from, n int) int {
	n = a.clip(from, n)
	if n == 0 {
		return 0
	}
	if a.isDense() {
		return 1
	}
	first, last := from/a.Element, (from+n-1)/a.Element
	pieces := last - first + 1
	if a.Offsets == nil {
		return pieces
	}
	for i := first; i < last; i++ {
		if a.Offsets[i]+a.Element == a.Offsets[i+1] {
			pieces--
		}
	}
	return pieces
}
