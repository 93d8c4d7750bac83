package fabric

import (
	"musubi/routing"
	"musubi/units"
)

// link is a directed link. Those that feed a source's own queue into its
// network interface have no cable and lie behind the real ones.
type link struct {
	free    units.Time // time at which the packet on it has left
	held    units.Time // time at which the packet that is read out of its buffers has left
	heldBy  uint32     // link to which that packet goes
	from    uint32     // input link of the packet on it
	cable   units.Time
	delay   units.Time    // from header leaving to readiness at the far end
	wakeAt  units.Time    // pending evWake, 0 if none
	tailAt  units.Time    // latest evTail that has been pushed
	wanting uint64        // virtual channels whose first packet wants an output
	times   *[]units.Time // by flits: how long it carries them
	need    int32         // StopGo: room that its sender must see to go; 0 with Credit
	node    int32         // node that it starts at
	bit     uint32        // of its first buffer in the masks of the outputs of the node that it ends at
	mask    uint32        // words of masks, one bit per (input, virtual channel) of node
	words   uint32
	turn    int32 // first bit to be served next
	endTurn uint8 // first virtual channel of its buffers to be served next
	final   bool  // it ends at an end point
	copied  bool  // packets have been copied out of its buffers, see readings

	busy units.Time // carrying flits so far
	load Load       // carried so far
}

// reading is the time at which a packet that is copied out of the buffers of a link last began to
// be read.
type reading struct {
	at units.Time
	of uint32
}

// node is a switch or an end point seen as one.
type node struct {
	inputs []uint32 // links that end here
}

// lane is the buffer of one virtual channel at the end of a link.
type lane struct {
	head, tail uint32 // packets whose header has been routed, in order
	room       int32  // flits neither reserved nor being drained
	wanted     int32  // least room that somebody upstream waits for; 0 if nobody
	drain      uint32 // packets leaving, or whose credits are under way
	lastDrain  uint32
	sent       uint32 // StopGo: packets on their way, of which the sender sees no effect yet
	lastSent   uint32
}

// drain is a packet that leaves a buffer, or goes into one, evenly from start to
// end.
type drain struct {
	start, end units.Time
	flits      int32
	next       uint32
}

type packet struct {
	path      routing.Path
	tailReady units.Time // earliest time for the tail to leave where it is
	out       uint32     // link that it wants; several if the switch has to look at it
	outLane   uint32     // lane that it wants; of a multicast that wants several, the first of its copies
	lane      uint32     // lane where the packet is, or where it arrives
	next      uint32     // in its lane, among copies, or in the list of free packets
	branch    uint32     // of a tree, that it takes or wants; 0 if it goes along none
	flits     int32
	pos       int32 // hops taken
	src, dst  int32 // end point * ports + port
	inVC      uint8 // on the link from the source
	outVC     uint8 // on the link to the destination
	base      uint8 // first virtual channel of its class
	class     uint8
	sent      bool // NotifySent
	header    bool // NotifyHeader
	way       way
	whole     bool // the next switch looks at it when its tail is there
	corrupt   bool

	tag                             uint64
	queued, entered, headAt, tailAt units.Time
}

// way is the direction of a packet: along a path or along a tree.
type way uint8

const (
	forth way = iota // along its path
	back             // along its path, the other way round
	down             // along a tree from its root, copied where it branches
	up               // along a tree to its root, combined where it branches
)
