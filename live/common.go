package live

import (
	"sync/atomic"
	"unsafe"
)

// Two ranks have two cache lines in common, of which each writes one half. A short message
// that nothing in the ring is waiting before goes there, and its answer too: so the line that
// a rank writes is the one that it has just read, and one transfer between processors brings
// the message, where lines of different rings need two. It takes the place of a record of one
// grain, whose word in the ring stays 0, and says at which position of the ring.
type commonLine [2]half

// half of a line, which one of the two ranks writes.
type half struct {
	stamp atomic.Uint64 // position in the ring, plus 1; written last
	word  uint64        // as in the ring
	body  [2]uint64
}

// halves are those that one rank writes and another reads. Records of even and of odd grains
// take different ones, as the one before is known to be taken one message later.
type halves [2]*half

// at returns the half for a record at a position of the ring.
func (h *halves) at(position uint64) *half { return h[position/grainBytes%2] }

// holds reports whether the record at a position of the ring is here.
func (h *half) holds(position uint64) bool { return h.stamp.Load() == position+1 }

// bytes returns the first n bytes of the body.
func (h *half) bytes(n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&h.body)), len(h.body)*wordBytes)[:n]
}

// halves returns those in which one rank writes to another.
func (g *region) halves(from, to int) halves {
	n := g.size()
	first, second := &g.common[from*n+to], &g.common[to*n+from]
	switch {
	case from < to:
		return halves{&first[0], &second[0]}
	case from > to:
		return halves{&second[1], &first[1]}
	}
	return halves{&first[0], &first[1]}
}
