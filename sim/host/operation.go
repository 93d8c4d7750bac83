package host

import (
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// operation is what a rank has asked for, from the call until it has waited for
// it. A model keeps what else it needs to know under the same number.
type operation struct {
	initiator  int32 // -1 if free
	generation uint32
	epoch      uint32 // of the fences of its initiator
	ofModel    bool   // the model has it; it is no fence
	complete   bool
	at         units.Time // when it was complete
	err        error
	next       uint32 // in the list of free operations
}

// Request is an operation as a rank asks for it. Its arguments are checked as far
// as that does not depend on the model.
type Request struct {
	Action  Action
	By      rma.Mechanism
	Target  int32
	Address rma.Address // not of kind ipush
	Local   []byte
	Match   *rma.Matching // of an IPush that is matched; else nil

	details *details // nil: none. Models keep very many requests, and few have any.
	message uint64   // number for the observer; 0 if there is none
}

// details is what few requests have.
type details struct {
	near, far rma.Layout
	word      Word
	steps     []Step
}

var noDetails details

func (q *Request) read() *details {
	if q.details == nil {
		return &noDetails
	}
	return q.details
}

// Near returns the layout of Local.
func (q *Request) Near() *rma.Layout { return &q.read().near }

// Far returns the layout of the target's memory.
func (q *Request) Far() *rma.Layout { return &q.read().far }

// Word returns the change of a word, of kind change.
func (q *Request) Word() *Word { return &q.read().word }

// Steps returns the changes of words of kind sequence.
func (q *Request) Steps() []Step { return q.read().steps }

// setLayouts sets the layouts of the target's memory and of Local.
func (q *Request) setLayouts(far, near *rma.Layout) {
	if !far.IsContiguous() || !near.IsContiguous() {
		q.details = &details{near: *near, far: *far}
	}
}

// kind of an operation.
type Action uint8

const (
	Push Action = iota
	Pull
	IPush
	Change // of a word
	Multicast
	Stop     // the process of the target
	Sequence // of changes of words
)

var kindNames = [...]string{Push: "Push", Pull: "Pull", IPush: "IPush", Change: "change of a word", Multicast: "multicast", Stop: "stop", Sequence: "sequence"}

func (k Action) String() string { return kindNames[k] }

// Bytes returns how many bytes the operation moves.
func (q *Request) Bytes() int {
	if near := q.Near(); !near.IsContiguous() {
		return near.Bytes()
	}
	return len(q.Local)
}

// NewOp numbers an operation of a rank, which fences wait for.
func (c *Env) NewOp(r *Process) (uint32, rma.Op) {
	id, op := c.NumberOp(r)
	o := c.ops.At(id)
	o.epoch, o.ofModel = r.fences.Issued(), true
	return id, op
}

// NumberOp numbers an operation. Numbers begin at 1 and are used again.
func (c *Env) NumberOp(r *Process) (uint32, rma.Op) {
	id := c.unused
	if id == 0 {
		c.numbers++
		id = c.numbers
		c.ops.New(id)
	} else {
		c.unused = c.ops.At(id).next
	}
	o := c.ops.At(id)
	*o = operation{generation: o.generation + 1, initiator: int32(r.number)}
	if c.unused != 0 {
		c.PrefetchOp(c.unused)
	}
	return id, rma.Op(o.generation)<<32 | rma.Op(id)
}

// findOp finds an operation that a rank may wait for.
func (c *Env) findOp(op rma.Op, r *Process) (uint32, error) {
	id := uint32(op)
	if id == 0 || id > c.numbers || c.ops.At(id).generation != uint32(op>>32) || int(c.ops.At(id).initiator) != r.number {
		return 0, fmt.Errorf("rma: operation %#x is not one that rank %d has open; an operation may be waited for once", uint64(op), r.number)
	}
	return id, nil
}

func (c *Env) FreeOp(id uint32) {
	o := c.ops.At(id)
	*o = operation{generation: o.generation, next: c.unused, initiator: -1}
	c.unused = id
}

// CompleteOp tells the initiator that an operation is over that newOp has numbered.
func (c *Env) CompleteOp(id uint32) {
	o := c.ops.At(id)
	r := &c.Ranks[o.initiator]
	if !r.fences.Acked(o.epoch) {
		c.Fail(fmt.Errorf("sim: an operation of rank %d is complete twice", r.number))
	}
	c.tellComplete(id)
	r.endFences()
}

// tellComplete wakes the initiator of an operation that is over if it waits for that.
func (c *Env) tellComplete(id uint32) {
	o := c.ops.At(id)
	o.complete, o.at = true, c.Clock.Now()
	r := &c.Ranks[o.initiator]
	if r.waiting == id {
		r.waiting = 0
		r.WakeAt(r.Sees())
	} else if r.awaitsOps {
		r.Touched()
	}
}

// FailOp notes the first thing that went wrong with an operation.
func (c *Env) FailOp(id uint32, err error) {
	if o := c.ops.At(id); o.err == nil {
		o.err = err
	}
}

// OpErr returns what went wrong with an operation first; nil if nothing has.
func (c *Env) OpErr(id uint32) error { return c.ops.At(id).err }

// unheard tells of an operation that has failed without its initiator having waited
// for it; empty if there is none.
func (c *Env) unheard() string {
	for id := range c.numbers {
		if o := c.ops.At(id + 1); o.err != nil {
			return fmt.Sprintf("rank %d has not waited for an operation that failed: %v", o.initiator, o.err)
		}
	}
	return ""
}

// Grown returns a list that has an element at index i, such as what a model keeps of the
// operation of that number.
func Grown[T any](list []T, i uint32) []T {
	for int(i) >= len(list) {
		var zero T
		list = append(list, zero)
	}
	return list
}
