package packet

import (
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/units"
)

// link is a directed link as its sender sees it. Those that feed a source's own queue into its
// network interface have no cable and lie behind the real ones. It has the size of a cache line, and
// so have the parts of other states that each hop needs: in large networks they are what it waits for.
type link struct {
	free     units.Time  // time at which the packet on it has left
	wakeAt   units.Time  // pending evWake, 0 if none
	requests uint64      // who wants it, one bit per (input, virtual channel) of its node; see isWide
	busy     units.Time  // carrying flits so far
	load     fabric.Load // carried so far
	from     uint32      // input link of the packet on it
	node     uint32      // node that it starts at
	turn     uint32      // first bit to be served next
	kind     uint16
	watched  bool // an evTail has been pushed for the packet on it
	isWide   bool // its requests have several words: requests is how many there are << countShift + the first word in Fabric.wide
}

// port is a directed link as the input port of the node that it ends at.
type port struct {
	held    units.Time // time at which the packet that is read out of its buffers has left
	wanting uint64     // virtual channels whose first packet wants an output
	heldBy  uint32     // link to which that packet goes
	bit     uint32     // of its first buffer in the requests for the outputs of its node
	endTurn uint8      // first virtual channel of its buffers to be served next
	copied  bool       // packets have been copied out of its buffers, see readings
}

// kind is what links have in common; networks have few kinds.
type kind struct {
	cable units.Time
	delay units.Time   // from header leaving to readiness at the far end
	times []units.Time // by flits: how long it carries them
	need  int32        // StopGo: room that its sender must see to go; 0 with Credit
	final bool         // it ends at an end point
}

// reading is the time at which a packet that is copied out of the buffers of a link last began to
// be read.
type reading struct {
	at units.Time
	of uint32
}

// node is a switch or an end point seen as one.
type node struct {
	inputs uint32 // links that end here begin there in Fabric.inputs
	bits   uint32 // of requests: inputs << shift
}

// lane is the buffer of one virtual channel at the end of a link.
type lane struct {
	drains     drainList // packets leaving, or whose credits are under way
	head, tail uint32    // packets whose header has been routed, in order
	room       int32     // flits neither reserved nor being drained
	wanted     int32     // least room that somebody upstream waits for; 0 if nobody
	_          [2]uint64
}

// drain is a packet that leaves a buffer, or goes into one, evenly from start to
// end.
type drain struct {
	start, end units.Time
	flits      int32
	next       uint32 // in Fabric.drains
}

// drainList is drains in the order of their times. It holds the first one itself, which mostly is the
// only one.
type drainList struct {
	first drain // no flits: the list is empty
	last  uint32
}

type packet struct {
	path      routing.Path
	tailReady units.Time // earliest time for the tail to leave where it is
	out       uint32     // link that it wants; several if the switch has to look at it
	outLane   uint32     // lane that it wants; of a multicast that wants several, the first of its copies
	lane      uint32     // lane where the packet is, or where it arrives
	next      uint32     // in its lane, among copies, or in the list of free packets
	flits     int32
	pos       int32 // hops taken
	inVC      uint8 // on the link from the source
	outVC     uint8 // on the link to the destination
	base      uint8 // first virtual channel of its class
	way       way
	sent      bool // NotifySent
	header    bool // NotifyHeader
	whole     bool // the next switch looks at it when its tail is there
	corrupt   bool

	// What follows lies in a cache line of its own.
	branch   uint32 // of a tree, that it takes or wants; 0 if it goes along none
	src, dst int32  // end point * ports + port
	class    uint8

	spoilt        bool  // it is lost, and no switch sends it on
	again         bool  // roaming: it chooses again if it finds no room
	state, onward int32 // roaming: here, and after the hop that it has chosen

	tag                             uint64
	queued, entered, headAt, tailAt units.Time
}

// way is the direction of a packet: along a path or along a tree.
type way uint8

const (
	forth   way = iota // along its path
	back               // along its path, the other way round
	down               // along a tree from its root, copied where it branches
	up                 // along a tree to its root, combined where it branches
	roaming            // as it chooses
	unread             // forth, from the first switch on; its path is being brought to the cache, see prefetchPath
)

// laneOf returns the lane of a virtual channel at the end of a link.
func (f *Fabric) laneOf(link, vc uint32) uint32 { return link<<(f.shift%32) + vc }

// linkOf returns the link that a lane is at the end of, and the place of an input among those of its node for a bit of requests.
func (f *Fabric) linkOf(at uint32) uint32 { return at >> (f.shift % 32) }

// vcOf returns the virtual channel of a lane, or of a bit of requests.
func (f *Fabric) vcOf(at uint32) uint32 { return at & f.mask }
