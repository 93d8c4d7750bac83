package host

import (
	"musubi/rma"
	"musubi/sim/fabric"
	"musubi/units"
)

// Observer is told what happens in a run, if Config names one.
type Observer interface {
	fabric.Observer
	// Begin tells that a rank begins a call, or something in it; End, that it ends what it has begun
	// last.
	Begin(rank int, what string, at units.Time)
	End(rank int, at units.Time)
	// Send is Begin for a call that sends a message, or asks for one. Messages are numbered from 1 on.
	Send(rank int, call string, to, bytes int, message uint64, at units.Time)
	// Refuse tells that the call failed before it had sent the message.
	Refuse(rank int, message uint64, at units.Time)
	// Arrive tells that all of a message is in the memory of a rank.
	Arrive(rank, from, bytes int, message uint64, at units.Time)
	// Stage tells of a stage in a part of the network interface of a node. It may be told before
	// it begins. Stages of a part may overlap.
	Stage(node int, part, stage string, from, to units.Time)
}

// begin tells whoever observes the run that a rank begins something.
func (r *Process) begin(what string) {
	if o := r.c.Observer; o != nil {
		r.inside++
		o.Begin(r.number, what, r.c.Clock.Now())
	}
}

// end tells that it ends what it has begun last.
func (r *Process) end() {
	if o := r.c.Observer; o != nil {
		r.inside--
		o.End(r.number, r.c.Clock.Now())
	}
}

// Tracer implements rma.Traced.
func (r *Process) Tracer() rma.Tracer {
	if r.c.Observer == nil {
		return nil
	}
	return observedCalls{r}
}

// observedCalls tells whoever observes the run which calls of a library a rank is in.
type observedCalls struct{ r *Process }

// Enter implements rma.Tracer.
func (c observedCalls) Enter(call string, _ units.Time) { c.r.begin(call) }

// Leave implements rma.Tracer.
func (c observedCalls) Leave(units.Time) { c.r.end() }

// suspendIn suspends a rank that is observed, inside something that has a name.
func (r *Process) suspendIn(what string) {
	r.begin(what)
	defer r.end() // the program may be stopped here
	r.co.Suspend()
}

// startObserved starts an operation of a rank that is observed.
func (r *Process) startObserved() (rma.Op, error) {
	q := &r.asked
	r.c.messages++
	q.message = r.c.messages
	r.inside++
	r.c.Observer.Send(r.number, q.Action.String(), int(q.Target), q.Bytes(), q.message, r.c.Clock.Now())
	defer r.end()
	op, err := r.c.Model.Start(r, q)
	if err != nil {
		r.c.Observer.Refuse(r.number, q.message, r.c.Clock.Now())
	}
	return op, err
}

// Arrived tells whoever observes the run that the data of a request has been written to memory.
func (c *Env) Arrived(initiator int32, q *Request) {
	if c.Observer == nil || q.message == 0 {
		return
	}
	from, to := initiator, q.Target
	if q.Action == Pull {
		from, to = to, from
	}
	c.Observer.Arrive(int(to), int(from), q.Bytes(), q.message, c.Clock.Now())
}

// TellStage tells whoever observes the run of a stage of a network interface.
func (c *Env) TellStage(node int32, part, stage string, from, to units.Time) {
	if c.Observer != nil && to > from {
		c.Observer.Stage(int(node), part, stage, from, to)
	}
}
