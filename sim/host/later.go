package host

import (
	"musubi/rma"
	"musubi/units"
)

// Deferrer is a model whose ranks can run ahead of their processors: Start does nothing but to keep the processor busy, and
// then to launch the operation, for which the program itself is not needed.
type Deferrer interface {
	// Occupies returns for how long starting an operation keeps the processor of a rank busy, or false if only Start can tell.
	Occupies(r *Process, q *Request) (units.Time, bool)
	// Launch begins an operation that NewOp has numbered, when the processor is free again.
	Launch(r *Process, q *Request, id uint32)
}

// StartNow is Start of a model whose ranks can run ahead, in the time that it takes.
func StartNow(d Deferrer, r *Process, q *Request, cost units.Time) rma.Op {
	r.Sleep(cost)
	id, op := r.c.NewOp(r)
	d.Launch(r, q, id)
	return op
}

// errand is what the event loop does for a rank in place of its program: it launches what the program has asked for when the
// processor is free, tests operations, and waits for an arrival. The program is not switched to meanwhile, as its stack is
// seldom in the processor's cache.
type errand struct {
	stage  stage
	id     uint32     // of the operation that is launched
	server rma.Server // that the arrival is for; nil: the program only waits for its processor
	op     rma.Op     // that is tested
	begin  units.Time // when it began to be blocked
	err    error      // of the server
}

// stage is what the event loop does next for a rank.
type stage uint8

const (
	noErrand  stage = iota // the program goes on
	launching              // the processor starts what has been asked for
	checking               // it looks whether an operation is complete
	watching               // it waits for an arrival
	noticing               // it has seen one, and knows it soon
)

var _ rma.Later = (*Process)(nil)

// RunsAhead implements rma.Later.
func (r *Process) RunsAhead() bool { return r.c.deferrer != nil && r.ready() == nil }

// IPushLater implements rma.Later.
func (r *Process) IPushLater(to int, data []byte, by rma.Mechanism) (rma.Op, bool) {
	q := r.ask(IPush, to)
	q.Local, q.By = data, by
	return r.startLater(q)
}

// startLater lets the processor start an operation, in a time that the program does not wait for.
func (r *Process) startLater(q *Request) (rma.Op, bool) {
	if r.check(q) != nil {
		return 0, false
	}
	cost, can := r.c.deferrer.Occupies(r, q)
	if !can || cost == 0 {
		return 0, false
	}
	id, op := r.c.NewOp(r)
	r.errand.stage, r.errand.id = launching, id
	r.wakeAfter(cost)
	return op, true
}

// Settle implements rma.Later.
func (r *Process) Settle() { r.settle() }

// settle waits until the processor has come to what the program has asked for.
func (r *Process) settle() {
	if r.errand.stage != noErrand {
		r.pause()
	}
}

// Serve implements rma.Later.
func (r *Process) Serve(s rma.Server) (a rma.Arrival, served bool, err error) {
	e := &r.errand
	e.server = s
	if e.stage != noErrand || !r.testNext() {
		r.co.Suspend()
	}
	if e.server == nil { // a servant has dealt with all arrivals, or a test has failed
		err = e.err
		e.err = nil
		return rma.Arrival{}, true, err
	}
	e.server = nil
	return r.takeRecord(), false, nil
}

// goOn takes the next steps of an errand, when an event says that a rank goes on. It reports whether that is the end, so that
// its program goes on.
func (r *Process) goOn() bool {
	if r.awaiting.tests != nil {
		return r.awaitOn()
	}
	switch e := &r.errand; e.stage {
	case launching:
		r.c.deferrer.Launch(r, &r.asked, e.id)
		if e.server == nil {
			return r.endErrand()
		}
		return r.testNext()
	case checking:
		return r.endTest()
	case watching:
		r.idle += r.c.Clock.Now() - e.begin
		r.blocked = ""
		if !r.inbox.rx.Pending() {
			return r.watchOn()
		}
		r.Looked = r.c.Clock.Now()
		return r.notice(r.looking.Rest())
	}
	return r.endErrand()
}

// testNext tests the next operation. Behind the last one it looks for an arrival.
func (r *Process) testNext() bool {
	e := &r.errand
	if e.op = e.server.NextTest(); e.op == 0 {
		return r.lookForNext()
	}
	e.stage = checking
	if once := r.c.Model.Completion().Once(); once > 0 {
		r.wakeAfter(once)
		return false
	}
	return r.endTest()
}

// endTest ends a test when the processor has looked.
func (r *Process) endTest() bool {
	e := &r.errand
	if e.err = e.server.Tested(r.tested(e.op)); e.err != nil {
		e.server = nil
		return r.endErrand()
	}
	return r.testNext()
}

// lookForNext looks for an arrival, and waits for it if there is none.
func (r *Process) lookForNext() bool {
	switch look := r.c.Model.Arrival(); {
	case r.inbox.seen:
		return r.endErrand()
	case r.inbox.rx.Pending():
		return r.notice(look.Once())
	default:
		r.Look(look)
		return r.watchOn()
	}
}

// watchOn blocks until something is written.
func (r *Process) watchOn() bool {
	r.errand.stage, r.errand.begin = watching, r.c.Clock.Now()
	r.watching, r.blocked = true, "Next"
	return false
}

// notice ends an errand as soon as the processor knows what it has seen.
func (r *Process) notice(after units.Time) bool {
	if after == 0 {
		return r.endErrand()
	}
	r.errand.stage = noticing
	r.wakeAfter(after)
	return false
}

func (r *Process) endErrand() bool {
	r.errand.stage = noErrand
	return true
}

// dropErrand ends the errand of a rank that is stopped. What has not been launched never is.
func (r *Process) dropErrand() {
	if r.errand.stage == launching {
		r.fences.Acked(r.c.ops.At(r.errand.id).epoch)
		r.c.FreeOp(r.errand.id)
	}
	r.errand = errand{}
}
