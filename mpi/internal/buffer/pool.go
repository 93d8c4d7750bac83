// Package buffer keeps buffers that are used again, so that messages need no allocation.
package buffer

import "math/bits"

// smallest is the bytes of the smallest buffer, as a power of two.
const smallest = 7

// slab is how much memory a pool exposes at once.
const slab = 64 << 10

// Pool is buffers that are used again. Their sizes are powers of two.
type Pool struct {
	free [64][][]byte
	// Expose is called with the memory of new buffers, if it is set.
	Expose func(memory []byte) (segment int)
}

// Get returns a buffer of at least n bytes. Its length is n.
func (p *Pool) Get(n int) []byte {
	class := classOf(n)
	if len(p.free[class]) == 0 {
		p.make(class)
	}
	free := p.free[class]
	last := len(free) - 1
	b := free[last]
	p.free[class] = free[:last]
	return b[:n]
}

// Put gives back a buffer that get has returned.
func (p *Pool) Put(b []byte) {
	if b == nil {
		return
	}
	class := classOf(cap(b))
	p.free[class] = append(p.free[class], b)
}

// classOf returns the smallest power of two that holds n bytes.
func classOf(n int) int { return max(smallest, bits.Len(uint(max(n, 1)-1))) }

// make fills up the buffers of a class: with one, or with as many as a slab holds if
// they are to be exposed.
func (p *Pool) make(class int) {
	size := 1 << class
	if p.Expose == nil {
		p.free[class] = append(p.free[class], make([]byte, size))
		return
	}
	memory := make([]byte, max(size, slab))
	p.Expose(memory)
	for len(memory) > 0 {
		p.free[class] = append(p.free[class], memory[:size:size])
		memory = memory[size:]
	}
}
