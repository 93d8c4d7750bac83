package host

import (
	"runtime/debug"

	"musubi/rma"
	"musubi/sim/engine"
)

// driver is a coroutine that carries out the loop of events. In the middle of an event it deals with what has come for a rank in
// place of the program of that rank, on its own stack, which is in the processor's cache. Where that takes time of the rank,
// beyond what errands do, the driver stays there, and another one goes on with the loop.
type driver struct {
	co      engine.Coroutine
	dropped bool // the rank is stopped that it stays with
}

// drivers take turns at the loop of events. Each that is not at it is idle, in the middle of an event with which it has nothing
// more to do than to go on, or stays with a rank.
type drivers struct {
	loop   func()
	faults bool // accesses to memory without bytes panic
	all    []*driver
	idle   []*driver
	at     *driver // that is at the loop, or was last
	next   *driver // to go on when that one has suspended itself; nil: one that is idle
}

// run carries out the loop of events. A panic there is one here, unless it is engine.ErrHorizon, which becomes the error.
func (d *drivers) run(faults bool, loop func() error) (err error) {
	d.loop, d.faults = func() { err = loop() }, faults
	for d.at = d.choose(); d.at.co.Resume(); d.at = d.choose() {
	}
	failure := d.at.co.Failure()
	if failure == nil {
		return err
	}
	if explained(failure) == engine.ErrHorizon {
		return engine.ErrHorizon
	}
	panic(failure)
}

// choose returns the driver that goes on.
func (d *drivers) choose() *driver {
	if x := d.next; x != nil {
		d.next = nil
		return x
	}
	if last := len(d.idle) - 1; last >= 0 {
		x := d.idle[last]
		d.idle = d.idle[:last]
		return x
	}
	x := new(driver)
	x.co.Init(func(*engine.Coroutine) {
		debug.SetPanicOnFault(d.faults)
		d.loop()
	})
	d.all = append(d.all, x)
	return x
}

// leaveTo lets another driver go on in place of this one.
func (d *drivers) leaveTo(x *driver) {
	own := d.at
	d.next, d.idle = x, append(d.idle, own)
	own.co.Suspend()
}

// stop ends all drivers.
func (d *drivers) stop() {
	for _, x := range d.all {
		x.co.Stop()
	}
}

// dropped is the panic value that unwinds what a driver does for a rank that is stopped.
type dropped struct{}

// pause suspends what runs for a rank.
func (r *Process) pause() {
	if r.driver == nil {
		r.co.Suspend()
		return
	}
	r.driver.stay()
}

// stay suspends a driver in the middle of what it does for a rank.
func (d *driver) stay() {
	d.co.Suspend()
	if d.dropped {
		panic(dropped{})
	}
}

// running returns the program of a rank, or the driver that deals with what has come in its place.
func (r *Process) running() *engine.Coroutine {
	if r.driver != nil {
		return &r.driver.co
	}
	return &r.co
}

// serve deals with what has come for a rank, and with what is there already when that is done. Then the rank waits for what comes
// next, or its program goes on.
func (c *Cluster) serve(r *Process) {
	e, d := &r.errand, c.drivers.at
	for {
		server := e.server
		e.server, r.driver = nil, d
		more, err, failure := d.tell(r, server)
		c.ahead.Ask()
		if d.dropped {
			d.dropped = false
			c.drivers.idle = append(c.drivers.idle, d)
			d.co.Suspend()
			return
		}
		r.driver = nil
		if failure != nil {
			c.endedBy(r, failure)
			return
		}
		if e.failed = err; !more || err != nil {
			break
		}
		e.server = server
		if e.stage != noErrand || !r.testNext() {
			return
		}
		if e.server == nil { // the errand has failed
			break
		}
	}
	c.goOn(r)
}

// tell tells the server of a rank what has come about. The failure is that it has panicked.
func (d *driver) tell(r *Process, s rma.Server) (more bool, err, failure error) {
	defer func() {
		if value := recover(); value != nil && value != any(dropped{}) {
			failure = d.co.Recovered(value)
		}
	}()
	more, err = r.tell(s)
	return more, err, nil
}

// dismiss ends what a driver does for a rank that is stopped.
func (r *Process) dismiss() {
	if d := r.driver; d != nil {
		r.driver, d.dropped = nil, true
		d.co.Resume()
	}
}
