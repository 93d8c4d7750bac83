package host

import (
	"musubi/internal/phantom"
	"musubi/internal/prefetch"
	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/machine"
	"musubi/topology"
)

// Env is what a model of network interfaces works in: the clock, the network between the
// nodes, and the ranks with their memory and operations.
type Env struct {
	Machine *machine.Machine
	Net     *topology.Network // nil on a machine without a fabric, as are routes and fabric
	Routes  *routing.Routes
	Hosts   []int // end point of each rank
	Seed    uint64

	Clock  *engine.Queue
	Fabric fabric.Fabric
	tagger fabric.Tagger // Fabric, or nil if it is none
	Ranks  []Process
	Nodes  int     // end points that ranks run on, numbered by their first rank
	NodeOf []int32 // of each rank
	NodeAt []int32 // on an end point, -1 if no rank runs there

	// Processors has one processor per rank, if the model lets ranks share theirs with others.
	Processors []Processor

	ranksAt  []int       // number of ranks on each node
	memories []memoryBus // of each node

	ops        Slab[operation] // by number
	numbers    uint32          // of operations so far
	unused     uint32          // first of the list of free operations
	areas      areaPool        // memory of receive rings that are empty
	packed     []byte          // what is scattered at both ends, on its way
	phantom    *phantom.Memory // of programs that run without bytes; else nil
	references *phantom.Memory // of messages whose data stays in constants; nil: there are none
	constants  constants       // of programs that run with bytes

	local        *Local  // that the model has; nil if it has none
	domainOf     []int32 // scale-up domain of each rank; nil if the machine has no nodes
	combinations combinations

	Traits  Traits
	groupOf []uint16
	Stages  func(Stage)
	// Observer is told what happens; nil: nobody is.
	Observer Observer
	messages uint64 // numbered for the observer so far
	latency  *latencies

	ahead   prefetch.Later // memory that is needed soon
	failure error
}

// Fail ends the run, unless it has failed before.
func (c *Env) Fail(err error) {
	if c.failure == nil {
		c.failure = err
	}
}

// TagOf returns the tag of a packet in the network.
func (c *Env) TagOf(packet uint32) uint64 {
	if c.tagger != nil {
		return c.tagger.Tag(packet)
	}
	return c.Fabric.Delivery(packet).Tag
}

// Signal is Signal of a fabric. It counts the packet.
func (c *Env) Signal(by fabric.Signaller, p fabric.Packet) (d fabric.Delivery, sent bool) {
	if d, sent = by.Signal(p); sent {
		c.latency.record(d)
	}
	return d, sent
}

// Group returns the process group of a rank.
func (c *Env) Group(rank int) uint16 {
	if c.groupOf == nil {
		return 1
	}
	return c.groupOf[rank]
}

// GoesOn reports whether a program will do something when some time has passed,
// whatever others do.
func (c *Env) GoesOn() bool {
	for i := range c.Ranks {
		if r := &c.Ranks[i]; !r.Done && r.blocked == "" {
			return true
		}
	}
	return false
}
