package collective

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

// choices is the forced algorithm of each operation; nil: the default.
type choices [algorithm.ExScan + 1]*algorithm.Algorithm

// collectives is the state of the collective operations of a communicator.
type collectives struct {
	forced         choices
	chosen         *algorithm.Algorithm // of the last operation; nil: there was none
	nextTag        int32                // of the next operation
	nextPersistent int32                // of the next one that is persistent
	duplications   int                  // begun by IDup
	compared       uint64               // operations that the world has compared
	tuned          []tuned              // choices by measurements
	multicastSeen  bool                 // there has been an operation that multicast would have suited
	spare          []*Operation         // for operations to come
	running        *Operation           // that the program waits in; nil: none
}

// Plan prepares an operation: it checks the arguments of a rank and chooses an
// algorithm.
func (c *Comm) Plan(call string, kind algorithm.Operation, a *algorithm.Arguments) (*Operation, error) {
	r, err := c.Draft(call, kind)
	if err != nil {
		return nil, err
	}
	r.Arguments = *a
	return r.Plan()
}

// Draft returns an operation whose arguments are still to be filled in. Plan follows.
func (c *Comm) Draft(call string, kind algorithm.Operation) (*Operation, error) {
	if err := c.Check(call); err != nil {
		return nil, err
	}
	r := c.NewOperation(call)
	r.kind = kind
	return r, nil
}

// MakeRoom makes room for parts among the arguments.
func (r *Operation) MakeRoom(ins, outs int) {
	r.hasRoom = true
	r.Ins, r.Outs = r.C.job.rooms.take(ins), r.C.job.rooms.take(outs)
}

// Plan checks the arguments and chooses an algorithm. There is no operation if it fails.
func (r *Operation) Plan() (*Operation, error) {
	err := r.accept(&algorithm.Operations[r.kind])
	if err == nil {
		r.Algorithm, err = r.C.algorithm(r.Call, r.kind, &r.Arguments)
	}
	if err != nil {
		r.Recycle()
		return nil, err
	}
	r.C.collectives.chosen = r.Algorithm
	return r, nil
}

// accept fails if the arguments of this rank are wrong, whatever other ranks give.
func (r *Operation) accept(o *algorithm.Info) error {
	c := r.C
	if o.Rooted && (r.Root < 0 || r.Root >= c.Size()) {
		return c.Failf(fault.Root, r.Call, "root %d; there are ranks 0 to %d", r.Root, c.Size()-1)
	}
	if o.Lengths == nil {
		return nil
	}
	if err := o.Lengths(&r.Arguments, c.Rank(), c.Size()); err != nil {
		return c.Fail(fault.Count, r.Call, err)
	}
	return nil
}

// run plans an operation, starts it and waits for it.
func (c *Comm) run(call string, kind algorithm.Operation, a *algorithm.Arguments) error {
	r, err := c.Plan(call, kind, a)
	if err != nil {
		return err
	}
	return r.runNow()
}

// Run starts a planned operation and waits for it.
func (r *Operation) Run() error {
	if err := r.Agree(); err != nil {
		return err
	}
	if done, err := r.byNotes(); done {
		r.Recycle()
		return err
	}
	return r.runNow()
}

// runNow is Run of an operation that need not be compared, or has been.
func (r *Operation) runNow() error {
	e, running := r.C.Engine, &r.C.collectives.running
	e.TakeAnswers()
	whole := e.NewRequest()
	*running = r
	e.RunAhead()
	r.start(whole)
	_, err := e.End(whole)
	*running = nil
	return err
}

// Done returns which part of its steps this rank has taken in the blocking operation under way, from
// 0 to 1; 0 if there is none.
func (c *Comm) Done() float64 {
	r := c.collectives.running
	if r == nil {
		return 0
	}
	return r.Schedule.Done(int(r.next), r.parts, r.messages.Left)
}

// Begin starts a planned operation.
func (r *Operation) Begin() *core.Request {
	r.C.Engine.TakeAnswers()
	r.queueForNotes()
	whole := r.C.Engine.NewPooledRequest()
	r.start(whole)
	return whole
}

// BeginAs starts a planned operation with a PersistentTag. Ranks may start operations with different
// tags in any order. Where the world compares operations, ranks have called Agree when they have got the tag.
func (r *Operation) BeginAs(tag int32) *core.Request {
	if r.C.Checks() && r.C.job.witness == nil {
		said := r.said()
		r.comparison = comparisonOf(&said)
	}
	r.byMessages()
	whole := r.C.Engine.NewPooledRequest()
	r.startWith(whole, tag)
	return whole
}

// NeighbourPlan prepares an operation with neighbours, whose arguments have been checked.
func (c *Comm) NeighbourPlan(call string, by *algorithm.Algorithm, near *algorithm.Neighbours, a *algorithm.Arguments) *Operation {
	r := c.NewOperation(call)
	r.Arguments, r.Algorithm = *a, by
	r.Near = near
	return r
}
