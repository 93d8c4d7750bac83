package live

import (
	"encoding/binary"
	"sync/atomic"

	"musubi/onesided"
)

// inlet is the way from another rank to this one.
type inlet struct {
	reader
	from         int
	called       bool         // that rank has written to this one
	out          *outlet      // to that rank
	stream       *stream      // instead of the ring, from a rank of another group
	failing      bool         // an operation has failed, and perhaps the sender has not collected that
	clean        uint64       // tail when no failure was to be collected
	push         incoming     // that has begun and not ended
	accumulation accumulation // likewise
	pull         sharedPull
	message      report // why the message that has begun is refused

	failures *atomic.Uint64 // of operations of the sender
	placed   int            // bytes of the message in the next record that are in the receive ring
	longest  int            // message that the receive ring takes, in bytes; -1: none
}

// incoming is a push of which data is still to come.
type incoming struct {
	open    bool
	segment int
	memory  []byte
	access  onesided.Layout
	at      int // bytes that have come
	total   int
	refused report
}

// batch is how many records of one sender are taken before those of the next.
const batch = 32

// poll takes records and does all else that is due. It reports whether there was anything
// to do.
func (r *rank) poll() bool {
	r.giveBack()
	moved := false
	for _, in := range r.sources {
		if r.drain(in.from) {
			moved = true
		}
	}
	return r.tend() || moved
}

// tend does what is due besides taking records: it takes note of the clock and of who begins
// to send, moves commands and streams on, and writes what waits for room. It reports whether
// there was anything to do.
func (r *rank) tend() bool {
	if clock := r.job.header.clock.Load(); clock != r.waiter.clock {
		r.notice(clock)
	}
	moved := r.enlist()
	if r.attendQueues() {
		moved = true
	}
	if r.far != nil && r.far.poll() {
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

// drain takes records of one sender.
func (r *rank) drain(from int) bool {
	in := &r.in[from]
	taken, placed := 0, in.placed
	for taken < batch {
		k, body := in.next()
		if k == 0 {
			break
		}
		r.out[from].acknowledge(in.ack)
		if !r.handle(from, in, k, body) {
			break
		}
		in.take(len(body))
		taken++
	}
	if taken == 0 {
		r.inform(from)
		return in.placed != placed // some of a long message
	}
	in.flush()
	r.job.wake(from)
	return true
}

// handle does what a record says. It reports false if that must wait, as must what
// comes after it.
func (r *rank) handle(from int, in *inlet, k kind, body []byte) bool {
	switch k {
	case kindWhole:
		return r.takeWhole(in, body)
	case kindPush:
		return r.takePush(in, body)
	case kindMore:
		return r.takeMore(in, body, len(body))
	case kindFarPush:
		return r.takeFar(from, in, body)
	case kindMessage:
		return r.takeWholeMessage(from, in, body)
	case kindPacket:
		return r.takePacket(from, in, body)
	case kindPull:
		r.takePull(from, body)
	case kindFarPull:
		return r.takeFarPull(from, in, body)
	case kindAnswer:
		r.takeAnswer(body)
	case kindModify:
		r.takeModify(from, body)
	case kindResult:
		r.takeResult(body)
	case kindAccumulate:
		r.takeAccumulate(in, body)
	case kindOperands:
		r.accumulate(in, body)
	}
	return true
}

// fail tells the sender that the operation has failed that ends with the record that
// is next, with a body of n bytes. It reports false if the sender has not yet seen
// the failure before.
func (in *inlet) fail(n int, p report) bool {
	if in.stream != nil {
		in.stream.addNack(in.tail+1, p)
		return true
	}
	if in.pair.failedAt.Load() != 0 {
		return false
	}
	in.failing = true
	in.pair.failedCode.Store(uint64(p.code))
	in.pair.failedHint.Store(p.hint)
	in.pair.failedAt.Store(in.end(n))
	in.failures.Add(1)
	return true
}

// acknowledged returns what the sender may count as taken, and as done if it knows of
// no failure.
func (in *inlet) acknowledged() acknowledgement {
	if in.failing && in.pair.failedAt.Load() == 0 {
		in.failing = false
	}
	if !in.failing {
		in.clean = in.tail
	}
	return acknowledgementOf(in.clean, in.lines)
}

func (r *rank) takePush(in *inlet, body []byte) bool {
	a := readAddress(body, pushHead)
	r.beginPush(in, a)
	return r.takeMore(in, a.rest, len(body))
}

// beginPush notes where the data is to go that comes next.
func (r *rank) beginPush(in *inlet, a address) {
	p := incoming{open: true, segment: a.segment, total: int(a.total)}
	p.memory, p.access, p.refused = r.reachEncoded(a)
	in.push = p
}

// takeWhole writes a push that is in one record.
func (r *rank) takeWhole(in *inlet, body []byte) bool {
	if refused := r.writeWhole(readWhole(body)); refused.code != 0 {
		return in.fail(len(body), refused)
	}
	return true
}

// writeWhole writes data of which nothing else is to come.
func (r *rank) writeWhole(segment int, offset uint64, data []byte) report {
	memory, refused := r.reach(segment, offset, uint64(len(data)), &contiguous)
	if refused.code == 0 {
		copy(memory, data)
		r.pushes++
	}
	return refused
}

var contiguous onesided.Layout

// reachEncoded returns the memory of an address and how it is accessed.
func (r *rank) reachEncoded(a address) ([]byte, onesided.Layout, report) {
	access, err := onesided.DecodeLayout(a.access)
	if err != nil {
		return nil, access, report{outside, 0}
	}
	memory, refused := r.reach(a.segment, a.offset, a.total, &access)
	return memory, access, refused
}

// takeMore writes further data of a push. n is the length of the record's body.
func (r *rank) takeMore(in *inlet, data []byte, n int) bool {
	p := &in.push
	ends := p.at+len(data) == p.total
	if p.refused.code == 0 {
		p.access.Scatter(p.memory, data, p.at)
	} else if ends && !in.fail(n, p.refused) {
		return false
	}
	r.advancePush(in, len(data))
	return true
}

// advancePush says that further n bytes of a push are where they belong.
func (r *rank) advancePush(in *inlet, n int) {
	p := &in.push
	if p.at += n; p.at == p.total {
		r.pushes++
		*p = incoming{}
	}
}

// takeFar copies the data of a push out of the memory of its sender.
func (r *rank) takeFar(from int, in *inlet, body []byte) bool {
	a := readAddress(body, farHead)
	memory, refused := r.reach(a.segment, a.offset, a.total, &contiguous)
	if refused.code == 0 && readFar(r.pidOf(from), memory, farAddress(body)) != nil {
		refused.code = notCopied
	}
	if refused.code != 0 {
		return in.fail(len(body), refused)
	}
	r.pushes++
	return true
}

// takeFarPull copies data to the memory of the rank that pulls.
func (r *rank) takeFarPull(from int, in *inlet, body []byte) bool {
	a := readAddress(body, farHead)
	if r.shares(int(a.total)) {
		return r.takeShared(from, in, body)
	}
	memory, refused := r.reach(a.segment, a.offset, a.total, &contiguous)
	if refused.code == 0 && writeFar(r.pidOf(from), memory, farAddress(body)) != nil {
		refused.code = notCopied
	}
	if refused.code != 0 {
		return in.fail(len(body), refused)
	}
	return true
}

func farAddress(body []byte) uint64 { return binary.LittleEndian.Uint64(body[24:]) }

func (r *rank) pidOf(rank int) int { return int(r.job.ranks[rank].pid.Load()) }
