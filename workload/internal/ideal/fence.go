package ideal

import (
	"musubi/rma"
	"musubi/units"
)

// fence is a fence that waits for operations of which it is not known when they are
// complete.
type fence struct {
	op   *operation
	left int
	at   units.Time // when the others are complete
}

func (r *Member) Fence() (rma.Op, error) {
	f := &fence{at: r.w.now}
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
func (f *fence) passed(r *Member, at units.Time) {
	f.at = max(f.at, at)
	if f.left--; f.left == 0 {
		r.complete(f.op, f.at)
	}
}
