package live

import (
	"musubi/live/wire"
	"sync/atomic"
	"unsafe"
)

// A long pull that goes from process to process is shared between both: the owner of
// the data checks that it is exposed, says where it is, and writes pieces of it, while
// the rank that pulls reads others, if it waits. So two processors copy.

const (
	sharedBytes = 128 << 10 // from which size on a pull is shared
	pieceBytes  = 64 << 10
)

// share is what the two ranks of a pair know of the pull that they share.
type share struct {
	state   atomic.Uint64 // the pull's number, 32 bits, and pieces that are taken, 32 bits
	address atomic.Uint64 // of the data, in the memory of its owner
	copied  atomic.Uint64 // bytes that are in place
}

// shareNumber is that of a pull whose record ends at a position of the ring.
func shareNumber(end uint64) uint32 { return uint32(end / grainBytes) }

// begin lets the rank that pulls take pieces.
func (s *share) begin(number uint32, data []byte) {
	s.address.Store(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))))
	s.copied.Store(0)
	s.state.Store(uint64(number) << 32)
}

// number is that of the pull that was begun last.
func (s *share) number() uint32 { return uint32(s.state.Load() >> 32) }

// take returns the bounds of a piece that nobody has taken, of a pull of total bytes.
// It reports false if there is none, or it is not the turn of this pull.
func (s *share) take(number uint32, total int) (begin, end int, ok bool) {
	for {
		state := s.state.Load()
		begin := int(uint32(state)) * pieceBytes
		if uint32(state>>32) != number || begin >= total {
			return 0, 0, false
		}
		if s.state.CompareAndSwap(state, state+1) {
			return begin, min(begin+pieceBytes, total), true
		}
	}
}

// shares reports whether a pull of n bytes from process to process is shared. Where ranks
// share processors that would help nobody.
func (r *rank) shares(n int) bool { return n >= sharedBytes && r.job.header.sleeps == 0 }

// sharedPull is a pull from this rank that has begun.
type sharedPull struct {
	open    bool
	segment int
	refused wire.Report
}

// takeShared copies pieces of the data of a pull to the memory of the rank that pulls.
// It reports false while that copies still.
func (r *rank) takeShared(from int, in *inlet, body []byte) bool {
	p, s := &in.pull, &in.pair.share
	f := wire.DecodeFar(body)
	memory, refused := r.reach(f.Segment, f.Offset, f.Total, &contiguous)
	if refused.Code != 0 {
		return in.fail(len(body), refused)
	}
	number := shareNumber(in.end(len(body)))
	if !p.open {
		*p = sharedPull{open: true, segment: f.Segment}
		s.begin(number, memory)
	}
	for {
		begin, end, ok := s.take(number, len(memory))
		if !ok {
			break
		}
		if writeFar(r.pidOf(from), memory[begin:end], f.Memory+uint64(begin)) != nil {
			p.refused.Code = wire.NotCopied
		}
		s.copied.Add(uint64(end - begin))
	}
	if s.copied.Load() < f.Total || p.refused.Code != 0 && !in.fail(len(body), p.refused) {
		return false
	}
	*p = sharedPull{}
	return true
}

// assist copies a piece of the first pull that this rank shares and that is not over, and
// reports whether there was one.
func (r *rank) assist() bool {
	for len(r.shared) > 0 {
		e := r.ops.find(r.shared[0])
		if e != nil && e.end == 0 { // it waits for room in the ring
			return false
		}
		if e == nil || r.isOver(e) {
			r.shared = r.shared[:copy(r.shared, r.shared[1:])]
			continue
		}
		s := &r.out[e.at.Rank].pair.share
		begin, end, ok := s.take(shareNumber(e.end), e.bytes)
		if !ok {
			return false
		}
		if readFar(r.pidOf(e.at.Rank), e.memory[begin:end], s.address.Load()+uint64(begin)) != nil {
			e.failed.Code = wire.NotCopied
		}
		s.copied.Add(uint64(end - begin))
		return true
	}
	return false
}

// isOver reports whether the owner is done with a pull: it says so, though not at once,
// or has come to one behind it.
func (r *rank) isOver(e *operation) bool {
	o := &r.out[e.at.Rank]
	return int32(o.pair.share.number()-shareNumber(e.end)) > 0 || o.taken(e.end)
}
