package rank

import (
	"fmt"
	"slices"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/rma"
)

// ops are the operations that a rank has started and not waited for. An rma.Op is
// the number of an entry plus one, and how often it has been used.
type ops struct {
	entries []operation
	free    []uint32
}

type operation struct {
	use  uint32 // goes up when the entry is used again
	open bool

	at     rma.Address
	bytes  int
	end    uint64 // in the ring to the target; 0 while not all is written there
	memory []byte // that the target copies from or to, or that answers are for

	pulls   bool // it is a pull by the ring that is not complete
	answers bool // complete when answers have come, not at end
	left    int  // bytes of answers to come
	silent  bool // the answer has no data
	layout  wire.Layout
	failed  wire.Report // that an answer tells, or that this rank has found
}

const useShift = 32

// start enters an operation.
func (o *ops) start(op operation) (uint32, rma.Op) {
	op.open = true
	var slot uint32
	if n := len(o.free); n > 0 {
		slot = o.free[n-1]
		o.free = o.free[:n-1]
		op.use = o.entries[slot].use + 1
		o.entries[slot] = op
	} else {
		slot = uint32(len(o.entries))
		o.entries = append(o.entries, op)
	}
	return slot, o.name(slot)
}

// name returns what an operation is called by the program.
func (o *ops) name(slot uint32) rma.Op {
	return rma.Op(o.entries[slot].use)<<useShift | rma.Op(slot+1)
}

// find returns an open operation, nil if it is none.
func (o *ops) find(op rma.Op) *operation {
	slot := uint64(uint32(op)) - 1
	if slot >= uint64(len(o.entries)) {
		return nil
	}
	e := &o.entries[slot]
	if !e.open || e.use != uint32(op>>useShift) {
		return nil
	}
	return e
}

// release forgets an operation that has been waited for.
func (o *ops) release(op rma.Op) {
	slot := uint32(op) - 1
	o.entries[slot] = operation{use: o.entries[slot].use}
	o.free = append(o.free, slot)
}

// isComplete reports whether there is nothing to wait for in an operation.
func (r *sender) isComplete(e *operation) bool {
	if e.answers {
		return e.left == 0 || e.failed.Code != 0
	}
	return e.end != 0 && r.out[e.at.Rank].way.IsDone(e.end)
}

// note keeps what a target says about what ends at a position of the way to it.
func (r *sender) note(target int, end uint64, failed wire.Report) {
	if r.ops.endsAt(target, end) {
		r.failures[position{target, end}] = failed
	} else {
		r.lost = failed.ExplainMessage(target)
	}
}

// endsAt reports whether an operation that nobody has waited for ends at a position
// of the ring to a target.
func (o *ops) endsAt(target int, end uint64) bool {
	return slices.ContainsFunc(o.entries, func(e operation) bool { return e.open && e.at.Rank == target && e.end == end })
}

// finish returns what has become of a complete operation.
func (r *sender) finish(op rma.Op, e *operation) error {
	var err error
	if failed := r.takeFailure(e); failed.Code != 0 {
		err = r.errorOf(failed, e.at, e.bytes)
	}
	r.ops.release(op)
	return err
}

// takeFailure returns what the target of a complete operation says about it.
func (r *sender) takeFailure(e *operation) wire.Report {
	if e.answers || e.failed.Code != 0 || len(r.failures) == 0 {
		return e.failed
	}
	where := position{e.at.Rank, e.end}
	failed := r.failures[where]
	delete(r.failures, where)
	return failed
}

func (r *Rank) Wait(op rma.Op) error {
	if op == 0 { // a rank whose polls stay idle comes here only, and takes no records while it holds a message
		r.releaseMessage()
		return nil
	}
	e := r.ops.find(op)
	if e == nil {
		return r.unknown(op)
	}
	if err := r.await(shm.InWait, func() bool { return r.isComplete(e) }); err != nil {
		return err
	}
	return r.finish(op, e)
}

func (r *Rank) Test(op rma.Op) (bool, error) {
	if op == 0 {
		r.releaseMessage()
		return true, nil
	}
	e := r.ops.find(op)
	if e == nil {
		return false, r.unknown(op)
	}
	if r.isComplete(e) { // no reason to look at everything; a program that does only that makes progress at times
		r.releaseMessage()
		r.progressAtTimes()
		return true, r.finish(op, e)
	}
	if err := r.look(); err != nil {
		return false, err
	}
	if !r.isComplete(e) {
		return false, nil
	}
	return true, r.finish(op, e)
}

func (r *sender) unknown(op rma.Op) error {
	return fmt.Errorf("rma: operation %#x is not one that rank %d has started and not waited for", uint64(op), r.number)
}
