package algorithm

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/schedule"
)

// half is a range of elements that ranks halve again and again until each has its
// own: the memory from lo to hi, in bytes.
type half struct{ lo, hi int }

// split cuts a range between two elements.
func (h half) split(element int) (low, high half) {
	middle := h.lo + (h.hi-h.lo)/element/2*element
	return half{h.lo, middle}, half{middle, h.hi}
}

// of returns the range of some memory.
func (h half) of(memory []byte) []byte { return memory[h.lo:h.hi] }

// blocks cuts memory into pieces of whole elements, of about equal size.
type blocks struct {
	memory         []byte
	element, count int
}

// cut makes count pieces.
func cut(memory []byte, element, count int) blocks { return blocks{memory, element, count} }

// begin returns where a piece begins, in bytes.
func (b blocks) begin(i int) int { return len(b.memory) / b.element * i / b.count * b.element }

// at returns piece i, counted in a circle.
func (b blocks) at(i int) []byte { return schedule.Piece(b.memory, b.element, b.count, i) }

// from returns n pieces in a row.
func (b blocks) from(i, n int) []byte { return b.memory[b.begin(i):b.begin(i+n)] }

// bytesOfAll returns the bytes of all parts together.
func bytesOfAll(parts [][]byte) int {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	return n
}

// bytesOfTypes returns the bytes that all types name together.
func bytesOfTypes(types []datatype.Type) int {
	n := 0
	for i := range types {
		n += types[i].Size
	}
	return n
}

// beginsOf returns where each of some parts begins when they follow each other, and
// where the last one ends.
func beginsOf(parts [][]byte) []int {
	begins := make([]int, len(parts)+1)
	for i, part := range parts {
		begins[i+1] = begins[i] + len(part)
	}
	return begins
}

// cutLike cuts memory into parts as long as others.
func cutLike(memory []byte, others [][]byte) [][]byte {
	parts, begins := make([][]byte, len(others)), beginsOf(others)
	for i := range parts {
		parts[i] = memory[begins[i]:begins[i+1]]
	}
	return parts
}

// equal cuts memory into count pieces of the same size.
func equal(memory []byte, count int) [][]byte {
	pieces, n := make([][]byte, count), len(memory)/count
	for i := range pieces {
		pieces[i] = memory[i*n : (i+1)*n : (i+1)*n]
	}
	return pieces
}
