package rank

import (
	"math/bits"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/onesided"
)

// inlet is the way from another rank to this one.
type inlet struct {
	rank         *taker
	ring         *shm.Endpoint // nil: that rank does not share memory with this one
	from         int
	called       bool    // that rank has written to this one
	out          *outlet // to that rank
	beside       *beside
	push         incoming     // that has begun and not ended
	accumulation accumulation // that has begun and not ended
	pull         sharedPull
	message      wire.Report // why the message that has begun is refused
	parts        parts       // of the message that has begun, over a stream

	inPlace int // bytes of the message in the next record that are in the receive ring
	longest int // message that the receive ring takes, in bytes; -1: none
}

// incoming is a push of which data is still to come.
type incoming struct {
	open    bool
	segment int
	memory  []byte
	access  onesided.Layout
	at      int // bytes that have come
	total   int
	refused wire.Report
}

// batch is how many records of one sender are taken before those of the next.
const batch = 32

// poll takes records and does all else that is due. It reports whether there was anything
// to do.
func (r *Rank) poll() bool {
	r.releaseMessage()
	moved := false
	for _, in := range r.sources {
		if !in.ring.In.Waits() {
			in.ring.Inform()
		} else if r.drain(in) {
			moved = true
		}
	}
	return r.tend() || moved
}

// tend does what is due besides taking records: it takes note of the clock and of who begins
// to send, moves commands and streams on, and writes what waits for room. It reports whether
// there was anything to do.
func (r *Rank) tend() bool {
	if clock := r.job.Header.Clock.Load(); clock != r.waiter.clock {
		r.notice(clock)
	}
	moved := r.job.Callers[r.number].Calls.Load() != r.enlisted && r.enlist()
	if r.commands.Attend() {
		moved = true
	}
	if r.far != nil && r.far.Poll() {
		moved = true
	}
	if r.queued > 0 && r.flushQueues() {
		moved = true
	}
	if len(r.shared) > 0 && r.assist() {
		moved = true
	}
	if len(r.marks) > 0 && r.passMarks() {
		moved = true
	}
	return moved
}

// drain takes records of one sender that has some.
func (r *taker) drain(in *inlet) bool {
	ring := in.ring
	taken, placed := 0, in.inPlace
	for taken < batch && ring.In.Waits() {
		k, body := ring.Next()
		if k == 0 || !r.handle(in.from, in, k, body) {
			break
		}
		ring.In.Take(len(body))
		taken++
	}
	if taken == 0 {
		ring.Inform()
		return in.inPlace != placed // some of a long message
	}
	ring.Flush()
	return true
}

// handle does what a record says. It reports false if that must wait, as must what
// comes after it.
func (r *taker) handle(from int, in *inlet, k wire.Kind, body []byte) bool {
	switch k {
	case wire.Whole:
		return r.takeWhole(in, body)
	case wire.Push:
		return r.takePush(in, body)
	case wire.More:
		return r.takeMore(in, body, len(body))
	case wire.FarPush:
		return r.takeFar(from, in, body)
	case wire.Message:
		return r.takeWholeMessage(from, in, body)
	case wire.Packet:
		return r.takePacket(from, in, body)
	case wire.Pull:
		r.takePull(from, body)
	case wire.FarPull:
		return r.takeFarPull(from, in, body)
	case wire.Answer:
		r.takeAnswer(body)
	case wire.Modify:
		r.takeModify(from, body)
	case wire.Result:
		r.takeResult(body)
	case wire.Accumulate:
		r.takeAccumulate(in, body)
	case wire.Operands:
		r.accumulate(in, body)
	}
	return true
}

// fail tells the sender that the operation has failed that ends with what is being taken, a body
// of n bytes. It reports false if that has to wait.
func (in *inlet) fail(n int, p wire.Report) bool { return in.out.way.Fail(n, p) }

// address is what a transfer names at its target.
type address struct {
	segment       int
	offset, total uint64
	layout        []byte // encoded
}

func (r *taker) takePush(in *inlet, body []byte) bool {
	f, rest := wire.DecodePush(body), body[wire.PushBytes:]
	r.beginPush(in, address{f.Segment, f.Offset, f.Total, rest[:f.Layout]})
	return r.takeMore(in, rest[f.Layout:], len(body))
}

// beginPush notes where the data is to go that comes next.
func (r *taker) beginPush(in *inlet, a address) {
	p := incoming{open: true, segment: a.segment, total: int(a.total)}
	p.memory, p.access, p.refused = r.reachEncoded(a)
	in.push = p
}

// takeWhole writes a push that is in one record.
func (r *taker) takeWhole(in *inlet, body []byte) bool {
	f, data := wire.DecodeWhole(body), body[wire.WholeBytes:]
	memory, refused := r.reach(f.Segment, f.Offset, uint64(len(data)), &contiguous)
	if refused.Code != 0 {
		return in.fail(len(body), refused)
	}
	copy(memory, data)
	r.pushes++
	return true
}

var contiguous onesided.Layout

// reachEncoded returns the memory of an address and how it is accessed.
func (r *memory) reachEncoded(a address) ([]byte, onesided.Layout, wire.Report) {
	access, err := onesided.DecodeLayout(a.layout)
	if err != nil {
		return nil, access, wire.Report{Code: wire.Outside, Hint: 0}
	}
	memory, refused := r.reach(a.segment, a.offset, a.total, &access)
	return memory, access, refused
}

// takeMore writes further data of a push. n is the length of the record's body.
func (r *taker) takeMore(in *inlet, data []byte, n int) bool {
	p := &in.push
	ends := p.at+len(data) == p.total
	if p.refused.Code == 0 {
		p.access.Scatter(p.memory, data, p.at)
	} else if ends && !in.fail(n, p.refused) {
		return false
	}
	r.advancePush(in, len(data))
	return true
}

// advancePush says that further n bytes of a push are where they belong.
func (r *taker) advancePush(in *inlet, n int) {
	p := &in.push
	if p.at += n; p.at == p.total {
		r.pushes++
		*p = incoming{}
	}
}

// takeFar copies the data of a push out of the memory of its sender.
func (r *taker) takeFar(from int, in *inlet, body []byte) bool {
	f := wire.DecodeFar(body)
	memory, refused := r.reach(f.Segment, f.Offset, f.Total, &contiguous)
	if refused.Code == 0 && shm.ReadFar(r.job.Pid(from), memory, f.Memory) != nil {
		refused.Code = wire.NotCopied
	}
	if refused.Code != 0 {
		return in.fail(len(body), refused)
	}
	r.pushes++
	return true
}

// takeFarPull copies data to the memory of the rank that pulls.
func (r *taker) takeFarPull(from int, in *inlet, body []byte) bool {
	f := wire.DecodeFar(body)
	if r.shares(int(f.Total)) {
		return r.takeShared(from, in, body)
	}
	memory, refused := r.reach(f.Segment, f.Offset, f.Total, &contiguous)
	if refused.Code == 0 && shm.WriteFar(r.job.Pid(from), memory, f.Memory) != nil {
		refused.Code = wire.NotCopied
	}
	if refused.Code != 0 {
		return in.fail(len(body), refused)
	}
	return true
}

// enlist takes those into the sources who have entered themselves, and returns true.
func (r *taker) enlist() bool {
	c := &r.job.Callers[r.number]
	r.enlisted = c.Calls.Load()
	for i := range c.Ranks {
		for set := c.Ranks[i].Load(); set != 0; set &= set - 1 {
			if in := &r.in[i*64+bits.TrailingZeros64(set)]; !in.called {
				in.called = true
				r.sources = append(r.sources, in)
			}
		}
	}
	return true
}
