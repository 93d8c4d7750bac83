package live

import "musubi/rma"

// What a rank sends another one is done in the order in which it was started, and so are
// the answers that it gets from there. So a fence need not count operations: it notes, for
// each rank that something is under way to, how far that has to come and which pull it
// has to answer last.

// mark is something that a fence waits for.
type mark struct {
	fence  uint32 // slot of its operation
	target int
	op     rma.Op // of this rank; 0: none
	end    uint64 // else, position in the way to the target
}

// Fence returns an operation that gets an answer for each of its marks. This rank gives
// them itself: it looks for marks that are passed whenever it takes records.
func (r *rank) Fence() (rma.Op, error) {
	first := len(r.marks)
	for target := range r.out {
		r.markTarget(target)
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

// markTarget notes what is under way to a rank.
func (r *rank) markTarget(target int) {
	o := &r.out[target]
	sent := mark{target: target, end: o.head}
	if slot, waits := o.queue.lastOperation(); waits {
		sent.op = r.ops.name(slot)
	}
	r.addMark(sent)
	if o.asked != 0 {
		r.addMark(mark{target: target, op: o.asked})
	}
}

func (r *rank) addMark(m mark) {
	if !r.isPassed(&m) {
		r.marks = append(r.marks, m)
	}
}

// isPassed reports whether a fence need not wait for a mark any more.
func (r *rank) isPassed(m *mark) bool {
	if m.op == 0 {
		return r.out[m.target].isDone(m.end)
	}
	e := r.ops.find(m.op)
	return e == nil || r.isComplete(e) // one that is not found has been waited for
}

// passMarks forgets the marks that are passed, and reports whether there were any.
func (r *rank) passMarks() bool {
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
