package fabric

import (
	"fmt"
	"strings"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/engine"
	"musubi/topology"
	"musubi/units"
)

// Kinds of events. Kinds below Delivered belong to the fabric itself; it handles them inside Run.
// The others are reports to the devices, with the packet number in Event.A, and events that devices
// push for themselves.
const (
	// Delivered: the tail of a packet has reached its destination. The device
	// must Release the packet.
	Delivered uint32 = 16
	// Header: the header of a packet has reached its destination (only if
	// Packet.NotifyHeader).
	Header uint32 = 17
	// Sent: the tail of a packet has left its source (only if
	// Packet.NotifySent).
	Sent uint32 = 18
	// FirstDevice is the first kind that devices may use for themselves.
	FirstDevice uint32 = 32
)

// Flow is the flow control of a link.
type Flow string

// Flow controls.
const (
	// Credit: the sender counts the free space of each virtual channel's buffer, with the delay of
	// the cable, and starts a packet if it fits.
	Credit Flow = "credit"
	// StopGo: the receiver stops a virtual channel while its buffer has less room
	// than the largest packet and what arrives until the stop takes effect (Go &
	// Stop with slack buffers, RHiNET-2).
	StopGo Flow = "stop-go"
)

// Config describes a fabric. Latencies are one-way.
type Config struct {
	Net    *topology.Network
	Routes *routing.Routes
	// Choice lets packets choose as they go, in place of Routes; nil: it does not.
	Choice adaptive.Scheme

	Flit      units.Bytes // unit of flow control
	Rate      units.Rate  // of all links, unless LinkRates says otherwise
	LinkRates bool        // take rates from the topology's link speeds where known
	// Ports is the number of ports by which each end point is attached to its switch, each with
	// links and buffers of its own; 0: one. All ports take the paths of their end point. The flit
	// engine supports one only.
	Ports int

	Classes int         // classes of packets with virtual channels of their own, at least 1
	VCs     int         // virtual channels per class; class k uses VCs k*VCs to (k+1)*VCs-1
	Buffer  units.Bytes // input buffer per virtual channel, in switches and end points

	Flow      Flow
	MaxPacket int // flits of the largest packet

	Switch    units.Time // header arrival to readiness for the output link
	Cable     units.Time // between switches; also the delay of credits and stop signals
	HostCable units.Time // between end points and switches
	// LongCable is Cable between groups (topology.Network.Groups); 0: as others.
	LongCable units.Time

	// Errors is the probability of a wrong bit on a link, per bit of the flits. The
	// packet engine only; expected below 1.
	Errors float64
	Seed   uint64 // of the errors

	// Breaks: links may fail; see Breakable.
	Breaks bool

	Router Router // flit engine only

	Observer Observer // nil: nobody is told

	// Ahead is called behind each event that is taken off the queue, those of the fabric included, if it is not nil: whoever
	// handles the others can ask for the memory that they will need.
	Ahead func()
}

// Packet is a packet that a device hands to the fabric.
type Packet struct {
	Src, Dst     int // end points
	Out, In      int // port that it leaves by, and port that it arrives at
	Flits        int // length including header and tail
	Class        int
	Tag          uint64     // returned with the delivery, for the device's own use
	Ready        units.Time // the tail is not available for sending before; 0 means it is
	NotifySent   bool
	NotifyHeader bool
	// Back: the packet takes the path from Dst to Src backwards, each link against its direction
	// on the same virtual channel. The dependencies of such packets are the reversed dependencies
	// of the routes, and so have no cycle either; but a class must not mix both. The packet engine
	// only.
	Back bool
}

// Delivery describes a packet that has arrived.
type Delivery struct {
	Src, Dst int
	In       int // port that it has arrived at
	Flits    int
	Packets  int // of a Bulk; 0: it is a single packet
	Class    int
	Hops     int // links between switches
	Tag      uint64
	Queued   units.Time // handed to Send
	Entered  units.Time // header left the source
	Header   units.Time // header arrived
	Tail     units.Time // tail arrived
	Corrupt  bool       // a bit is wrong; see Config.Errors
	Tree     Tree       // the branch of a multicast by which it came; for a combined answer, the multicast
}

// Fabric carries packets between the end points of a network. It shares the event queue with the
// devices: the driver of the simulation calls Run until it returns an event for a device, handles
// that, and calls Run again.
type Fabric interface {
	// Send queues a packet at its source, behind those of its class sent before.
	// It returns the packet's number, which is valid until Release. It panics if
	// there is no path.
	Send(p Packet) uint32
	// Run handles the fabric's events until another event comes up, and returns that; it returns
	// false if no event is left or the limit has been reached first. It takes no event later than
	// limit from the queue.
	Run(limit units.Time) (engine.Event, bool)
	// Delivery describes a packet for which Delivered (or, but for Tail, Header)
	// has come up.
	Delivery(packet uint32) Delivery
	// Release frees the buffer that a delivered packet occupies at its
	// destination, and its number. Until then the packet holds back others.
	Release(packet uint32)
	// Traffic returns the counters since the beginning.
	Traffic() Traffic
	// Busy returns the time for which each link has been carrying flits: first the channels of the
	// network, then for each port of each end point the link to its switch and the link from it.
	// The slice belongs to the fabric.
	Busy() []units.Time
	// Carried returns what each link has carried so far, in the order of Busy. The slice belongs
	// to the fabric.
	Carried() []Load
	// Stuck returns nil while no packet is in the network, and otherwise why the packets there
	// cannot move. Call it when Run has run out of events.
	Stuck() *Deadlock
	// Conserved returns an error unless every packet has been delivered exactly
	// once and released, and every credit is back.
	Conserved() error
}

// Load is what a link has carried. A packet counts when it starts, and so do its flits where links
// take packets as a whole.
type Load struct{ Packets, Flits int64 }

// Traffic counts packets.
type Traffic struct {
	Sent      int64 // packets handed to the fabric; a multicast counts once for each target
	Delivered int64
	Combined  int64 // answers that ended in a switch; see Multicaster
	Lost      int64 // because links failed; see Breakable
	Hops      int64 // switches passed, summed over the packets delivered
}

// InjectionLink returns the position in Busy of the link from an end point to
// its switch, where end points have one port.
func InjectionLink(net *topology.Network, endPoint int) int { return net.Channels() + 2*endPoint }

// EjectionLink returns the position in Busy of the link from its switch to an
// end point, where end points have one port.
func EjectionLink(net *topology.Network, endPoint int) int { return net.Channels() + 2*endPoint + 1 }

// Hold is a virtual channel of a link whose buffer is full.
type Hold struct {
	Channel, VC int
	Packets     int // in the buffer at the end of the channel
	Src, Dst    int // end points of the first packet there
}

// Deadlock is the error of a simulation in which packets remain that can never
// move.
type Deadlock struct {
	Net     *topology.Network
	At      units.Time
	Packets int // in the network
	// Cycle lists the channels that wait for each other: the first packet of each needs room in
	// the next channel, and that of the last channel needs room in the first. It is empty if
	// packets wait for a device that does not take them.
	Cycle []Hold
}

func (d *Deadlock) Error() string {
	if len(d.Cycle) == 0 {
		return fmt.Sprintf("at %v %d packets are in the network and no device takes them", d.At, d.Packets)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock at %v with %d packets in the network: ", d.At, d.Packets)
	for i, h := range d.Cycle {
		if i > 0 {
			b.WriteString(" waits for ")
		}
		fmt.Fprintf(&b, "%s->%s vc %d", d.Net.SwitchName(d.Net.From(h.Channel).Switch), d.Net.SwitchName(d.Net.To(h.Channel).Switch), h.VC)
	}
	b.WriteString(" waits for the first")
	return b.String()
}

// vcs returns the number of virtual channels that the routing uses, and its name.
func (c *Config) vcs() (int, string) {
	if c.Choice != nil {
		return c.Choice.VCs(), c.Choice.Name()
	}
	return c.Routes.VCs, c.Routes.Algorithm
}

// CableOf returns the latency of a channel between switches.
func (c *Config) CableOf(channel int) units.Time {
	if groups := c.Net.Groups; c.LongCable > 0 && groups != nil && groups[c.Net.From(channel).Switch] != groups[c.Net.To(channel).Switch] {
		return c.LongCable
	}
	return c.Cable
}

// Validate checks what all engines need.
func (c *Config) Validate() error {
	vcs, name := c.vcs()
	switch {
	case vcs > c.VCs:
		return fmt.Errorf("routing %s uses %d virtual channels but the switches have %d per class", name, vcs, c.VCs)
	case c.Classes < 1 || c.Classes*c.VCs > 64:
		return fmt.Errorf("%d classes of %d virtual channels; expected 1 to 64 virtual channels in all", c.Classes, c.VCs)
	case c.Flit < 1 || c.Rate < 1 || c.MaxPacket < 1:
		return fmt.Errorf("flit of %v, link of %v, packets up to %d flits; all must be positive", c.Flit, c.Rate, c.MaxPacket)
	case c.Flow != Credit && c.Flow != StopGo:
		return fmt.Errorf("unknown flow control %q; known: %s, %s", c.Flow, Credit, StopGo)
	case c.Switch < 0 || c.Cable < 0 || c.HostCable < 0 || c.LongCable < 0:
		return fmt.Errorf("negative latency: switch %v, cable %v, host cable %v", c.Switch, c.Cable, c.HostCable)
	case !(c.Errors >= 0 && c.Errors < 1):
		return fmt.Errorf("errors with a probability of %v per bit; expected 0 or more, and less than 1", c.Errors)
	}
	return nil
}
