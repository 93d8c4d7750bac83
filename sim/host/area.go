package host

import "math/bits"

// area is the memory of a receive ring, as far as it is in use: of the place of the first bytes that have come since the
// ring was empty, and so many places after it. Of a ring that is empty it has none: large jobs have very many rings, and
// most are empty at any time.
type area struct {
	first  int // place in the ring of the first byte; 0 if it has all places
	memory []byte
}

// part returns the memory of n bytes from a place in a ring of some size on.
func (a *area) part(place, n, size int, pool *areaPool) []byte {
	if a.memory == nil {
		a.first = place
	}
	at := place - a.first
	if at < 0 {
		at += size
	}
	if at+n > len(a.memory) {
		a.grow(at+n, size, pool)
		if at = place - a.first; at < 0 {
			at += size
		}
	}
	return a.memory[at:][:n]
}

// grow makes the area of a ring longer: twice as long, as far as the ring is, so that long rings are not copied often.
func (a *area) grow(bytes, size int, pool *areaPool) {
	old, first := a.memory, a.first
	a.memory = pool.get(min(max(bytes, 2*len(old)), size))
	if len(a.memory) < size {
		copy(a.memory, old)
	} else {
		a.first, a.memory = 0, a.memory[:size]
		before := min(len(old), size-first) // what does not wrap around
		copy(a.memory[first:], old[:before])
		copy(a.memory, old[before:])
	}
	if old != nil {
		pool.put(old)
	}
}

// giveBack lets go of the memory when the ring is empty.
func (a *area) giveBack(pool *areaPool) {
	if a.memory != nil {
		pool.put(a.memory)
		a.memory = nil
	}
}

// areaPool keeps memory that areas of all ranks have given back.
type areaPool struct {
	free [][][]byte // by class of size
}

// leastArea is the smallest area, in bytes.
const leastArea = 64

// areaClass returns the number of the class of the smallest areas of at least n bytes, and their size. A class is at most
// a sixteenth larger than the one before.
func areaClass(n int) (class, size int) {
	last := uint(max(n, leastArea) - 1)
	shift := bits.Len(last) - 5
	steps := int(last>>shift) + 1 // 17 to 32
	return 16*shift + steps, steps << shift
}

// get returns memory for at least n bytes.
func (p *areaPool) get(n int) []byte {
	class, size := areaClass(n)
	if class < len(p.free) {
		if last := len(p.free[class]) - 1; last >= 0 {
			memory := p.free[class][last]
			p.free[class] = p.free[class][:last]
			return memory
		}
	}
	return make([]byte, size)
}

// put takes memory of get back, or its beginning.
func (p *areaPool) put(memory []byte) {
	memory = memory[:cap(memory)]
	class, _ := areaClass(len(memory))
	for len(p.free) <= class {
		p.free = append(p.free, nil)
	}
	p.free[class] = append(p.free[class], memory)
}
