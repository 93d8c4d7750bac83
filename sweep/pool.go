package sweep

import (
	"context"
	"sync"
	"time"
)

// Executor carries out runs.
type Executor interface {
	// Submit takes more runs. It does not wait for them.
	Submit(tasks []Task) error
	// Done tells of each run that has ended, once or more often.
	Done() <-chan Done
}

// Done is a run that has ended.
type Done struct {
	Key     string
	Outcome Outcome
	Seconds float64 // that it took
	Err     error   // why there is no outcome, and no more can be expected
}

// Pool carries out runs beside each other on this computer.
type Pool struct {
	ctx  context.Context
	run  Runner
	done chan Done

	mu    sync.Mutex
	more  *sync.Cond
	tasks []Task
}

// NewPool makes a pool with that many runs at a time. It ends with ctx.
func NewPool(ctx context.Context, workers int, run Runner) *Pool {
	p := &Pool{ctx: ctx, run: run, done: make(chan Done)}
	p.more = sync.NewCond(&p.mu)
	for range workers {
		go p.work()
	}
	context.AfterFunc(ctx, p.more.Broadcast)
	return p
}

// Submit implements Executor.
func (p *Pool) Submit(tasks []Task) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, tasks...)
	p.more.Broadcast()
	return nil
}

// Done implements Executor.
func (p *Pool) Done() <-chan Done { return p.done }

func (p *Pool) work() {
	for {
		t, ok := p.take()
		if !ok {
			return
		}
		select {
		case p.done <- Perform(p.ctx, p.run, t):
		case <-p.ctx.Done():
			return
		}
	}
}

// take waits for a task. It reports false when the pool has ended.
func (p *Pool) take() (Task, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.tasks) == 0 && p.ctx.Err() == nil {
		p.more.Wait()
	}
	if p.ctx.Err() != nil {
		return Task{}, false
	}
	t := p.tasks[0]
	p.tasks = p.tasks[1:]
	return t, true
}

// Perform carries a task out.
func Perform(ctx context.Context, run Runner, t Task) Done {
	start := time.Now()
	t.Scenario.Breakdown = t.Breakdown
	outcome, err := run(ctx, t.Scenario)
	return Done{Key: t.Key, Outcome: outcome, Seconds: time.Since(start).Seconds(), Err: err}
}
