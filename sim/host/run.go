package host

import (
	"errors"
	"fmt"
	"runtime/debug"

	"musubi/internal/phantom"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// Run runs a program on every rank until all have returned. It returns the
// error of the first rank that failed, a *fabric.Deadlock, or an error that
// names ranks that wait for ever.
func (c *Cluster) Run(program func(rma.Process) error) error {
	if c.Config.Unordered || len(c.Config.Alternates) > 0 {
		return errors.New("sim: a program needs packets in order; they cannot take any free lane or alternate routes")
	}
	c.begin(program, 0)
	defer c.drivers.stop()
	defer c.stop()
	if err := c.drivers.run(c.phantom != nil, c.loop); err != nil {
		return err
	}
	if c.finished < len(c.Ranks) {
		return c.starved()
	}
	return c.conserved()
}

// begin lets a program begin on every rank at a time.
func (c *Cluster) begin(program func(rma.Process) error, at units.Time) {
	for i := range c.Ranks {
		r := &c.Ranks[i]
		r.co.Init(func(*engine.Coroutine) {
			debug.SetPanicOnFault(c.phantom != nil)
			r.begin("program")
			defer r.end()
			r.err = program(c.Model.Process(r))
			r.settle()
		})
		c.Clock.Push(engine.Event{At: at, Kind: evResume, A: uint32(i)})
	}
}

// stop ends the programs that are still there.
func (c *Cluster) stop() {
	for i := range c.Ranks {
		c.Ranks[i].co.Stop()
	}
	for _, m := range []*phantom.Memory{c.phantom, c.references} {
		if m != nil {
			m.Free()
		}
	}
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
	if c.Fabric != nil {
		return c.Fabric.Run(units.Never)
	}
	ev, ok := c.Clock.Pop()
	c.Clock.PrefetchAhead(eventAhead)
	c.prefetch()
	c.prefetchLast()
	return ev, ok
}

func (c *Cluster) lookOutside() error {
	select {
	case <-c.Config.Stop:
		return ErrInterrupted
	default:
	}
	if c.Config.Progress != nil {
		p := Progress{Now: c.Clock.Now(), Events: c.Clock.Handled()}
		if c.traffic != nil {
			p.Until = c.traffic.end
		}
		c.Config.Progress(p)
	}
	return nil
}

func (c *Cluster) handle(ev engine.Event) {
	switch ev.Kind {
	case evResume:
		if c.Processors != nil && c.worksOn(ev.A) {
			return
		}
		c.resume(&c.Ranks[ev.A])
	case evAlarm:
		c.Ranks[ev.A].Touched()
	case evDomainShare, evDomainEnd, evDomainArrived, evDomainAsk:
		c.local.handle(ev)
	case evCombine:
		c.combine(ev.A)
	case evCombined:
		c.combined(ev.A)
	case evGenerate:
		c.traffic.generate(int(ev.A))
	case evMeasure:
		c.traffic.measure()
	case fabric.Delivered:
		c.delivered(ev)
	default:
		c.Model.Handle(ev)
	}
}

// delivered hands a packet to whom it is for.
func (c *Cluster) delivered(ev engine.Event) {
	d := c.Fabric.Delivery(ev.A)
	if c.traffic != nil {
		c.traffic.delivered(ev.A, d)
		return
	}
	c.latency.record(d)
	if len(c.combinations.all) > 0 && d.Tag >= combinedTag { // others may use all bits of their tags
		c.arrivedCombined(ev.A, d)
		return
	}
	c.Model.Handle(ev)
}

// worksOn reports whether a rank has not had the processor for as long as its work takes,
// and sees to it that it goes on later. All begin at once: what they expose first is there
// before anything comes.
func (c *Cluster) worksOn(rank uint32) bool {
	if c.Clock.Now() == 0 {
		return false
	}
	end := c.Processors[rank].ends(c.Clock.Now())
	if end == c.Clock.Now() {
		return false
	}
	c.Clock.Push(engine.Event{At: end, Kind: evResume, A: rank})
	return true
}

// resume lets a rank go on until it blocks or returns.
func (c *Cluster) resume(r *Process) {
	if r.Done { // it has been stopped
		return
	}
	switch {
	case r.errand.stage != noErrand && !r.goOn():
	case r.driver != nil:
		c.drivers.leaveTo(r.driver)
	case r.errand.server != nil:
		c.serve(r)
	default:
		c.goOn(r)
	}
}

// goOn lets the program of a rank go on until it blocks or returns.
func (c *Cluster) goOn(r *Process) {
	if !r.co.Resume() {
		c.ended(r)
	}
}

// Stop ends the program of a rank where it is blocked, as an operating system does that stops its
// process. What it has started goes on, and others may still access its memory.
func (r *Process) Stop() {
	if r.Done {
		return
	}
	r.co.Stop()
	r.dismiss()
	r.dropErrand()
	r.blocked, r.watching, r.waiting = "", false, 0
	r.c.ended(r)
}

// ended notes that the program of a rank has returned, or was stopped.
func (c *Cluster) ended(r *Process) { c.endedBy(r, r.co.Failure()) }

// endedBy is ended where the program, or the server in its place, may have panicked.
func (c *Cluster) endedBy(r *Process, failure error) {
	r.Done = true
	c.finished++
	if failure != nil {
		r.err = explained(failure)
	}
	if r.err != nil && c.failure == nil {
		c.failure = fmt.Errorf("rank %d: %w", r.number, r.err)
	}
}
