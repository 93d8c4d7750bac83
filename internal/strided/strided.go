// Package strided copies blocks of memory that begin at equal distances, such as a column of a matrix, to and from contiguous
// memory. A call of copy for each block of some bytes takes several times as long as the block.
package strided

import "unsafe"

// Gather copies blocks of some bytes that begin stride bytes from each other, the first where memory does, to contiguous
// memory, as many as fill it. It panics if there are not as many.
func Gather(into, memory []byte, bytes, stride int) {
	n := blocks(len(into), len(memory), bytes, stride)
	if n == 0 {
		return
	}
	to, from := unsafe.Pointer(unsafe.SliceData(into)), unsafe.Pointer(unsafe.SliceData(memory))
	switch bytes {
	case 4:
		move[uint32](to, from, bytes, stride, n)
	case 8:
		move[uint64](to, from, bytes, stride, n)
	case 16:
		move[[2]uint64](to, from, bytes, stride, n)
	default:
		for i := range n {
			copy(into[i*bytes:][:bytes], memory[i*stride:])
		}
	}
}

// Scatter copies contiguous bytes to blocks of memory, as Gather does the other way.
func Scatter(memory, from []byte, bytes, stride int) {
	n := blocks(len(from), len(memory), bytes, stride)
	if n == 0 {
		return
	}
	to, packed := unsafe.Pointer(unsafe.SliceData(memory)), unsafe.Pointer(unsafe.SliceData(from))
	switch bytes {
	case 4:
		move[uint32](to, packed, stride, bytes, n)
	case 8:
		move[uint64](to, packed, stride, bytes, n)
	case 16:
		move[[2]uint64](to, packed, stride, bytes, n)
	default:
		for i := range n {
			copy(memory[i*stride:][:bytes], from[i*bytes:])
		}
	}
}

// blocks returns how many blocks make so many contiguous bytes.
func blocks(packed, memory, bytes, stride int) int {
	n := packed / bytes
	if n*bytes != packed || stride < 0 || n > 0 && (memory < bytes || stride > 0 && n-1 > (memory-bytes)/stride) {
		panic("strided: blocks beyond the end of their memory")
	}
	return n
}

// move copies n blocks, each by one instruction or two.
func move[Block any](to, from unsafe.Pointer, apart, apartFrom, n int) {
	for i := range n {
		*(*Block)(unsafe.Add(to, i*apart)) = *(*Block)(unsafe.Add(from, i*apartFrom))
	}
}
