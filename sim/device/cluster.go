package device

import (
	"errors"

	"musubi/nic"
	"musubi/onesided"
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
	load(r *rank, a rma.Address, access *onesided.Layout, into []byte, as rma.Caching)
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
	// What only some models have; nil with the others.
	memoryBased *memoryBased // the same as model
	processors  []processor  // of each rank, with memory-based communication
	groups      *groups      // of interfaces that do barriers

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
