package workload

import (
	"musubi/rma"
	"musubi/units"
)

// idealFence is a fence that waits for operations of which it is not known when they are
// complete.
type idealFence struct {
	op   *idealOp
	left int
	at   units.Time // when the others are complete
}

func (r *idealRank) Fence() (rma.Op, error) {
	f := &idealFence{at: r.w.now}
	for _, op := range r.open {
		if op.at == units.Never {
			op.fences = append(op.fences, f)
			f.left++
		} else {
			f.at = max(f.at, op.at)
		}
	}
	id, op := r.newOp()
	f.op = op
	if f.left == 0 {
		op.at = f.at
	}
	return id, nil
}

// passed notes that one of the operations of a fence is complete at a time.
func (f *idealFence) passed(r *idealRank, at units.Time) {
	f.at = max(f.at, at)
	if f.left--; f.left == 0 {
		r.complete(f.op, f.at)
	}
}
