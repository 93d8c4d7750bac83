package fabric

import "musubi/routing"

// Switching is the part of a packet that must fit into the next buffer before its header may go
// there.
type Switching string

// Switching techniques of the flit engine.
const (
	// CutThrough: all of the packet (virtual cut-through). Buffers must hold the
	// largest packet.
	CutThrough Switching = "cut-through"
	// Wormhole: its header. A packet that is blocked stretches over several
	// switches.
	Wormhole Switching = "wormhole"
)

// Router holds the parameters of the flit engine's switches. Delays are in
// cycles; a cycle is the time of one flit on a link, or that over Speedup.
//
// The stages follow the input-queued router with virtual channels (Dally, Towles: Principles and
// Practices of Interconnection Networks, section 16.1): a header is routed, obtains a virtual
// channel of its output link, then bids for the crossbar as every flit does, and crosses it. Every
// flit spends the time by which Config.Switch exceeds the stages on arrival, before the first
// stage, so that packets that wait in a buffer do not pay it again. The zero value is thus a switch
// that spends its whole latency there: it does the rest in one cycle, which is what the packet
// engine models.
type Router struct {
	Switching Switching // CutThrough if empty

	// Lanes is the number of physical virtual channels for each of Config.VCs, each with a buffer
	// of its own; 0 means 1. A packet takes any of them that is free.
	Lanes int
	// InOrder keeps the packets from one end point to another in order: all take the same lane,
	// and on the links of end points the virtual channel of the routing. Without it packets
	// overtake each other where there is a choice.
	InOrder bool
	// AnyHostVC lets packets use all virtual channels of their class on the links from and to end
	// points, where routings do not distinguish them.
	AnyHostVC bool
	// HoldSwitch keeps a crossbar connection for one packet until its tail has
	// passed. With Wormhole the packet loses it when it cannot go on.
	HoldSwitch bool
	// Iterations of the switch allocator (iSLIP) per cycle; 0 means 1.
	Iterations int

	// Speedup is how many flits a port of the crossbar passes while a link carries one; 0 means 1. The
	// clock of switches is faster by that, and flits wait behind the crossbar for their link, in a queue
	// with room for as many as there are credits. It is kept to thousandths.
	Speedup float64

	// Alternates are further routes for the same network. A packet takes its path from
	// Config.Routes or one of these, each with the same probability, as oblivious multi-path
	// routing does. The caller must make sure that all of them together are free of deadlock.
	Alternates []*routing.Routes
	Seed       uint64 // of those choices

	RoutingDelay int // header at the front of its buffer to bid for a virtual channel
	// VCAllocDelay is the time from that bid to the bid for the crossbar. With 0 a
	// header does not bid for a virtual channel: it takes a free one when it is
	// granted the crossbar.
	VCAllocDelay     int
	SwitchAllocDelay int // bid for the crossbar to entering it; 0 means 1
	CrossbarDelay    int // crossbar to link
	CreditDelay      int // arrival of a credit to its use
}
