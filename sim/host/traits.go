package host

import (
	"cmp"

	"musubi/nic/ring"
	"musubi/rma"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/units"
)

// Traits are what is known of the network interfaces of a machine before a run.
type Traits struct {
	RanksPerHost  int      // that a host may run; 0: one
	Limit         string   // parameter that says so; empty if none does
	Processes     int      // ranks that an interface is made for, which fill a host where nobody says more; 0: one
	Sharing       *Sharing // what ranks of a host share; nil: nothing but their interface
	Node          *Node    // what a node has; nil or without accelerators: hosts are nodes by themselves
	LoopsBack     bool     // what ranks of a host send each other passes no switch
	Engines       int      // ports of an end point, each with a link to the switch; 0: one
	MaxRanks      int      // that packets can name; 0: no limit
	RingPacket    int      // data of the largest packet for a receive ring, in bytes; 0: as much as a packet has, and its header can count
	RouteInHeader bool     // a packet has a flit for each switch that it passes
	// CheckRings fails if an interface has no room for what it needs to know of the
	// receive rings of a rank. Nil: it always has.
	CheckRings func(ring.Config) error

	Errors float64 // probability that a link inverts a bit

	// What programs choose their means by:
	BOTF     units.Bytes // largest transfer that the processor writes to the interface; 0: none
	InFlight int         // transfers under way; 0: no limit
	Windows  int         // of a host that it can write packets to; 0: it has no windows
	Cache    units.Bytes // of the processor; 0: not simulated
	Queues   bool        // interfaces have command queues
	Atomics  bool        // interfaces change words of memory
	Sequence int         // changes of words that one request can have; 0: it has one
	Guarded  bool        // interfaces check who accesses memory
	Bulks    int         // packets of the shortest messages that interfaces hand to a fabric as a whole, if that takes them; 0: none
	Barriers bool        // interfaces do barriers and reductions of one word
	Stages   bool        // Config.Stages is called
	Phantom  bool        // data is moved from memory to memory, so that it may be phantom
	// Multicasts reports whether interfaces know a manner of multicasts on a network. Nil:
	// they know none.
	Multicasts func(*topology.Network, rma.MulticastMethod) bool
}

// TraitsOf returns what is known of the network interfaces of a machine.
func TraitsOf(m *machine.Machine) Traits {
	t := entryOf(m).Traits(m)
	if t.Sharing != nil {
		t.RanksPerHost, t.Limit = t.Sharing.limit()
	}
	if t.Node != nil && t.Node.Accelerators > 0 {
		t.RanksPerHost, t.Limit = t.Node.perInterface(), "node.accelerators"
		t.Processes = t.RanksPerHost
	}
	t.RanksPerHost, t.Processes, t.Engines = max(t.RanksPerHost, 1), max(t.Processes, 1), max(t.Engines, 1)
	t.RingPacket = cmp.Or(t.RingPacket, min(int(m.Packet.Payload), ring.MaxData))
	return t
}
