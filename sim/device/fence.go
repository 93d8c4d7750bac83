package device

import (
	"musubi/nic/mbc"
	"musubi/rma"
)

// fences count the operations of a rank that are open, and are those that wait for them.
// Operations may complete in any order.
type fences struct {
	mbc.FenceCounter
	waiting fifo[fence]
}

// fence is a Fence under way.
type fence struct{ op, ticket uint32 }

// Fence implements rma.Process. What the rank starts and what is complete is counted by the
// interface, or by a processor that its interface tells, which takes no time.
func (r *rank) Fence() (rma.Op, error) {
	ticket := r.fences.Barrier()
	if r.fences.Passed(ticket) {
		return 0, nil
	}
	id, op := r.c.numberOp(r)
	r.fences.waiting.push(fence{id, ticket})
	return op, nil
}

// endFences completes fences that have nothing left to wait for.
func (r *rank) endFences() {
	for f := &r.fences; f.waiting.len() > 0 && f.Passed(f.waiting.front().ticket); {
		r.c.tellComplete(f.waiting.pop().op)
	}
}
