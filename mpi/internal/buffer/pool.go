// Package buffer keeps buffers that are used again, so that messages need no allocation.
package buffer

import (
	"math/bits"

	"musubi/internal/phantom"
)

const (
	smallest = 7 // bits of the size of the smallest buffer
	// Smallest is the size of the smallest buffer, in bytes.
	Smallest = 1 << smallest
)

// A pool exposes as much memory at once as it has exposed before, within these bounds: processes of
// large jobs send little, and others need few segments. Memory without bytes does not count for that with bytes, which takes room.
const (
	leastSlab = 4 << 10
	mostSlab  = 64 << 10
)

// Pool is buffers that are used again. Their sizes are powers of two. Other sizes would change simulated times: buffers are memory
// that the simulated program exposes, and where processes move to other hosts (ssscore), all that they have exposed moves along.
type Pool struct {
	real, phantom []class // by size, the smallest first, as far as there are any
	few           [1]class
	place         [1][]byte // of a free buffer of these, where the pool is
	exposed       exposed
	// Expose is called with the memory of new buffers, if it is set.
	Expose func(memory []byte) (segment int)
}

// exposed is how many bytes of each kind have been exposed so far, at most mostSlab.
type exposed struct{ real, phantom int32 }

// class is the buffers of one size.
type class struct {
	free [][]byte
	rest []byte // of a slab, for buffers that have not been used yet
}

// Get returns a buffer of n bytes, which has room for as many as the next power of two.
func (p *Pool) Get(n int) []byte { return p.Like(nil, n) }

// Like is Get of a buffer for data that lies in model: it is phantom if that is.
func (p *Pool) Like(model []byte, n int) []byte {
	c, size := p.classOf(model, n)
	if last := len(c.free) - 1; last >= 0 {
		b := c.free[last]
		c.free = c.free[:last]
		return b[:n]
	}
	if len(c.rest) == 0 {
		c.rest = p.make(model, size)
	}
	b := c.rest[:n:size]
	c.rest = c.rest[size:]
	return b
}

// Put gives back a buffer that Get has returned.
func (p *Pool) Put(b []byte) {
	if b == nil {
		return
	}
	c, _ := p.classOf(b, cap(b))
	c.free = append(c.free, b)
}

// classOf returns the class of buffers for n bytes, phantom ones if model is phantom, and their size.
func (p *Pool) classOf(model []byte, n int) (c *class, size int) {
	list := &p.real
	if phantom.Is(model) {
		list = &p.phantom
	}
	if *list == nil && list == &p.real {
		p.few[0].free = p.place[:0] // of short messages there are very many
		*list = p.few[:]
	}
	i := max(0, bits.Len(uint(max(n, 1)-1))-smallest)
	for len(*list) <= i {
		*list = append(*list, class{})
	}
	return &(*list)[i], 1 << (i + smallest)
}

// make returns memory for buffers of a size: for one, or for as many as a slab holds if they are to
// be exposed.
func (p *Pool) make(model []byte, size int) []byte {
	if p.Expose == nil {
		return phantom.Like(model, size)
	}
	exposed := &p.exposed.real
	if phantom.Is(model) {
		exposed = &p.exposed.phantom
	}
	slab := leastSlab
	for slab < int(*exposed) {
		slab *= 2
	}
	memory := phantom.Like(model, max(size, slab))
	*exposed = int32(min(int(*exposed)+len(memory), mostSlab))
	p.Expose(memory)
	return memory
}
