package device

import "musubi/rma"

// fences knows which operations of a rank are open, by the fence that is the first to wait
// for them. They may complete in any order.
type fences struct {
	waiting fifo[fence]
	first   uint32 // number of the first of them, modulo 2^32
	open    int    // operations that no fence waits for yet
}

// fence is a Fence under way.
type fence struct {
	op   uint32
	open int // operations since the fence before
}

// begin notes that an operation begins. It returns the number of the fence that will be the
// first to wait for it.
func (f *fences) begin() uint32 {
	f.open++
	return f.first + uint32(f.waiting.len())
}

// end notes that an operation is complete that begin has given a number.
func (f *fences) end(number uint32) {
	if i := int(number - f.first); i < f.waiting.len() {
		f.waiting.items[f.waiting.first+i].open--
		return
	}
	f.open--
}

// left returns how many operations are open.
func (f *fences) left() int {
	n := f.open
	for i := f.waiting.first; i < len(f.waiting.items); i++ {
		n += f.waiting.items[i].open
	}
	return n
}

// Fence implements rma.Process. The processor counts by itself what it starts and what
// interfaces tell of as complete, which takes no time.
func (r *rank) Fence() (rma.Op, error) {
	if r.fences.open == 0 && r.fences.waiting.len() == 0 {
		return 0, nil
	}
	id, op := r.c.numberOp(r)
	r.fences.waiting.push(fence{id, r.fences.open})
	r.fences.open = 0
	if m := r.c.pager; m != nil {
		m.fenced(r.number)
	}
	return op, nil
}

// endFences completes fences that have nothing left to wait for.
func (r *rank) endFences() {
	for f := &r.fences; f.waiting.len() > 0 && f.waiting.front().open == 0; {
		f.first++
		if m := r.c.pager; m != nil {
			m.passed(r.number)
		}
		r.c.tellComplete(f.waiting.pop().op)
	}
}
