package device

import (
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// Run runs a program on every rank until all have returned. It returns the
// error of the first rank that failed, a *fabric.Deadlock, or an error that
// names ranks that wait for ever.
func (c *Cluster) Run(program func(rma.Process) error) error {
	if c.cfg.Unordered || len(c.cfg.Alternates) > 0 {
		return errors.New("device: a program needs packets in order; they cannot take any free lane or alternate routes")
	}
	for i := range c.ranks {
		r := &c.ranks[i]
		r.co = engine.NewCoroutine(func(*engine.Coroutine) { r.err = program(c.model.process(r)) })
		c.q.Push(engine.Event{Kind: evResume, A: uint32(i)})
	}
	defer func() {
		for i := range c.ranks {
			c.ranks[i].co.Stop()
		}
	}()
	if err := c.loop(); err != nil {
		return err
	}
	if c.finished < len(c.ranks) {
		return c.starved()
	}
	return c.conserved()
}

// loop handles events until none is left.
func (c *Cluster) loop() error {
	const between = 1 << 14 // events from one look at the outside world to the next
	for c.failure == nil {
		ev, ok := c.next()
		if !ok {
			break
		}
		c.handle(ev)
		if c.handled++; c.handled%between == 0 {
			if err := c.lookOutside(); err != nil {
				return err
			}
		}
	}
	return c.failure
}

func (c *Cluster) next() (engine.Event, bool) {
	if c.fabric == nil {
		return c.q.Pop()
	}
	return c.fabric.Run(units.Never)
}

func (c *Cluster) lookOutside() error {
	select {
	case <-c.cfg.Stop:
		return ErrInterrupted
	default:
	}
	if c.cfg.Progress != nil {
		p := Progress{Now: c.q.Now(), Events: c.q.Handled()}
		if c.traffic != nil {
			p.Until = c.traffic.end
		}
		c.cfg.Progress(p)
	}
	return nil
}

func (c *Cluster) handle(ev engine.Event) {
	switch ev.Kind {
	case evResume:
		if c.processors != nil && c.worksOn(ev.A) {
			return
		}
		c.resume(&c.ranks[ev.A])
	case evGenerate:
		c.traffic.generate(int(ev.A))
	case evJudge:
		c.traffic.judge()
	case fabric.Delivered:
		c.delivered(ev)
	default:
		c.model.handle(ev)
	}
}

// delivered hands a packet to whom it is for.
func (c *Cluster) delivered(ev engine.Event) {
	d := c.fabric.Delivery(ev.A)
	if c.traffic != nil {
		c.traffic.delivered(ev.A, d)
		return
	}
	c.latency.record(d)
	c.model.handle(ev)
}

// worksOn reports whether a rank has not had the processor for as long as its work takes,
// and sees to it that it goes on later. All begin at once: what they expose first is there
// before anything comes.
func (c *Cluster) worksOn(rank uint32) bool {
	if c.q.Now() == 0 {
		return false
	}
	end := c.processors[rank].ends(c.q.Now())
	if end == c.q.Now() {
		return false
	}
	c.q.Push(engine.Event{At: end, Kind: evResume, A: rank})
	return true
}

// resume lets a rank go on until it blocks or returns.
func (c *Cluster) resume(r *rank) {
	if r.co.Resume() {
		return
	}
	r.done = true
	c.finished++
	if err := r.co.Failure(); err != nil {
		r.err = err
	}
	if r.err != nil && c.failure == nil {
		c.failure = fmt.Errorf("rank %d: %w", r.number, r.err)
	}
}
