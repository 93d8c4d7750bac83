package live

import (
	"context"
	"sync"
	"sync/atomic"
)

// deputy is what goes on with commands while the program computes, where the others cannot do
// that for it: where processes may not copy from each other's memory, the process that
// has the data and the one that it is for each do their part; and puts to ranks of other
// groups, and from there, go over connections.
type deputy struct {
	rank *rank
	desk *desk

	mu     sync.Mutex
	runner *runner

	begins  sync.Once
	begun   chan struct{} // closed when the program has made its first call
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
	resting bool // run is running, that is

	busy           atomic.Int32 // that many do something, so the rank cannot say that nothing is to be done
	sent, received atomic.Uint64
	linked         atomic.Bool   // goroutines of it serve connections, or have done
	room           chan struct{} // holds one when the place of a notice has become free

	linksMu sync.Mutex
	links   []*queueLink // by rank
}

func newDeputy(r *rank, desk *desk) *deputy {
	d := &deputy{
		rank: r, desk: desk, runner: newRunner(r, &desk.reached),
		begun: make(chan struct{}), room: make(chan struct{}, 1), links: make([]*queueLink, r.job.size()),
	}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// begin lets what others want be done: the program has exposed what it exposes first.
func (d *deputy) begin() { d.begins.Do(func() { close(d.begun) }) }

// do does something in the name of the process.
func (d *deputy) do(something func(x *runner)) {
	d.busy.Add(1)
	defer d.busy.Add(-1)
	d.mu.Lock()
	defer d.mu.Unlock()
	something(d.runner)
}

// engage lets the deputy be asked by others of the group, if they may have to.
func (d *deputy) engage() {
	if d.resting || len(d.rank.near) < 2 || d.rank.direct && d.rank.far == nil {
		return
	}
	d.resting = true
	d.running.Go(d.run)
}

// run does what the deputy is asked for. It sleeps meanwhile, and leaves everything to the
// rank while that waits in a call.
func (d *deputy) run() {
	for seen := uint64(0); d.ctx.Err() == nil; {
		d.do(func(x *runner) {
			for events := d.desk.events.Load(); events != seen && d.desk.looks.Load() == 0; events = d.desk.events.Load() {
				seen = events
				x.runAsked()
			}
		})
		d.rest(seen)
	}
}

// rest sleeps until something happens that has not been seen. What happens while the rank
// looks is its business.
func (d *deputy) rest(seen uint64) {
	d.desk.rests.Store(1)
	if d.ctx.Err() == nil && (d.desk.events.Load() == seen || d.desk.looks.Load() == 1) {
		futexWait(&d.desk.rests)
	}
	d.desk.rests.Store(0)
}

// wakeDeputy lets the deputy of a rank look, if it sleeps and the rank does not look itself.
func (d *desk) wakeDeputy() {
	if d.looks.Load() == 0 && d.rests.Load() == 1 && d.rests.CompareAndSwap(1, 0) {
		futexWake(&d.rests)
	}
}

// awaitNotice waits for the place of a notice. It reports false if this process ends.
func (d *deputy) awaitNotice(q *queueState) bool {
	for !q.admit() {
		select {
		case <-d.room:
		case <-d.ctx.Done():
			return false
		}
	}
	d.makeRoom() // another one may wait
	return true
}

// makeRoom lets those look again that wait for the place of a notice.
func (d *deputy) makeRoom() {
	select {
	case d.room <- struct{}{}:
	default:
	}
}

// enter counts a goroutine that works for the deputy. It reports false if that has ended.
func (d *deputy) enter() bool {
	d.linksMu.Lock()
	defer d.linksMu.Unlock()
	if d.ctx.Err() != nil {
		return false
	}
	d.running.Add(1)
	d.linked.Store(true)
	return true
}

// close ends all that the deputy does.
func (d *deputy) close() {
	d.linksMu.Lock()
	d.stop()
	d.linksMu.Unlock()
	d.desk.rests.Store(0)
	futexWake(&d.desk.rests)
	d.running.Wait()
}

// lookAlone lets the deputy rest as long as the rank is in a call that waits.
func (d *deputy) lookAlone() {
	if d.resting {
		d.desk.looks.Store(1)
	}
}

// lookNoMore ends that. The deputy is woken if there is something that the rank has not
// seen.
func (d *deputy) lookNoMore(seen uint64) {
	if !d.resting {
		return
	}
	d.desk.looks.Store(0)
	if d.desk.events.Load() != seen {
		d.desk.wakeDeputy()
	}
}
