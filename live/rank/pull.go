package rank

import (
	"fmt"

	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
)

func (r *Rank) Pull(from rma.Address, into []byte) (rma.Op, error) {
	if err := r.checkRank(from.Rank); err != nil {
		return 0, err
	}
	if r.pullDirect(from, &contiguous, into, &contiguous, len(into)) || r.pullAcross(from, into) {
		return 0, nil
	}
	return r.pull(from, nil, into, nil, len(into)), nil
}

func (r *Rank) PullLayout(from rma.Address, gather rma.Layout, into []byte, scatter rma.Layout) (rma.Op, error) {
	total, err := layoutBytes(scatter, len(into))
	if err != nil {
		return 0, err
	}
	if !gather.IsContiguous() && gather.Bytes() != total {
		return 0, fmt.Errorf("rma: layout of %d bytes at the target into %d bytes; expected as many", gather.Bytes(), total)
	}
	if err := r.checkRank(from.Rank); err != nil {
		return 0, err
	}
	gather, into, scatter = plain(gather), cut(into, &scatter, total), plain(scatter)
	if far, near := gather, scatter; r.pullDirect(from, &far, into, &near, total) {
		return 0, nil
	}
	target, err := r.encode(gather)
	if err != nil {
		return 0, err
	}
	return r.pull(from, target, into, layoutOf(scatter), total), nil
}

// mayPullByRing reports whether the ring may be the faster way for a pull that could go from process to process: it has room
// for all of it, and the other rank a processor of its own. In long ones both ranks copy; see sharedBytes.
func (r *sender) mayPullByRing(from, n int) bool {
	ring := r.out[from].ring
	return n < sharedBytes && r.job.Header.Sleeps == 0 && ring != nil && ring.RingBytes() >= 2*n
}

func (r *sender) pull(from rma.Address, target, into []byte, scatter wire.Layout, total int) rma.Op {
	e := operation{at: from, bytes: total, memory: into, layout: scatter}
	t := wire.Transfer{Kind: wire.Pull, Segment: wire.SegmentNumber(from.Segment), Offset: from.Offset, Target: target, Total: total}
	if r.copies(from.Rank, total) && !r.mayPullByRing(from.Rank, total) && scatter == nil && target == nil {
		t.Kind, t.Data = wire.FarPull, into
	} else {
		e.pulls, e.answers, e.left = true, true, max(1, total) // without data an answer comes too
		r.pulls.begin()
	}
	op := r.begin(e, t)
	if e.answers {
		r.out[from.Rank].asked = op
	}
	if t.Kind == wire.FarPull && r.shares(total) {
		r.shared = append(r.shared, op)
	}
	return op
}

// takePull answers a pull: with the data that is in memory when it is written to
// the ring.
func (r *taker) takePull(from int, body []byte) {
	f := wire.DecodePull(body)
	r.answerPull(from, f.Slot, address{f.Segment, f.Offset, f.Total, body[wire.PullBytes:][:f.Layout]})
}

// answerPull sends what is at an address to who asks for it.
func (r *taker) answerPull(from int, slot uint32, a address) {
	t := wire.Transfer{Kind: wire.Answer, Slot: slot, Segment: a.segment}
	memory, access, refused := r.reachEncoded(a)
	if refused.Code != 0 {
		t.Failed = refused
	} else {
		t.Data, t.Total = memory, int(a.total)
		if !access.IsContiguous() {
			t.Gather = &onesided.Layout{Element: access.Element, Stride: access.Stride, Count: access.Count, Offsets: access.Offsets}
		}
	}
	r.send(from, &t)
}

// takeAnswer puts data where a pull wants it. An answer that says why there is none has no place.
func (r *taker) takeAnswer(body []byte) {
	f := wire.DecodeAnswer(body)
	e := &r.ops.entries[f.Slot]
	if e.failed = f.Failed; e.failed.Code != 0 {
		e.advance(0)
	} else {
		e.take(int(f.At), body[wire.AnswerBytes:])
	}
	if e.pulls && (e.left == 0 || e.failed.Code != 0) {
		e.pulls = false
		r.pulls.end()
	}
}

// take puts data of an answer in its place.
func (e *operation) take(at int, data []byte) {
	if e.layout != nil {
		e.layout.Scatter(e.memory, data, at)
	} else {
		copy(e.memory[at:], data)
	}
	e.advance(len(data))
}

// advance says that further n bytes of an answer are where they belong.
func (e *operation) advance(n int) { e.left -= max(1, n) }
