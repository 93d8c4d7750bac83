// Package datatype says at run time which bytes of memory a message is made of, and in which
// order.
package datatype

import (
	"fmt"
	"math"

	"musubi/internal/phantom"
	"musubi/internal/strided"
	"musubi/rma"
)

// Run is contiguous bytes of memory.
type Run struct{ At, Bytes int }

// Type is the bytes of memory that a message is made of. It names them by their place, so that
// one type serves for any memory. The zero value has none.
type Type struct {
	Size       int // bytes of a message
	LowerBound int // place of the first byte
	Extent     int // bytes from there to behind the last one; math.MaxInt if no memory has them

	runs                 []Run
	count, bytes, stride int   // without runs: count runs of as many bytes, stride bytes apart
	invalid              error // why Check refuses it; nil: it may be valid
}

// Contiguous is n contiguous bytes.
func Contiguous(n int) Type { return Type{Size: n, Extent: n, count: 1, bytes: n, stride: n} }

// Strided is count runs of some bytes each that begin stride bytes from each other.
func Strided(count, bytes, stride int) Type {
	t := Type{Size: count * bytes, count: count, bytes: bytes, stride: stride}
	switch last := (count - 1) * stride; {
	case count <= 0:
	case stride != 0 && last/stride != count-1, max(last, -last) > math.MaxInt-bytes:
		t.Extent = math.MaxInt
	default:
		t.LowerBound, t.Extent = min(0, last), max(last, -last)+bytes
	}
	return t
}

// Indexed is any runs.
func Indexed(runs []Run) Type {
	if len(runs) == 0 {
		return Type{}
	}
	t := Type{runs: runs}
	low, high := runs[0].At, runs[0].At
	for _, r := range runs {
		if r.Bytes < 0 {
			t.Extent = math.MaxInt
			return t
		}
		t.Size += r.Bytes
		low, high = min(low, r.At), max(high, r.At+r.Bytes)
	}
	t.LowerBound, t.Extent = low, high-low
	return t
}

// Invalid is a type that Check refuses.
func Invalid(err error) Type { return Type{invalid: err} }

// Runs returns the number of runs.
func (t *Type) Runs() int {
	if t.runs != nil {
		return len(t.runs)
	}
	return t.count
}

// Run returns a run.
func (t *Type) Run(i int) Run {
	if t.runs != nil {
		return t.runs[i]
	}
	return Run{At: i * t.stride, Bytes: t.bytes}
}

// IsStrided reports whether the runs are of the same size, and equally far apart.
func (t *Type) IsStrided() bool { return t.runs == nil }

// Check fails if the type names bytes that memory of some bytes does not have. It counts in
// elements.
func (t *Type) Check(bytes, element int) error {
	if t.invalid != nil {
		return t.invalid
	}
	if t.count < 0 || t.bytes < 0 {
		return fmt.Errorf("a layout of %d blocks of %d elements; expected at least 0", t.count, t.bytes/element)
	}
	if t.LowerBound >= 0 && t.Extent <= bytes-t.LowerBound {
		return nil
	}
	for i := range t.Runs() {
		if r := t.Run(i); r.At < 0 || r.Bytes < 0 || r.At > bytes-r.Bytes {
			return fmt.Errorf("block %d of the layout, %d elements from %d on; there are %d elements", i, r.Bytes/element, r.At/element, bytes/element)
		}
	}
	return nil
}

// Pack copies the bytes that the type names in memory to contiguous memory.
func (t *Type) Pack(into, memory []byte) {
	if t.runs == nil && t.stride >= 0 && t.bytes > 0 && !phantom.Is(into) && !phantom.Is(memory) {
		strided.Gather(into[:t.Size], memory, t.bytes, t.stride)
		return
	}
	for i := range t.Runs() {
		r := t.Run(i)
		into = into[phantom.Copy(into, memory[r.At:][:r.Bytes]):]
	}
}

// Unpack copies contiguous bytes, as many as there are, to where the type names them in memory.
func (t *Type) Unpack(memory, from []byte) {
	if t.runs == nil && t.stride >= 0 && t.bytes > 0 && !phantom.Is(from) && !phantom.Is(memory) {
		whole := len(from) / t.bytes * t.bytes
		strided.Scatter(memory, from[:whole], t.bytes, t.stride)
		if rest := from[whole:]; len(rest) > 0 {
			copy(memory[whole/t.bytes*t.stride:], rest)
		}
		return
	}
	for i := range t.Runs() {
		r := t.Run(i)
		from = from[phantom.Copy(memory[r.At:][:r.Bytes], from):]
	}
}

// OnMachine returns the type as a layout of the machine, and reports whether it is one: all runs
// must have the same size.
func (t *Type) OnMachine() (rma.Layout, bool) {
	if t.runs == nil {
		return rma.Strided(t.bytes, t.stride, t.count), t.bytes > 0 && t.count > 0
	}
	offsets := make([]int, len(t.runs))
	for i, r := range t.runs {
		if r.Bytes == 0 || r.Bytes != t.runs[0].Bytes {
			return rma.Layout{}, false
		}
		offsets[i] = r.At
	}
	return rma.List(t.runs[0].Bytes, offsets...), true
}
