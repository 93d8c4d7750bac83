package queue

import (
	"context"
	"musubi/live/shm"
	"sync"
	"sync/atomic"
)

// progress is what goes on with commands while the program computes, where the others cannot do
// that for it: where processes may not copy from each other's memory, the process that
// has the data and the one that it is for each do their part; and puts to ranks of other
// groups, and from there, go over connections.
type progress struct {
	c     *Queues
	state *shm.Progress

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
	links   []*link // by rank
}

func newProgress(c *Queues) *progress {
	d := &progress{
		c: c, state: c.state, runner: newRunner(c, &c.state.Reached),
		begun: make(chan struct{}), room: make(chan struct{}, 1), links: make([]*link, c.job.Size()),
	}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// Begin lets what others want be done: the program has exposed what it exposes first.
func (d *progress) Begin() { d.begins.Do(func() { close(d.begun) }) }

// do does something in the name of the process.
func (d *progress) do(something func(x *runner)) {
	d.busy.Add(1)
	defer d.busy.Add(-1)
	d.mu.Lock()
	defer d.mu.Unlock()
	something(d.runner)
}

// engage lets the progress goroutine be asked by others of the group, if they may have to.
func (d *progress) engage() {
	if d.resting || len(d.c.near) < 2 || d.c.direct && !d.c.host.HasOthers() {
		return
	}
	d.resting = true
	d.running.Go(d.run)
}

// run does what the progress goroutine is asked for. It sleeps meanwhile, and leaves everything to the
// rank while that waits in a call.
func (d *progress) run() {
	for seen := uint64(0); d.ctx.Err() == nil; {
		d.do(func(x *runner) {
			for events := d.state.Events.Load(); events != seen && d.state.RankLooks.Load() == 0; events = d.state.Events.Load() {
				seen = events
				x.runAsked()
			}
		})
		d.rest(seen)
	}
}

// rest sleeps until something happens that has not been seen. What happens while the rank
// looks is its business.
func (d *progress) rest(seen uint64) {
	d.state.Sleeps.Store(1)
	if d.ctx.Err() == nil && (d.state.Events.Load() == seen || d.state.RankLooks.Load() == 1) {
		shm.FutexWait(&d.state.Sleeps, 1)
	}
	d.state.Sleeps.Store(0)
}

// awaitNotice waits for the place of a notice. It reports false if this process ends.
func (d *progress) awaitNotice(q *shm.Queue) bool {
	for !q.Admit() {
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
func (d *progress) makeRoom() {
	select {
	case d.room <- struct{}{}:
	default:
	}
}

// enter counts a goroutine that works for the progress goroutine. It reports false if that has ended.
func (d *progress) enter() bool {
	d.linksMu.Lock()
	defer d.linksMu.Unlock()
	if d.ctx.Err() != nil {
		return false
	}
	d.running.Add(1)
	d.linked.Store(true)
	return true
}

// Close ends all that the progress goroutine does.
func (d *progress) Close() {
	d.linksMu.Lock()
	d.stop()
	d.linksMu.Unlock()
	d.state.Sleeps.Store(0)
	shm.FutexWake(&d.state.Sleeps)
	d.running.Wait()
}

// lookAlone lets the progress goroutine rest as long as the rank is in a call that waits.
func (d *progress) lookAlone() {
	if d.resting {
		d.state.RankLooks.Store(1)
	}
}

// lookNoMore ends that. The progress goroutine is woken if there is something that the rank has not
// seen.
func (d *progress) lookNoMore(seen uint64) {
	if !d.resting {
		return
	}
	d.state.RankLooks.Store(0)
	if d.state.Events.Load() != seen {
		d.state.WakeProgress()
	}
}
