package device

import (
	"errors"
	"fmt"

	"musubi/nic"
	"musubi/rma"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/units"
)

// ErrInterrupted is returned by a run that was stopped from outside.
var ErrInterrupted = errors.New("interrupted")

// Config says what is to be simulated.
type Config struct {
	Machine *machine.Machine
	// Net and Routes are nil on a machine without a fabric. The caller has verified
	// the routes.
	Net    *topology.Network
	Routes *routing.Routes
	// Alternates are used by RunTraffic beside Routes; see fabric.Router.
	Alternates []*routing.Routes
	// Unordered lets packets from one host to another overtake each other where
	// switches or Alternates give them a choice. Only RunTraffic does with that.
	Unordered bool
	// Hosts gives the end point of each rank; on a machine without a fabric only
	// its length counts.
	Hosts []int
	Seed  uint64
	// Rings gives the receive rings of each rank if the user has chosen them; else
	// nil.
	Rings []rma.Rings
	// Groups gives the process group of each rank; nil if there is but one.
	Groups []uint16
	// Stages is called for each step on the way of messages, if not nil, on machines
	// that have named steps.
	Stages func(Stage)
	// Progress is called now and then, if not nil.
	Progress func(Progress)
	// Stop ends the run with ErrInterrupted when it is closed.
	Stop <-chan struct{}
}

// Progress tells how far a run has come.
type Progress struct {
	Now    units.Time
	Until  units.Time // 0: not known
	Events int64
}

// Events of the devices. Unless stated otherwise A is an operation.
const (
	evResume    = fabric.FirstDevice + iota // rank A goes on
	evGenerate                              // end point A may generate a packet
	evJudge                                 // the measurement of traffic begins or has ended
	evDone                                  // the completion is visible to the initiator
	evFetch                                 // the next packet's data is to be read from memory
	evInject                                // a packet of B bytes of data is ready for the link
	evWritten                               // C bytes of data of operation B, from packet A, have been written to memory
	evReply                                 // a packet of role B, or frame A, is to be sent
	evChanged                               // a word is changed
	evArrive                                // LogGP: a message of B bytes has arrived
	evTake                                  // LogGP: the first message at rank A has its turn
	evCommand                               // a command has reached card A
	evFormed                                // the sender of card A has formed a packet
	evReady                                 // the SWIF sends packet A
	evReceived                              // the SWIF has received packet A
	evPlace                                 // the receiver of card A looks for room in a ring
	evStored                                // the receiver of card A has written a packet's data
	evNext                                  // the receiver of card A is free
	evStatus                                // the status of packet A has been written
	evTimeout                               // card A has waited for an acknowledgement from card B since C
	evStepped                               // the engine of port A has stepped over a NOP
	evLooped                                // a put of a queue comes to the rank that it is from, or frame A to its interface
	evTaken                                 // what a put of a queue asks for at its taker has been done
	evFired                                 // a gate of barrier channel A has been passed
	evCrossed                               // barrier packet A has come to a channel of the same node
	evTold                                  // the result is in the memory of the rank of barrier channel A
	evRequest                               // an interface takes the requests of an operation
	evRead                                  // the data of frame A is in the send ring
	evChecked                               // an interface has looked at frame A
	evAccessed                              // what frame A asks for has been done
	evServed                                // the operating system of end point A has done what was next in list B
	evMove                                  // migration A
	evRetry                                 // end point A has waited for an acknowledgement by the passage B since C
	evCastAgain                             // the same of frame A, which switches copy
)

// model is how the network interfaces of a machine carry out operations.
type model interface {
	// start takes an operation over from a rank, inside the call of its program, and
	// keeps the processor busy for as long as that takes.
	start(r *rank, q *request) (rma.Op, error)
	// handle handles an event of the network interfaces.
	handle(ev engine.Event)
	// window returns memory that ranks expose with ExposeWindow.
	window(r *rank, bytes int) ([]byte, error)
	// giveBack takes such memory of a rank back.
	giveBack(r *rank, bytes int)
	// useWindows limits the windows that a rank uses for BOTF.
	useWindows(r *rank, n int) error
	// finish keeps the processor busy with what is left to do for a complete operation
	// that a rank waits for.
	finish(r *rank, id uint32)
	// readRecord is the time to read a record of the status ring.
	readRecord() units.Time
	// take keeps the processor busy with copying an arrival out of the receive area,
	// and copies; without into it only gives the space back.
	take(r *rank, rec *nic.Record, into []byte, as rma.Caching)
	// load keeps the processor busy with copying exposed memory.
	load(r *rank, a rma.Address, access *nic.Access, into []byte, as rma.Caching)
	// released notes that there is more room in the rings of a rank.
	released(r *rank)
	// completion and arrival say how a processor sees that its own operation is
	// complete, and that others have written to its memory.
	completion() look
	arrival() look
}

// Cluster is one simulated machine, good for one run.
type Cluster struct {
	cfg    Config
	m      *machine.Machine
	q      engine.Queue
	fabric fabric.Fabric // nil with LogGP
	ranks  []rank
	nodes  int     // end points that ranks run on, numbered by their first rank
	nodeOf []int32 // of each rank
	nodeAt []int32 // on an end point, -1 if no rank runs there

	model model
	// With memory-based communication:
	pager      *memoryBased
	processors []processor // of each rank
	groups     *groups     // nil if interfaces do no barriers
	ops        []operation // by number; 0 is not used
	unused     uint32      // first of the list of free operations
	packed     []byte      // what is scattered at both ends, on its way
	usual      *nic.Config // of receive rings; nil until it is needed

	latency  *latencies
	traffic  *generator
	handled  int64
	finished int
	failure  error
}

// Run runs a program on every rank until all have returned. It returns the
// error of the first rank that failed, a *fabric.Deadlock, or an error that
// names ranks that wait for ever.
func (c *Cluster) Run(program func(rma.Process) error) error {
	if c.cfg.Unordered || len(c.cfg.Alternates) > 0 {
		return errors.New("device: a program needs packets in order; they cannot take any free lane or alternate routes")
	}
	for i := range c.ranks {
		r := &c.ranks[i]
		r.co = engine.NewCoroutine(func(*engine.Coroutine) { r.err = program(c.process(r)) })
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

// process returns a rank as its program sees it: with command queues where the machine
// has them, and barriers and atomics by its interface likewise.
func (c *Cluster) process(r *rank) rma.Process {
	d := c.commands()
	if d == nil {
		if c.pager != nil {
			return memoryRank{r, atomics{r}}
		}
		if c.m.Atomics() {
			return &atomicRank{r, atomics{r}}
		}
		return r
	}
	own := &commander{rank: r, d: d}
	switch changes := c.m.Atomics(); {
	case c.groups != nil && changes:
		return &atomicCollector{&collector{own, c.groups}, atomics{r}}
	case c.groups != nil:
		return &collector{own, c.groups}
	case changes:
		return &atomicCommander{own, atomics{r}}
	}
	return own
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
	case evFired, evCrossed, evTold:
		c.groups.handle(ev)
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
	if c.groups != nil && tagRole(d.Tag) == roleBarrier {
		c.fabric.Release(ev.A)
		c.groups.arrived(tagID(d.Tag))
		return
	}
	c.model.handle(ev)
}

// goesOn reports whether a program will do something when some time has passed,
// whatever others do.
func (c *Cluster) goesOn() bool {
	for i := range c.ranks {
		if r := &c.ranks[i]; !r.done && r.blocked == "" {
			return true
		}
	}
	return false
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

// grown returns a list that has an element at index i.
func grown[T any](list []T, i uint32) []T {
	for int(i) >= len(list) {
		var zero T
		list = append(list, zero)
	}
	return list
}
