// Package strided copies blocks of memory that begin at equal distances, such as a column of a matrix, to and from contiguous
// memory. A call of copy for each block of some bytes takes several times as long as the block.
package strided

import "unsafe"

// Gather copies blocks of some bytes that begin stride bytes from each other, the first where memory does, to contiguous
// memory, as many as fill it. It panics if there are not as many.
func Gather(into, memory []byte, bytes, stride int) {
	copyBlocks(into, memory, bytes, bytes, stride, blocks(len(into), len(memory), bytes, stride))
}

// Scatter copies contiguous bytes to blocks of memory, as Gather does the other way.
func Scatter(memory, from []byte, bytes, stride int) {
	copyBlocks(memory, from, bytes, stride, bytes, blocks(len(from), len(memory), bytes, stride))
}

// blocks returns how many blocks make so many contiguous bytes.
func blocks(packed, memory, bytes, stride int) int {
	n := packed / bytes
	if n*bytes != packed || stride < 0 || n > 0 && (memory < bytes || stride > 0 && n-1 > (memory-bytes)/stride) {
		panic("strided: blocks beyond the end of their memory")
	}
	return n
}

// copyBlocks copies n blocks that begin apart bytes from each other where they go, and apartFrom where they come from.
func copyBlocks(to, from []byte, bytes, apart, apartFrom, n int) {
	if n == 0 {
		return
	}
	first, firstFrom := unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from))
	switch bytes {
	case 4:
		move[uint32](first, firstFrom, apart, apartFrom, n)
	case 8:
		move[uint64](first, firstFrom, apart, apartFrom, n)
	case 16:
		move[[2]uint64](first, firstFrom, apart, apartFrom, n)
	default:
		for i := range n {
			copy(to[i*apart:][:bytes], from[i*apartFrom:][:bytes])
		}
	}
}

// move copies n blocks, each by one instruction or two.
func move[Block any](to, from unsafe.Pointer, apart, apartFrom, n int) {
	for i := range n {
		*(*Block)(unsafe.Add(to, i*apart)) = *(*Block)(unsafe.Add(from, i*apartFrom))
	}
}
