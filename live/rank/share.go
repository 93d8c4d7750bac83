package rank

import (
	"musubi/live/shm"
	"musubi/live/wire"
)

// A long pull that goes from process to process is shared between both: the owner of
// the data checks that it is exposed, says where it is, and writes pieces of it, while
// the rank that pulls reads others, if it waits. So two processors copy.

const (
	sharedBytes = 128 << 10 // from which size on a pull is shared
)

// shares reports whether a pull of n bytes from process to process is shared. Where ranks
// share processors that would help nobody.
func (r *sender) shares(n int) bool { return n >= sharedBytes && r.job.Header.Sleeps == 0 }

// sharedPull is a pull from this rank that has begun.
type sharedPull struct {
	open    bool
	segment int
	refused wire.Report
}

// takeShared copies pieces of the data of a pull to the memory of the rank that pulls.
// It reports false while that copies still.
func (r *taker) takeShared(from int, in *inlet, body []byte) bool {
	p, s := &in.pull, &in.ring.In.Pair.Shared
	f := wire.DecodeFar(body)
	memory, refused := r.reach(f.Segment, f.Offset, f.Total, &contiguous)
	if refused.Code != 0 {
		return in.fail(len(body), refused)
	}
	number := shm.ShareNumber(in.ring.In.End(len(body)))
	if !p.open {
		*p = sharedPull{open: true, segment: f.Segment}
		s.Begin(number, memory)
	}
	take := s.Take
	if r.pullsFrom(from) {
		take = s.TakeRest
	}
	for {
		begin, end, ok := take(number, len(memory))
		if !ok {
			break
		}
		if shm.WriteFar(r.job.Pid(from), memory[begin:end], f.Memory+uint64(begin)) != nil {
			p.refused.Code = wire.NotCopied
		}
		s.Copied.Add(uint64(end - begin))
	}
	if s.Copied.Load() < f.Total || p.refused.Code != 0 && !in.fail(len(body), p.refused) {
		return false
	}
	*p = sharedPull{}
	return true
}

// pullsFrom reports whether this rank pulls from another one that pulls from it, and so has as much to copy for it. Then each
// copies what the other one pulls, in one call of the system, and both are done at once.
func (r *sender) pullsFrom(rank int) bool {
	for _, op := range r.shared {
		if e := r.ops.find(op); e != nil && e.at.Rank == rank && (e.end == 0 || !r.isOver(e)) {
			return true
		}
	}
	return false
}

// assist copies a piece of the first pull that this rank shares and that is not over, and
// reports whether there was one.
func (r *sender) assist() bool {
	for len(r.shared) > 0 {
		e := r.ops.find(r.shared[0])
		if e != nil && e.end == 0 { // it waits for room in the ring
			return false
		}
		if e == nil || r.isOver(e) {
			r.shared = r.shared[:copy(r.shared, r.shared[1:])]
			continue
		}
		s := &r.out[e.at.Rank].ring.Out.Pair.Shared
		begin, end, ok := s.Take(shm.ShareNumber(e.end), e.bytes)
		if !ok {
			return false
		}
		if shm.ReadFar(r.job.Pid(e.at.Rank), e.memory[begin:end], s.Address.Load()+uint64(begin)) != nil {
			e.failed.Code = wire.NotCopied
		}
		s.Copied.Add(uint64(end - begin))
		return true
	}
	return false
}

// isOver reports whether the owner is done with a pull: it says so, though not at once,
// or has come to one behind it.
func (r *sender) isOver(e *operation) bool {
	ring := r.out[e.at.Rank].ring
	return int32(ring.Out.Pair.Shared.Number()-shm.ShareNumber(e.end)) > 0 || ring.IsDone(e.end)
}
