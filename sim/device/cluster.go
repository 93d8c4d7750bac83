package device

import (
	"errors"
	"fmt"
	"strings"

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
	evResume   = fabric.FirstDevice + iota // rank A goes on
	evGenerate                             // end point A may generate a packet
	evJudge                                // the measurement of traffic begins or has ended
	evDone                                 // the completion is visible to the initiator
	evFetch                                // the next packet's data is to be read from memory; B is the rank that reads
	evInject                               // a packet of B bytes of data is ready for the link
	evWritten                              // C bytes of data of operation B, from packet A, have been written to memory
	evReply                                // a packet of role B is to be sent
	evArrive                               // LogGP: a message of B bytes has arrived
	evTake                                 // LogGP: the first message at rank A has its turn
	evCommand                              // a command has reached card A
	evFormed                               // the sender of card A has formed a packet
	evReady                                // the SWIF sends packet A
	evReceived                             // the SWIF has received packet A
	evPlace                                // the receiver of card A looks for room in a ring
	evStored                               // the receiver of card A has written a packet's data
	evNext                                 // the receiver of card A is free
	evStatus                               // the status of packet A has been written
	evTimeout                              // card A has waited for an acknowledgement from card B since C
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
	rankAt []int32 // rank on an end point, -1 if none

	model  model
	ops    []operation // by number; 0 is not used
	unused uint32      // first of the list of free operations
	packed []byte      // what is scattered at both ends, on its way
	usual  *nic.Config // of receive rings; nil until it is needed

	latency  *latencies
	traffic  *generator
	handled  int64
	finished int
	failure  error
}

// New builds a machine.
func New(cfg Config) (*Cluster, error) {
	c := &Cluster{cfg: cfg, m: cfg.Machine, ops: make([]operation, 1), latency: newLatencies()}
	c.ranks = make([]rank, len(cfg.Hosts))
	for i := range c.ranks {
		c.ranks[i] = rank{c: c, number: i}
	}
	if err := c.checkChosen(); err != nil {
		return nil, err
	}
	if c.m.Network.Model == "loggp" {
		c.model = newLogGP(c)
		return c, nil
	}
	c.rankAt = make([]int32, len(cfg.Net.EndPoints))
	for e := range c.rankAt {
		c.rankAt[e] = -1
	}
	share := make([]int, len(c.rankAt))
	for r, e := range cfg.Hosts {
		if e < 0 || e >= len(c.rankAt) {
			return nil, fmt.Errorf("rank %d is placed on host %d; the network has hosts 0 to %d", r, e, len(c.rankAt)-1)
		}
		if share[e]++; share[e] > c.m.RanksPerHost() {
			return nil, fmt.Errorf("%d ranks are placed on host %d; a network interface of machine %s serves %d", share[e], e, c.m.Name, c.m.RanksPerHost())
		}
		c.rankAt[e] = int32(r)
	}
	var err error
	c.fabric, err = newFabric(&cfg, &c.q)
	if c.m.Windows() {
		c.model = newWindows(c)
	} else {
		c.model = newDMA(c)
	}
	return c, err
}

// newFabric builds the fabric that a machine description asks for.
func newFabric(cfg *Config, q *engine.Queue) (fabric.Fabric, error) {
	m := cfg.Machine
	f := fabric.Config{
		Net: cfg.Net, Routes: cfg.Routes,
		Flit: m.Link.Flit, Rate: m.Link.Rate, LinkRates: m.Link.Speeds,
		Classes: m.Switch.Classes, VCs: m.Switch.VCs, Buffer: m.Switch.Buffer,
		Flow: fabric.Flow(m.Switch.Flow), MaxPacket: m.PacketFlits(m.Packet.Payload),
		Switch: m.Switch.Latency, Cable: m.Link.Cable, HostCable: m.Link.HostCable,
	}
	if m.Switch.Engine == "packet" {
		if len(cfg.Alternates) > 0 {
			return nil, errors.New("network.alternates collides with switch.engine = \"packet\", where all packets between two hosts take one path")
		}
		return fabric.NewPacket(f, q)
	}
	f.Router = router(&m.Router)
	f.Router.InOrder = !cfg.Unordered
	f.Router.Alternates, f.Router.Seed = cfg.Alternates, cfg.Seed
	if f.Router.Lanes == 0 && f.Routes.VCs <= f.VCs {
		f.Router.Lanes = f.VCs / f.Routes.VCs
		f.VCs = f.Routes.VCs
	}
	return fabric.NewFlit(f, q)
}

func router(r *machine.Router) fabric.Router {
	return fabric.Router{
		Switching: fabric.Switching(r.Switching), Lanes: r.Lanes, AnyHostVC: r.AnyHostVC,
		HoldSwitch: r.HoldSwitch, Iterations: r.Iterations,
		RoutingDelay: r.RoutingDelay, VCAllocDelay: r.VCAllocDelay, SwitchAllocDelay: r.SwitchAllocDelay,
		CrossbarDelay: r.CrossbarDelay, CreditDelay: r.CreditDelay,
	}
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
		r.co = engine.NewCoroutine(func(*engine.Coroutine) { r.err = program(r) })
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

// resume lets a rank go on until it blocks or returns.
func (c *Cluster) resume(r *rank) {
	if r.co.Resume() {
		return
	}
	c.finished++
	if err := r.co.Failure(); err != nil {
		r.err = err
	}
	if r.err != nil && c.failure == nil {
		c.failure = fmt.Errorf("rank %d: %w", r.number, r.err)
	}
}

// starved explains why ranks are left although no event is.
func (c *Cluster) starved() error {
	if d := c.deadlock(); d != nil {
		return d
	}
	var names []string
	for i := range c.ranks {
		if r := &c.ranks[i]; r.blocked != "" {
			names = append(names, fmt.Sprintf("rank %d in %s", i, r.blocked))
		}
	}
	err := fmt.Errorf("at %v nothing is under way, but these wait for ever: %s", c.q.Now(), some(names, ", "))
	for _, why := range []string{c.fullRings(), c.unheard()} {
		if why != "" {
			err = fmt.Errorf("%w; %s", err, why)
		}
	}
	return err
}

// deadlock returns why packets cannot leave the network, unless that is because
// receive rings are full.
func (c *Cluster) deadlock() error {
	if c.fabric == nil {
		return nil
	}
	if d := c.fabric.Stuck(); d != nil && (len(d.Cycle) > 0 || c.fullRings() == "") {
		return d
	}
	return nil
}

// some joins names, but not more than one cares to read.
func some(names []string, separator string) string {
	const shown = 4
	if len(names) <= shown {
		return strings.Join(names, separator)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], separator), len(names)-shown)
}

// conserved checks at the end of a run that nothing was lost or made up, nor is
// left in a deadlock or before a full ring.
func (c *Cluster) conserved() error {
	if c.q.Len() != 0 {
		return fmt.Errorf("device: %d events are left at the end of a run", c.q.Len())
	}
	if d := c.deadlock(); d != nil {
		return d
	}
	if full := c.fullRings(); full != "" {
		return fmt.Errorf("at %v all ranks have returned, but %s", c.q.Now(), full)
	}
	if c.fabric == nil {
		return nil
	}
	return c.fabric.Conserved()
}

// grown returns a list that has an element at index i.
func grown[T any](list []T, i uint32) []T {
	for int(i) >= len(list) {
		var zero T
		list = append(list, zero)
	}
	return list
}
