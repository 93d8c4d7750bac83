package flit

import "math/bits"

// bitset is a set of small numbers that can be walked in ascending order.
type bitset struct {
	words []uint64
	size  int
}

func newBitset(n int) bitset { return bitset{words: make([]uint64, (n+63)/64)} }

func (s *bitset) add(i uint32) {
	w, b := &s.words[i/64], uint64(1)<<(i%64)
	if *w&b == 0 {
		*w |= b
		s.size++
	}
}

func (s *bitset) remove(i uint32) {
	w, b := &s.words[i/64], uint64(1)<<(i%64)
	if *w&b != 0 {
		*w &^= b
		s.size--
	}
}

// ring is a first-in first-out queue of numbers. It allocates only to grow.
type ring struct {
	buf  []uint32 // a power of two long
	head uint32
	size uint32
}

func (r *ring) push(v uint32) {
	if int(r.size) == len(r.buf) {
		r.grow()
	}
	r.buf[(r.head+r.size)&uint32(len(r.buf)-1)] = v
	r.size++
}

func (r *ring) grow() {
	buf := make([]uint32, max(4, 2*len(r.buf)))
	for i := range r.size {
		buf[i] = r.buf[(r.head+i)&uint32(len(r.buf)-1)]
	}
	r.buf, r.head = buf, 0
}

// front returns the oldest element; there must be one.
func (r *ring) front() uint32 { return r.buf[r.head] }

// at returns the n-th oldest element; there must be one.
func (r *ring) at(n uint32) uint32 { return r.buf[(r.head+n)&uint32(len(r.buf)-1)] }

// popLast takes the youngest element out and returns it.
func (r *ring) popLast() uint32 {
	r.size--
	return r.at(r.size)
}

func (r *ring) pop() {
	r.head = (r.head + 1) & uint32(len(r.buf)-1)
	r.size--
}

// nextBit returns the first element of a non-empty mask from position from on,
// cyclically.
func nextBit(mask uint64, from uint8) uint8 {
	if above := mask >> (from & 63); above != 0 {
		return from&63 + uint8(bits.TrailingZeros64(above))
	}
	return uint8(bits.TrailingZeros64(mask))
}

// distance returns how far position p lies from a round-robin pointer, among n
// positions.
func distance(p, pointer, n int32) int32 {
	if p >= pointer {
		return p - pointer
	}
	return p - pointer + n
}

// after returns the position that follows p among n, cyclically.
func after(p, n int32) int32 {
	if p+1 == n {
		return 0
	}
	return p + 1
}

// lowest returns the smallest element of a non-empty mask.
func lowest(mask uint64) uint32 { return uint32(bits.TrailingZeros64(mask)) }
