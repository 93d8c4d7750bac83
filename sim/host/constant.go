package host

import (
	"cmp"
	"slices"

	"musubi/internal/phantom"
)

// constants are memory that all ranks have and nobody changes.
type constants struct {
	all    [][]byte // by the number of the call that asked for it
	sorted [][]byte // by address
}

// Constant implements rma.Sharer. A rank that asks for another size than those before it gets memory of its own.
func (r *Process) Constant(bytes int, fill func(memory []byte)) []byte {
	known, number := &r.c.constants, r.constants
	r.constants++
	if number < len(known.all) && len(known.all[number]) == bytes {
		return known.all[number]
	}
	memory := make([]byte, bytes)
	fill(memory)
	if number == len(known.all) {
		known.add(memory)
	}
	return memory
}

func (c *constants) add(memory []byte) {
	c.all = append(c.all, memory)
	at, _ := c.find(memory)
	c.sorted = slices.Insert(c.sorted, at, memory)
}

// find returns where memory that begins at an address is in sorted, or goes.
func (c *constants) find(memory []byte) (int, bool) {
	return slices.BinarySearchFunc(c.sorted, memory, func(a, b []byte) int { return cmp.Compare(addressOf(a), addressOf(b)) })
}

// has reports whether data is part of such memory.
func (c *constants) has(data []byte) bool {
	at, is := c.find(data)
	if !is {
		at--
	}
	if at < 0 {
		return false
	}
	whole := c.sorted[at]
	return addressOf(data)+uintptr(len(data)) <= addressOf(whole)+uintptr(len(whole))
}

// Reference implements rma.Sharer.
func (r *Process) Reference(data []byte) []byte {
	c := r.c
	if !c.Traits.Phantom || c.phantom != nil || !c.constants.has(data) {
		return nil
	}
	if c.references == nil {
		c.references = phantom.New()
	}
	return c.references.Bytes(0)
}
