// Package buffer keeps buffers that are used again, so that messages need no allocation.
package buffer

import (
	"math/bits"

	"musubi/internal/phantom"
)

// smallest is the bytes of the smallest buffer, as a power of two.
const smallest = 7

// slab is how much memory a pool exposes at once.
const slab = 64 << 10

// Pool is buffers that are used again. Their sizes are powers of two.
type Pool struct {
	free    [64][][]byte
	phantom [64][][]byte // likewise, of phantom memory
	// Expose is called with the memory of new buffers, if it is set.
	Expose func(memory []byte) (segment int)
}

// Get returns a buffer of n bytes, which has room for as many as the next power of two.
func (p *Pool) Get(n int) []byte { return p.Like(nil, n) }

// Like is Get of a buffer for data that lies in model: it is phantom if that is.
func (p *Pool) Like(model []byte, n int) []byte {
	class := classOf(n)
	free := p.listOf(model, class)
	if len(*free) == 0 {
		p.make(free, model, 1<<class)
	}
	last := len(*free) - 1
	b := (*free)[last]
	*free = (*free)[:last]
	return b[:n]
}

// listOf returns the free buffers of a class that are phantom if model is.
func (p *Pool) listOf(model []byte, class int) *[][]byte {
	if phantom.Is(model) {
		return &p.phantom[class]
	}
	return &p.free[class]
}

// Put gives back a buffer that get has returned.
func (p *Pool) Put(b []byte) {
	if b == nil {
		return
	}
	free := p.listOf(b, classOf(cap(b)))
	*free = append(*free, b)
}

// classOf returns the smallest power of two that holds n bytes.
func classOf(n int) int { return max(smallest, bits.Len(uint(max(n, 1)-1))) }

// make fills up the buffers of a size: with one, or with as many as a slab holds if they are to be
// exposed.
func (p *Pool) make(free *[][]byte, model []byte, size int) {
	if p.Expose == nil {
		*free = append(*free, phantom.Like(model, size)[:size:size])
		return
	}
	memory := phantom.Like(model, max(size, slab))
	p.Expose(memory)
	for len(memory) > 0 {
		*free = append(*free, memory[:size:size])
		memory = memory[size:]
	}
}
