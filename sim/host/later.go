package host

import (
	"slices"

	"musubi/rma"
	"musubi/units"
)

// Deferrer is a model whose ranks can run ahead of their processors: Start does nothing but to keep the processor busy, and
// then to launch the operation, for which the program itself is not needed. A record takes no time to read.
type Deferrer interface {
	// Occupies returns for how long starting an operation keeps the processor of a rank busy, or false if only Start can tell.
	Occupies(r *Process, q *Request) (units.Time, bool)
	// Launch begins an operation that NewOp has numbered, when the processor is free again.
	Launch(r *Process, q *Request, id uint32)
	// Copies returns how many of some bytes that have come the processor copies next, and for how long that keeps it busy. Take
	// takes as long.
	Copies(r *Process, bytes int) (next int, takes units.Time)
}

// StartNow is Start of a model whose ranks can run ahead, in the time that it takes.
func StartNow(d Deferrer, r *Process, q *Request, cost units.Time) rma.Op {
	r.Sleep(cost)
	id, op := r.c.NewOp(r)
	d.Launch(r, q, id)
	return op
}

// errand is what the event loop does for a rank in place of its program: it launches what the program has asked for when the
// processor is free, tests operations, waits for an arrival or an operation, and takes what has arrived. The program is not
// switched to meanwhile, as its stack is seldom in the processor's cache.
type errand struct {
	stage   stage
	arrived bool       // it has come to an arrival, not to the operation that the server awaits
	done    bool       // what the test of that operation has said
	id      uint32     // of the operation that is launched
	later   []launch   // what the processor starts then, in order
	server  rma.Server // nil: the program only waits for its processor
	op      rma.Op     // that is tested, or awaited
	begin   units.Time // when it began to be blocked
	failed  error      // why the server is not called any more
	err     error      // of the test of the operation that the server awaits

	arrival rma.Arrival
	into    []byte // where its data goes
	left    int    // bytes of that which are to be copied
}

// launch is an operation that the processor starts when it has started those before.
type launch struct {
	asked Request
	id    uint32
	cost  units.Time // for how long that keeps it busy
}

// mostLaunches is how many launches wait at most. With one more the program waits.
const mostLaunches = 4

// stage is what the event loop does next for a rank.
type stage uint8

const (
	noErrand  stage = iota // the program goes on
	launching              // the processor starts what has been asked for
	checking               // it looks whether an operation is complete
	watching               // it waits for an arrival
	noticing               // it has seen one, and knows it soon
	copying                // it copies the data of an arrival
	seeking                // it waits for an arrival or an operation; see await_later.go
	seen                   // it has seen that one of them has come
	polled                 // it has looked for an arrival
	known                  // it knows whether there is one
	read                   // it has looked at the operation
)

var _ rma.Later = (*Process)(nil)

// RunsAhead implements rma.Later.
func (r *Process) RunsAhead() bool { return r.c.deferrer != nil && r.ready() == nil }

// IPushLater implements rma.Later.
func (r *Process) IPushLater(to int, data []byte, by rma.Mechanism) (rma.Op, bool) {
	q := r.askLater(IPush, to)
	q.Local, q.By = data, by
	return r.startLater(q)
}

// PullLater implements rma.Later.
func (r *Process) PullLater(from rma.Address, into []byte) (rma.Op, bool) {
	q := r.askLater(Pull, from.Rank)
	q.Address, q.Local = from, into
	return r.startLater(q)
}

// askLater is ask of an operation that may wait until those before are started.
func (r *Process) askLater(a Action, target int) *Request {
	e := &r.errand
	if e.stage != launching || len(e.later) == mostLaunches {
		return r.ask(a, target)
	}
	e.later = append(e.later, launch{})
	q := &e.later[len(e.later)-1].asked
	q.Action, q.Target, q.Address.Rank = a, int32(target), target
	return q
}

// startLater lets the processor start an operation that askLater has returned, in a time that the program does not wait for.
func (r *Process) startLater(q *Request) (rma.Op, bool) {
	e := &r.errand
	cost, can := units.Time(0), r.check(q) == nil
	if can {
		cost, can = r.c.deferrer.Occupies(r, q)
	}
	switch can = can && cost > 0; {
	case !can && q != &r.asked:
		e.later = e.later[:len(e.later)-1]
		fallthrough
	case !can:
		return 0, false
	}
	id, op := r.c.NewOp(r)
	r.c.ahead.Ask()
	if q != &r.asked {
		l := &e.later[len(e.later)-1]
		l.id, l.cost = id, cost
		return op, true
	}
	e.stage, e.id = launching, id
	r.wakeAfter(cost)
	return op, true
}

// launchNext lets the processor start the next operation, and reports whether there is one.
func (r *Process) launchNext() bool {
	e := &r.errand
	if len(e.later) == 0 {
		return false
	}
	next := e.later[0]
	r.asked, e.id = next.asked, next.id
	e.later = slices.Delete(e.later, 0, 1)
	r.wakeAfter(next.cost)
	return true
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
func (r *Process) Serve(s rma.Server) error {
	e := &r.errand
	for {
		e.server = s
		if e.stage != noErrand || !r.testNext() {
			r.co.Suspend()
		}
		if e.server == nil { // drivers have dealt with all that came, or the errand has failed
			err := e.failed
			e.failed = nil
			return err
		}
		e.server = nil
		if more, err := r.tell(s); !more || err != nil {
			return err
		}
	}
}

// tell tells a server what has come about.
func (r *Process) tell(s rma.Server) (more bool, err error) {
	e := &r.errand
	if e.arrived {
		e.arrived = false
		return s.Arrived(e.arrival)
	}
	err, e.err = e.err, nil
	return s.Ended(e.done, err)
}

// goOn takes the next steps of an errand, when an event says that a rank goes on. It reports whether that is the end, so that
// its program goes on.
func (r *Process) goOn() bool {
	switch e := &r.errand; e.stage {
	case launching:
		r.c.deferrer.Launch(r, &r.asked, e.id)
		switch {
		case r.launchNext():
			return false
		case e.server == nil:
			return r.endErrand()
		}
		return r.testNext()
	case checking:
		return r.endTest()
	case watching:
		r.wakeUp()
		if !r.inbox.rx.Pending() {
			return r.watchOn()
		}
		r.Looked = r.c.Clock.Now()
		return r.then(noticing, r.looking.Rest())
	case noticing:
		return r.takeNext()
	case copying:
		return r.copyOn()
	}
	return r.awaitOn()
}

// then goes on with a stage, after some time.
func (r *Process) then(s stage, after units.Time) bool {
	r.errand.stage = s
	if after == 0 {
		return r.goOn()
	}
	r.wakeAfter(after)
	return false
}

// testNext tests the next operation. Behind the last one it looks for what the server waits for.
func (r *Process) testNext() bool {
	e := &r.errand
	if e.op = e.server.NextTest(); e.op != 0 {
		return r.then(checking, r.c.Model.Completion().Once())
	}
	if e.op = e.server.Awaits(); e.op != 0 {
		return r.await()
	}
	return r.lookForNext()
}

// endTest ends a test when the processor has looked.
func (r *Process) endTest() bool {
	e := &r.errand
	if err := e.server.Tested(r.tested(e.op)); err != nil {
		return r.failErrand(err)
	}
	return r.testNext()
}

// lookForNext looks for an arrival, and waits for it if there is none.
func (r *Process) lookForNext() bool {
	switch look := r.c.Model.Arrival(); {
	case r.inbox.seen:
		return r.takeNext()
	case r.inbox.rx.Pending():
		return r.then(noticing, look.Once())
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

// wakeUp ends that an errand is blocked.
func (r *Process) wakeUp() {
	r.idle += r.c.Clock.Now() - r.errand.begin
	r.blocked = ""
}

// takeNext takes the next arrival, which is there.
func (r *Process) takeNext() bool {
	r.c.ahead.Ask()
	e := &r.errand
	e.arrival, e.arrived = r.nextRecord(), true
	if e.into = e.server.Room(e.arrival); e.into != nil {
		e.left = e.arrival.Bytes
	}
	return r.copyOn()
}

// copyOn goes on copying an arrival. It is taken when all of it is copied.
func (r *Process) copyOn() bool {
	e := &r.errand
	if e.left > 0 {
		n, takes := r.c.deferrer.Copies(r, e.left)
		e.left -= n
		return r.then(copying, takes)
	}
	if e.into != nil {
		r.Fetch(&r.inbox.taking, e.into)
		e.into = nil
	}
	if err := r.endTake(); err != nil {
		return r.failErrand(err)
	}
	return r.endErrand()
}

func (r *Process) endErrand() bool {
	r.errand.stage = noErrand
	return true
}

// failErrand ends an errand with an error, which Serve returns.
func (r *Process) failErrand(err error) bool {
	r.errand.server, r.errand.failed = nil, err
	return r.endErrand()
}

// dropErrand ends the errand of a rank that is stopped. What has not been launched never is.
func (r *Process) dropErrand() {
	if e := &r.errand; e.stage == launching {
		r.dropOp(e.id)
		for i := range e.later {
			r.dropOp(e.later[i].id)
		}
	}
	r.errand = errand{}
}

// dropOp forgets an operation that has not been launched.
func (r *Process) dropOp(id uint32) {
	r.fences.Acked(r.c.ops.At(id).epoch)
	r.c.FreeOp(id)
}
