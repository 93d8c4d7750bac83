package machine

import "musubi/units"

// Machine is a machine description with all parameters decoded. Each field with
// a param tag is one parameter of the machine file; Parameters lists their
// values with kind and source.
//
// A choice tag lists the values that a text may have. A zero tag says what zero
// means and that a file may leave the key out; all others of the machine's model
// must be there.
type Machine struct {
	Name    string // as after --on
	Title   string // one line
	Summary string // a paragraph
	Base    string // built-in machine that the file changes; "": none

	Network Network
	Link    Link
	Switch  Switch
	Router  Router
	Packet  Packet

	Interface Interface
	// Tables that several models of network interfaces have in common:
	Host Host
	Bus  Bus
	NIC  NIC
	// What programs and libraries do with them.
	Software Software

	Ring Ring

	sections   []Section // of all models, in the order of models
	parameters []Parameter
}

// Network says which network and routing the machine has unless the user names
// others.
type Network struct {
	Model     string `param:"network.model"`                                         // "fabric", or a model of network interfaces that needs none
	Topology  string `param:"network.topology"`                                      // as after --topology
	Hosts     int    `param:"network.hosts" zero:"the usual number of the topology"` // per switch
	Routing   string `param:"network.routing"`
	Selection string `param:"network.selection"`
	VCs       int    `param:"network.vcs" zero:"as many as the routing needs"` // for the routing; 0: as it needs
	// Alternates is the number of paths from which each packet of open-loop traffic
	// takes one at random; packets of programs keep to one, and so in order.
	Alternates int `param:"network.alternates" zero:"one path per pair"`
	// Bias is by how many flits, times hops, the queue of the shortest way may be longer before a packet
	// takes a detour, with a routing that chooses.
	Bias int `param:"network.bias" zero:"none"`
	// Detection is how long it takes from a failure, or the end of one, until new routes are in use, and
	// Timeout for how long a source waits until it sends a packet again that has been lost.
	Detection units.Time `param:"network.detection" zero:"100us"`
	Timeout   units.Time `param:"network.timeout" zero:"50us"`
	MTBF      units.Time `param:"network.mtbf" zero:"links do not fail at random"`        // mean time between failures, of each link between switches
	MTTR      units.Time `param:"network.mttr" zero:"they do not heal"`                   // mean time until such a link heals
	Form      string     `param:"network.form" choice:"paths,general,rhinet2,infiniband"` // table form that routes must fit: "paths", "general", "rhinet2" or "infiniband"
}

// Link describes all links.
type Link struct {
	Flit      units.Bytes `param:"link.flit"`
	Rate      units.Rate  `param:"link.rate"`
	Speeds    bool        `param:"link.speeds" zero:"all links have link.rate"` // take rates from the topology file where it has them
	Cable     units.Time  `param:"link.cable"`                                  // delay between switches
	HostCable units.Time  `param:"link.host_cable"`                             // delay between network interface and switch
	LongCable units.Time  `param:"link.long_cable" zero:"as link.cable"`        // delay between switches of two groups of a dragonfly
}

// Switch describes the switches, for all engines.
type Switch struct {
	Engine  string      `param:"switch.engine" choice:"packet,flit,flow"` // "packet", "flit" or "flow"
	Flow    string      `param:"switch.flow" choice:"credit,stop-go"`     // "credit" or "stop-go"
	Classes int         `param:"switch.classes"`
	VCs     int         `param:"switch.vcs"` // per class
	Buffer  units.Bytes `param:"switch.buffer"`
	Latency units.Time  `param:"switch.latency"` // header in to header out
}

// Router holds what only the flit engine distinguishes. Delays are in cycles; a
// cycle is the time of one flit on a link. Package fabric describes the stages.
type Router struct {
	Switching  string `param:"router.switching" choice:"cut-through,wormhole"`
	Lanes      int    `param:"router.lanes" zero:"switch.vcs over those of the routing"` // physical channels behind each of the routing's, with a buffer each
	AnyHostVC  bool   `param:"router.any_host_vc" zero:"as the routing says"`            // all virtual channels of the class on links of hosts
	HoldSwitch bool   `param:"router.hold_switch" zero:"flits compete one by one"`       // a crossbar connection lasts for a packet
	Iterations int    `param:"router.iterations" zero:"1"`                               // of the switch allocator, per cycle
	// Speedup is how many flits a port of the crossbar passes while a link carries one. The cycles of
	// the delays are shorter by that.
	Speedup float64 `param:"router.speedup" zero:"1"`

	RoutingDelay     int `param:"router.routing_delay" zero:"none"`   // header first in its buffer to bid for a channel
	VCAllocDelay     int `param:"router.vc_alloc_delay" zero:"none"`  // to bid for the crossbar
	SwitchAllocDelay int `param:"router.switch_alloc_delay" zero:"1"` // to entering the crossbar
	CrossbarDelay    int `param:"router.crossbar_delay" zero:"none"`  // to the link
	CreditDelay      int `param:"router.credit_delay" zero:"none"`    // arrival of a credit to its use
}

// Packet describes the packet format.
type Packet struct {
	Payload  units.Bytes `param:"packet.payload"`                   // largest amount of data
	Overhead int         `param:"packet.overhead"`                  // flits of header and tail
	Minimum  int         `param:"packet.minimum" zero:"no padding"` // flits of the shortest data packet
	Reply    int         `param:"packet.reply"`                     // flits of a reply or of a request to read
}

// Interface says how the network interfaces are modelled; the packages below sim/nic
// describe the models.
type Interface struct {
	Model string `param:"interface.model" zero:"the first model that is registered"`
}

// Host gives what operations cost the processor. A rate of zero is no limit.
type Host struct {
	Post    units.Time `param:"host.post"`                      // hand a DMA command to the network interface
	PIO     units.Time `param:"host.pio" zero:"takes no time"`  // write a packet without data to the network interface
	PIORate units.Rate `param:"host.pio_rate"`                  // and its data
	Poll    units.Time `param:"host.poll"`                      // notice a change in memory
	Copy    units.Rate `param:"host.copy" zero:"takes no time"` // copy within memory
}

// Bus describes what lies between host memory and network interface. A rate of
// zero is no limit.
type Bus struct {
	Rate   units.Rate  `param:"bus.rate"`
	Setup  units.Time  `param:"bus.setup" zero:"takes no time"`                     // per burst
	Burst  units.Bytes `param:"bus.burst" zero:"what lies in one piece is a burst"` // the largest
	Duplex string      `param:"bus.duplex" choice:"half,full"`                      // "half": reads and writes share the rate; "full"
	// From the bus through the host's chipset to memory or the processor, or back. Others use the bus
	// meanwhile.
	Latency units.Time `param:"bus.latency" zero:"takes no time"`
}

// NIC describes the network interface.
type NIC struct {
	Start      units.Time  `param:"nic.start"`                              // DMA command to the first bus access
	PIOStart   units.Time  `param:"nic.pio_start" zero:"takes no time"`     // packet written by the processor to its header on the link
	Staging    string      `param:"nic.staging" choice:"store,cut-through"` // "store": a packet is fetched whole before it is sent; "cut-through"
	Receive    units.Time  `param:"nic.receive"`                            // header arrived to the first bus access
	Replies    bool        `param:"nic.replies"`                            // a transfer is complete when its reply has arrived
	Reply      units.Time  `param:"nic.reply"`                              // last data written to the reply's header on the link
	Complete   units.Time  `param:"nic.complete"`                           // reply arrived to completion written to memory
	InFlight   int         `param:"nic.in_flight"`                          // transfers under way per network interface; 0: no limit
	PIOPayload units.Bytes `param:"nic.pio_payload" zero:"no PIO"`          // largest transfer by PIO; 0: none
}

// Software describes what programs and libraries do on a host. With software.send or
// software.receive a library passes messages on by PUSH and PIO, and receive rings are not used
// for messages.
type Software struct {
	Mflops  int         `param:"software.mflops" zero:"computation is not timed"`                    // million operations of a program per second
	Send    units.Time  `param:"software.send" zero:"takes no time"`                                 // the library sends a message
	Receive units.Time  `param:"software.receive" zero:"takes no time"`                              // and takes one
	Eager   units.Bytes `param:"software.eager" zero:"every message waits until it is asked for"`    // longest message that is sent before the receiver asks for it
	PIO     units.Bytes `param:"software.pio" zero:"the processor writes only control words itself"` // longest that the library lets the processor write, with 8 bytes of length and number
}

// HasLibrary reports whether a library passes messages on.
func (s *Software) HasLibrary() bool { return s.Send > 0 || s.Receive > 0 }

// Ring describes the receive rings that IPUSH appends to.
type Ring struct {
	Area    units.Bytes `param:"ring.area" zero:"4MiB"`                      // memory of each process, unless its program or the user divides it otherwise
	Records int         `param:"ring.records" zero:"4096"`                   // arrivals that the status ring of a process holds
	Full    string      `param:"ring.full" choice:"stall,nack" zero:"stall"` // what becomes of a packet that finds no room: "stall": it waits, and holds back those behind it; "nack": it is sent again
	// EntryInPacket: the sender says which ring, and the receiver needs no AMT address
	// table.
	EntryInPacket bool       `param:"ring.entry_in_packet" zero:"the receiver looks the sender up in its AMT address table"`
	Manage        units.Time `param:"ring.manage" zero:"takes no time"` // per packet, to choose its place, beyond what a PUSH takes
}
