package flit

import (
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/units"
)

// none stands for no link, lane or packet.
const none = ^uint32(0)

// noVC stands for no virtual channel.
const noVC = 0xff

type switchNode struct {
	first uint32 // first link that ends here
	ports int32  // input ports, and output ports
}

// link is a directed link, with the state of the switch that it leaves and of the switch that
// it enters. What each flit needs comes first: there are many links.
type link struct {
	from, to        int32 // switches, -1 for an end point
	endPoint        int32 // at one end, -1 for a channel between switches
	outPort, inPort int32

	// As an output.
	heldBy    uint32   // link that has the crossbar to this one for a packet
	grantTurn int32    // input port to be served next
	vcTurn    uint8    // virtual channel to be given next, if taken at the crossbar
	free      uint64   // virtual channels that no packet holds
	wait      []uint32 // lanes whose header wants a virtual channel, in order of arrival

	// As an input.
	laneTurn   uint8  // virtual channel to be served next
	heldVC     uint8  // that has the crossbar for its packet
	acceptTurn int32  // output port to be preferred next
	bidding    uint64 // virtual channels that bid for the crossbar

	fly        int64       // cycles from crossbar grant to arrival in the lane
	back       int64       // cycles from a flit leaving a lane to the sender's use of the credit
	load       fabric.Load // carried so far
	line, next int64       // with a speed-up, in cycles of links: latency, and when it is free
	cable      units.Time
}

// laneState is the state of the first packet of a lane.
type laneState uint8

const (
	laneIdle    laneState = iota
	laneRouting           // its header is being routed
	laneWaiting           // its header wants a virtual channel
	laneGranted           // its header has been given one that it cannot use yet
	laneActive            // its flits go as they can
	laneSinking           // it is lost, and its flits are taken out as they come
)

// lane is one virtual channel of a link: the buffer at its end, and the sender's knowledge of
// it. Its fields lie so that they leave no gaps.
type lane struct {
	link   uint32
	vc     uint8
	state  laneState
	fresh  bool // the header of the first packet is still here
	again  bool // the first packet chooses again as long as it waits
	listed bool // in choice.waiting

	// The sender's side.
	stopped   bool
	asksStop  bool   // the receiver's side, with StopGo
	credits   int32  // free places
	owner     uint32 // lane whose packet holds this virtual channel
	grantTurn int32  // requester to be served next

	// The receiver's side.
	count      int32  // flits in the buffer
	left       int32  // flits of the first packet that have not left
	out        uint32 // link that the first packet takes
	outLane    uint32 // lane that it takes, none before it has been given one
	acceptTurn int32  // virtual channel to be preferred next
	wants      uint64 // virtual channels that it may take
	packets    ring   // of which the header has arrived and the tail has not left

	occupied   int32 // with StopGo: places in use
	unreleased int32 // at end points: packets delivered and not released
}

type packet struct {
	fabric.Delivery
	path    routing.Path
	src     int32
	dst     int32
	flits   int32
	hop     int32  // next of path
	base    uint8  // first of Config.VCs of its class
	outVC   uint8  // on the link to its destination, of its class
	inVC    uint8  // on the link from its source, of its class
	sent    bool   // NotifySent
	header  bool   // NotifyHeader
	spoilt  bool   // it is lost
	lane    uint32 // where it is delivered
	stored  int32  // flits that occupy the buffer there
	arrived int32  // flits
	ready   int64  // cycle in which the tail may leave the source
	next    uint32 // in the list of free packets

	// Of packets that choose.
	state, onward int32 // here, and after the hop that it has chosen
}
