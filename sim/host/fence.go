package host

import (
	"musubi/nic/fence"
	"musubi/rma"
)

// fences count the operations of a rank that are open, and are those that wait for them.
// Operations may complete in any order.
type fences struct {
	fence.Counter
	waiting FIFO[openFence]
}

// openFence is a Fence under way.
type openFence struct{ op, ticket uint32 }

// Fence implements rma.Process. What the rank starts and what is complete is counted by the
// interface, or by a processor that its interface tells, which takes no time.
func (r *Process) Fence() (rma.Op, error) {
	r.settle()
	ticket := r.fences.Barrier()
	if r.fences.Passed(ticket) {
		return 0, nil
	}
	id, op := r.c.NumberOp(r)
	r.fences.waiting.Push(openFence{id, ticket})
	return op, nil
}

// endFences completes fences that have nothing left to wait for.
func (r *Process) endFences() {
	for f := &r.fences; f.waiting.Len() > 0 && f.Passed(f.waiting.Front().ticket); {
		r.c.tellComplete(f.waiting.Pop().op)
	}
}
