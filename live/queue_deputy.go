package live

import (
	"sync"
	"sync/atomic"
)

// deputy goes on with commands while the program computes, where others cannot do that for
// it: where processes may not copy from each other's memory, the process that has the data
// and the one that it is for each do their part. It sleeps unless it is asked, and leaves
// everything to the rank while that waits in a call.
type deputy struct {
	desk    *desk
	runner  *runner
	busy    atomic.Bool // so the rank cannot say that it has nothing to do
	stopped atomic.Bool
	running sync.WaitGroup
}

// engage starts the deputy, if there is something for it to do and it does not run yet.
func (r *rank) engage() error {
	if r.direct || r.commands.deputy != nil {
		return nil
	}
	desk := r.commands.desk
	d := &deputy{desk: desk, runner: newRunner(r, &desk.reached)}
	r.commands.deputy = d
	d.running.Go(d.run)
	return nil
}

func (d *deputy) run() {
	for seen := uint64(0); !d.stopped.Load(); {
		d.busy.Store(true)
		for events := d.desk.events.Load(); events != seen && d.desk.looks.Load() == 0; events = d.desk.events.Load() {
			seen = events
			d.runner.runAsked()
		}
		d.busy.Store(false)
		d.rest(seen)
	}
}

// rest sleeps until something happens that has not been seen. What happens while the rank
// looks is its business.
func (d *deputy) rest(seen uint64) {
	d.desk.rests.Store(1)
	if d.stopped.Load() || d.desk.events.Load() != seen && d.desk.looks.Load() == 0 {
		d.desk.rests.Store(0)
		return
	}
	futexWait(&d.desk.rests)
	d.desk.rests.Store(0)
}

// wakeDeputy lets the deputy of a rank look, if it sleeps and the rank does not look itself.
func (d *desk) wakeDeputy() {
	if d.looks.Load() == 0 && d.rests.Load() == 1 && d.rests.CompareAndSwap(1, 0) {
		futexWake(&d.rests)
	}
}

// isBusy reports whether the deputy, if there is one, has something to do.
func (d *deputy) isBusy() bool { return d != nil && d.busy.Load() }

// stop ends the deputy, if there is one.
func (d *deputy) stop() {
	if d == nil {
		return
	}
	d.stopped.Store(true)
	d.desk.rests.Store(0)
	futexWake(&d.desk.rests)
	d.running.Wait()
}

// lookAlone lets the deputy rest as long as the rank is in a call that waits.
func (c *commands) lookAlone() {
	if c.deputy != nil {
		c.desk.looks.Store(1)
	}
}

// lookNoMore ends that. The deputy is woken if there is something that the rank has not
// seen.
func (c *commands) lookNoMore() {
	if c.deputy == nil {
		return
	}
	c.desk.looks.Store(0)
	if c.desk.events.Load() != c.seen {
		c.desk.wakeDeputy()
	}
}
