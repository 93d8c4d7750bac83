package machine

import (
	"musubi/units"
)

// Machine is a machine description with all parameters decoded. Each field with
// a tag is one parameter of the machine file; Parameters lists their values with
// kind and source.
type Machine struct {
	Name    string // as after --on
	Title   string // one line
	Summary string // a paragraph

	Network Network
	Link    Link
	Switch  Switch
	Router  Router
	Packet  Packet
	Host    Host
	Bus     Bus
	NIC     NIC
	LogGP   LogGP

	parameters []Parameter
}

// Network says which network and routing the machine has unless the user names
// others.
type Network struct {
	Model     string `param:"network.model"`    // "fabric", or "loggp" for a machine without one
	Topology  string `param:"network.topology"` // as after --topology
	Hosts     int    `param:"network.hosts"`    // per switch
	Routing   string `param:"network.routing"`
	Selection string `param:"network.selection"`
	VCs       int    `param:"network.vcs"`  // for the routing; 0: as it needs
	Form      string `param:"network.form"` // table form that routes must fit: "paths", "general", "rhinet2" or "infiniband"
}

// Link describes all links.
type Link struct {
	Flit      units.Bytes `param:"link.flit"`
	Rate      units.Rate  `param:"link.rate"`
	Speeds    bool        `param:"link.speeds"`     // take rates from the topology file where it has them
	Cable     units.Time  `param:"link.cable"`      // delay between switches
	HostCable units.Time  `param:"link.host_cable"` // delay between network interface and switch
}

// Switch describes the switches, for both fabric engines.
type Switch struct {
	Engine  string      `param:"switch.engine"` // "packet" or "flit"
	Flow    string      `param:"switch.flow"`   // "credit" or "stop-go"
	Classes int         `param:"switch.classes"`
	VCs     int         `param:"switch.vcs"` // per class
	Buffer  units.Bytes `param:"switch.buffer"`
	Latency units.Time  `param:"switch.latency"` // header in to header out
}

// Router holds what only the flit engine distinguishes. Its fields follow
// fabric.Router.
type Router struct {
}

// Packet describes the packet format.
type Packet struct {
	Payload  units.Bytes `param:"packet.payload"`  // largest amount of data
	Overhead int         `param:"packet.overhead"` // flits of header and tail
	Minimum  int         `param:"packet.minimum"`  // flits of the shortest data packet
	Reply    int         `param:"packet.reply"`    // flits of a reply or of a request to read
}

// Host gives what operations cost the processor.
type Host struct {
	Post    units.Time `param:"host.post"`     // hand a DMA command to the network interface
	PIO     units.Time `param:"host.pio"`      // write a packet without data to the network interface
	PIORate units.Rate `param:"host.pio_rate"` // and its data
	Poll    units.Time `param:"host.poll"`     // notice a change in memory
}

// Bus describes what lies between host memory and network interface.
type Bus struct {
	Rate   units.Rate `param:"bus.rate"`
	Setup  units.Time `param:"bus.setup"`  // per burst
	Duplex string     `param:"bus.duplex"` // "half": reads and writes share the rate; "full"
}

// NIC describes the network interface.
type NIC struct {
	Start      units.Time  `param:"nic.start"`       // DMA command to the first bus access
	PIOStart   units.Time  `param:"nic.pio_start"`   // packet written by the processor to its header on the link
	Staging    string      `param:"nic.staging"`     // "store": a packet is fetched whole before it is sent; "cut-through"
	Receive    units.Time  `param:"nic.receive"`     // header arrived to the first bus access
	Replies    bool        `param:"nic.replies"`     // a transfer is complete when its reply has arrived
	Reply      units.Time  `param:"nic.reply"`       // last data written to the reply's header on the link
	Complete   units.Time  `param:"nic.complete"`    // reply arrived to completion written to memory
	InFlight   int         `param:"nic.in_flight"`   // transfers under way per network interface
	PIOPayload units.Bytes `param:"nic.pio_payload"` // largest transfer by PIO; 0: none
}

// LogGP is the machine without a fabric (Alexandrov, Ionescu, Schauser and
// Scheiman, LogGP: incorporating long messages into the LogP model, 1995).
type LogGP struct {
	L units.Time `param:"loggp.L"` // latency
	O units.Time `param:"loggp.o"` // processor overhead per message, at either end
	G units.Time `param:"loggp.g"` // gap between messages
	// B is LogGP's G, the gap per byte, as its reciprocal.
	B units.Rate `param:"loggp.G"`
}

// Kind says where the value of a parameter comes from.
type Kind string

// Kinds of values.
const (
	Published  Kind = "published"  // stated in the source
	Derived    Kind = "derived"    // follows from stated values, by the rule in the note
	Calibrated Kind = "calibrated" // chosen so that the run named in the note gives a published result
	Assumed    Kind = "assumed"    // not stated anywhere; the note says why it is reasonable
	Chosen     Kind = "chosen"     // a default of this model, such as a topology, or set by the user
)

// Parameter is one value of a machine file.
type Parameter struct {
	Key    string // such as "switch.latency"
	Value  string // in the notation of package units
	Kind   Kind
	Source string
	Note   string
}

// Parameters returns all parameters in the order of the fields of Machine.
func (m *Machine) Parameters() []Parameter { return m.parameters }
