package osu

import (
	"fmt"
	"slices"

	"musubi/workload"
	"musubi/workload/internal/content"
)

// blocks are parts of a message that lie apart, at both ends, as those of a column of a matrix do. The zero value is a message in
// one piece.
type blocks struct {
	bytes  int // of a block
	stride int // bytes from the begin of one to that of the next; 0: in one piece
}

const (
	contiguous  = "contiguous"
	blocksForm  = contiguous + ", or vector:BLOCK:STRIDE"
	mostStride  = 1 << 20 // bytes
	blocksShape = "vector:%d:%d"
)

// readBlocks reads the parameter layout.
func readBlocks(v *workload.Values, t *Test) (b blocks) {
	text := v.Text("layout")
	switch {
	case !t.Blocks:
		v.Only("for other tests than latency", "layout")
		return blocks{}
	case text == contiguous:
		return blocks{}
	}
	n, err := fmt.Sscanf(text, blocksShape, &b.bytes, &b.stride)
	if n != 2 || err != nil || fmt.Sprintf(blocksShape, b.bytes, b.stride) != text || b.bytes < 1 || b.stride < b.bytes || b.stride > mostStride {
		v.Fail("layout", "expected %s, in bytes, with BLOCK at least 1 and STRIDE from BLOCK to %d", blocksForm, mostStride)
		return blocks{}
	}
	return b
}

// fitting checks the sizes of messages, whose buffers have room for some bytes. Of those that the program has, where none are
// given, it leaves out what does not fit.
func (b blocks) fitting(v *workload.Values, sizes []int, room int) []int {
	if b.stride == 0 {
		return sizes
	}
	if !v.Has("bytes") {
		return slices.DeleteFunc(sizes, func(size int) bool { return size%b.bytes != 0 || b.extent(size) > room })
	}
	for _, size := range sizes {
		if size%b.bytes != 0 {
			v.Fail("bytes", "expected multiples of %d, the bytes of a block, and not %d", b.bytes, size)
		}
		if extent := b.extent(size); extent > room {
			v.Fail("bytes", "%d bytes in blocks take %d with what lies between them; expected at most %d", size, extent, room)
		}
	}
	return sizes
}

// extent returns how many bytes a message of some size lies in.
func (b blocks) extent(size int) int {
	if b.stride == 0 || size == 0 {
		return size
	}
	return (size/b.bytes-1)*b.stride + b.bytes
}

// check fails unless a rank's message has come to memory.
func (b blocks) check(sent *content.Content, memory []byte, from int) error {
	if b.stride == 0 {
		return sent.CheckReceived(memory, from)
	}
	return sent.CheckBlocks(memory, from, b.bytes, b.stride)
}
