package shm

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// SharedPull is what the two ranks of a pair know of the pull that they share.
type SharedPull struct {
	state   atomic.Uint64 // the pull's number, 32 bits, and pieces that are taken, 32 bits
	Address atomic.Uint64 // of the data, in the memory of its owner
	Copied  atomic.Uint64 // bytes that are in place
}

// ShareNumber returns the number of a pull whose record ends at a position of the ring.
func ShareNumber(end uint64) uint32 { return uint32(end / grainBytes) }

// Begin lets the rank that pulls take pieces.
func (s *SharedPull) Begin(number uint32, data []byte) {
	s.Address.Store(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))))
	s.Copied.Store(0)
	s.state.Store(uint64(number) << 32)
}

// Number returns the number of the pull that was begun last.
func (s *SharedPull) Number() uint32 { return uint32(s.state.Load() >> 32) }

// Take returns the bounds of a piece that nobody has taken, of a pull of total bytes.
// It reports false if there is none, or it is not the turn of this pull.
func (s *SharedPull) Take(number uint32, total int) (begin, end int, ok bool) {
	return s.take(number, total, 1)
}

// TakeRest is Take of all pieces that nobody has taken.
func (s *SharedPull) TakeRest(number uint32, total int) (begin, end int, ok bool) {
	return s.take(number, total, math.MaxInt32)
}

func (s *SharedPull) take(number uint32, total, most int) (begin, end int, ok bool) {
	piece := pieceBytes(total)
	for {
		state := s.state.Load()
		taken := int(uint32(state))
		left := (total+piece-1)/piece - taken
		if uint32(state>>32) != number || left <= 0 {
			return 0, 0, false
		}
		most = min(most, left)
		if s.state.CompareAndSwap(state, state+uint64(most)) {
			return taken * piece, min((taken+most)*piece, total), true
		}
	}
}

// Few pieces are copied faster, as each is a call of the system, but two ranks should be able to take about as much each.
const (
	leastPiece = 64 << 10
	mostPiece  = 512 << 10
)

// pieceBytes is how much of a pull of total bytes is taken at once.
func pieceBytes(total int) int { return min(max(leastPiece, total/4), mostPiece) }
