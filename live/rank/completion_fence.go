package rank

import "musubi/rma"

// What a rank sends another one is done in the order in which it was started, and so are
// the answers that it gets from there. So a fence need not count operations: it notes, for
// each rank that something is under way to, how far that has to come and which pull it
// has to answer last. Messages that are no operations (IPushCopy) it does not wait for.

// fenceMark is what a fence waits for at one rank.
type fenceMark struct {
	fence  uint32 // slot of its operation
	target int
	queued rma.Op // the last operation that waited for room in the way there; 0: none
	end    uint64 // else, position in that way
	asked  rma.Op // see outlet
}

// Fence returns an operation that gets an answer for each of its marks. This rank gives
// them itself: it looks for marks that are passed whenever it takes records.
func (r *sender) Fence() (rma.Op, error) {
	first := len(r.marks)
	for target := range r.out {
		o := &r.out[target]
		m := fenceMark{target: target, end: o.ends, asked: o.asked}
		if slot, waits := o.queue.lastOperation(); waits {
			m.queued = r.ops.name(slot)
		}
		if !r.isPassed(&m) {
			r.marks = append(r.marks, m)
		}
	}
	marks := r.marks[first:]
	if len(marks) == 0 {
		return 0, nil
	}
	slot, op := r.ops.start(operation{at: rma.Address{Rank: r.number}, answers: true, left: len(marks)})
	for i := range marks {
		marks[i].fence = slot
	}
	return op, nil
}

// isPassed reports whether a fence need not wait for a mark any more. What its target has
// answered may have been told of before what was done in front of it, so both count.
func (r *sender) isPassed(m *fenceMark) bool {
	if e := r.ops.find(m.queued); e != nil {
		if e.end == 0 {
			return false
		}
		m.queued, m.end = 0, e.end
	}
	return r.out[m.target].way.IsDone(m.end) && !r.isUnderWay(m.asked)
}

// isUnderWay reports whether an operation is not complete. One that has been waited for is.
func (r *sender) isUnderWay(op rma.Op) bool {
	e := r.ops.find(op)
	return e != nil && !r.isComplete(e)
}

// passMarks forgets the marks that are passed, and reports whether there were any.
func (r *sender) passMarks() bool {
	left := r.marks[:0]
	for _, m := range r.marks {
		if r.isPassed(&m) {
			r.ops.entries[m.fence].left--
		} else {
			left = append(left, m)
		}
	}
	some := len(left) < len(r.marks)
	r.marks = left
	return some
}
