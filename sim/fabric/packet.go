package fabric

import (
	"fmt"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/units"
)

// Events of the packet engine. A is a packet for evReady, else a link.
const (
	evReady uint32 = 1 + iota // a header has been routed and wants its output link
	evTail                    // a tail has left over a link that others wait for
	evWake                    // room that a link waits for has appeared
)

// PacketFabric is the packet engine: virtual cut-through, exact to the flit, at
// the cost of a few events per packet and switch.
//
// A link carries one packet at a time, and a switch reads one packet at a time
// out of the buffers of an input port; both are held from grant to tail. A
// packet is granted its output link when both are free and the buffer at the far
// end has room for all of it (Credit), or is not stopped (StopGo). From then on
// it cannot stall, so its tail time is known at once, and so is the time at
// which each of its flits frees room in the buffer that it leaves.
//
// Outputs serve the virtual channels of all inputs round-robin, and so do inputs
// theirs.
type PacketFabric struct {
	cfg      Config
	q        *engine.Queue
	shift    uint   // a link has 1<<shift lanes, at least one per virtual channel of all classes
	cap      int32  // flits per buffer
	links    []link // channels of the network, links of end points, queues of sources
	channels uint32
	lanes    []lane    // link << shift + vc: the buffer at the end of the link
	readings []reading // by link
	nodes    []node
	masks    []uint64 // requests for each link, see link.mask

	packets []packet
	unused  uint32 // first of the list of free packet numbers
	drains  []drain
	spare   uint32 // first of the list of free drains

	traffic   Traffic
	inNetwork int
	released  int64
	busy      []units.Time // for Busy, as carried for Carried
	carried   []int64

	trees      []tree
	freeTree   uint32 // first of the list of free trees
	lastTree   uint32 // generation given last
	branches   []branch
	freeBranch uint32   // first of the list of free branches
	seen       []uint32 // by end point and port: generation of the last tree that leads there

	noise noise
}

// link is a directed link. Those that feed a source's own queue into its
// network interface have no cable and lie behind the real ones.
type link struct {
	free    units.Time // when the packet on it has left
	held    units.Time // when the packet that is read out of its buffers has left
	heldBy  uint32     // link which that packet goes to
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

	busy  units.Time // carrying flits so far
	flits int64      // carried so far
}

// reading is when a packet that is copied out of the buffers of a link began to be
// read last.
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
	lane      uint32     // where it is or arrives
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

// way is how a packet goes.
type way uint8

const (
	forth way = iota // along its path
	back             // along its path, the other way round
	down             // along a tree from its root, copied where it branches
	up               // along a tree to its root, combined where it branches
)

// Send implements Fabric.
func (f *PacketFabric) Send(p Packet) uint32 {
	from, to := p.Src, p.Dst
	if p.Back {
		from, to = to, from
	}
	path := f.cfg.Routes.PathID(from, to)
	if path < 0 || uint(p.In) >= uint(f.cfg.Ports) {
		panic(fmt.Sprintf("fabric: no path or port for packet %+v", p))
	}
	in, out := f.cfg.Routes.HostVCs(path)
	id, q := f.admit(&p)
	q.path = f.cfg.Routes.PathByID(path)
	q.inVC, q.outVC = q.base+uint8(in), q.base+uint8(out)
	if p.Back {
		q.way, q.inVC, q.outVC = back, q.outVC, q.inVC
	}
	f.traffic.Sent++
	f.arrive(id)
	return id
}

// admit gives a packet a number and a place in the queue of its source.
func (f *PacketFabric) admit(p *Packet) (uint32, *packet) {
	ports := f.cfg.Ports
	if p.Flits < 1 || p.Flits > f.cfg.MaxPacket || p.Class < 0 || p.Class >= f.cfg.Classes || uint(p.Out) >= uint(ports) {
		panic(fmt.Sprintf("fabric: no port, class or length for packet %+v", *p))
	}
	id, q := f.number()
	now := f.q.Now()
	base := p.Class * f.cfg.VCs
	src := p.Src*ports + p.Out
	source := f.channels + 2*uint32(len(f.cfg.Net.EndPoints)*ports) + uint32(src)
	*q = packet{
		tag: p.Tag, queued: now, class: uint8(p.Class), pos: -1,
		src: int32(src), dst: int32(p.Dst*ports + p.In), flits: int32(p.Flits),
		lane: source<<f.shift + uint32(base), tailReady: max(now, p.Ready),
		base: uint8(base), sent: p.NotifySent, header: p.NotifyHeader,
	}
	return id, q
}

// number returns the number and the place of a packet that comes into the network.
func (f *PacketFabric) number() (uint32, *packet) {
	f.inNetwork++
	id := f.unused
	if id == 0 {
		id = uint32(len(f.packets))
		f.packets = append(f.packets, packet{})
	}
	p := &f.packets[id]
	f.unused = p.next
	return id, p
}

// forget frees the number of a packet that has left the network.
func (f *PacketFabric) forget(id uint32) {
	f.packets[id].next = f.unused
	f.unused = id
	f.inNetwork--
}

// Run implements Fabric.
func (f *PacketFabric) Run(limit units.Time) (engine.Event, bool) {
	for {
		ev := f.q.PopUntil(limit)
		if ev == nil {
			return engine.Event{}, false
		}
		switch ev.Kind {
		case evReady:
			f.arrive(ev.A)
		case evTail:
			f.tail(ev.A, ev.B)
		case evWake:
			if l := &f.links[ev.A]; l.wakeAt == ev.At {
				l.wakeAt = 0
				f.arbitrate(ev.A)
			}
		case Delivered:
			f.traffic.Delivered++
			f.traffic.Hops += int64(f.packets[ev.A].pos)
			return *ev, true
		default:
			return *ev, true
		}
	}
}

// arrive appends a packet whose header has been routed to its lane.
func (f *PacketFabric) arrive(id uint32) {
	p := &f.packets[id]
	if p.way != forth {
		f.arriveOther(id)
		return
	}
	f.aim(p)
	if f.append(p, id) {
		f.request(p.lane, p)
		f.arbitrate(p.out)
	}
}

// append appends a packet to its lane and tells whether it is the only one there.
func (f *PacketFabric) append(p *packet, id uint32) bool {
	l := &f.lanes[p.lane]
	p.next = 0
	if l.head != 0 {
		f.packets[l.tail].next = id
		l.tail = id
		return false
	}
	l.head, l.tail = id, id
	return true
}

// aim determines the link and the lane that a packet that goes forth wants next.
func (f *PacketFabric) aim(p *packet) {
	var vc uint8
	switch {
	case p.pos < 0:
		p.out, vc = f.channels+2*uint32(p.src), p.inVC
	case int(p.pos) < len(p.path):
		hop := p.path[p.pos]
		p.out, vc = uint32(hop.Channel()), p.base+uint8(hop.VC())
	default:
		p.out, vc = f.channels+2*uint32(p.dst)+1, p.outVC
	}
	p.outLane = p.out<<f.shift + uint32(vc)
}

// depart sends a packet on its way over a link that it has been granted.
func (f *PacketFabric) depart(id uint32, p *packet, l *link, tail units.Time) {
	now := f.q.Now()
	if f.noise.random != nil && f.noise.strikes(p.flits) {
		p.corrupt = true
	}
	if p.pos < 0 {
		p.entered = now
		if p.sent {
			f.q.Push(engine.Event{At: tail, Kind: Sent, A: id})
		}
	}
	p.pos++
	p.lane = p.outLane
	if l.final {
		p.headAt, p.tailAt = now+l.cable, tail+l.cable
		if p.header {
			f.q.Push(engine.Event{At: p.headAt, Kind: Header, A: id})
		}
		f.q.Push(engine.Event{At: p.tailAt, Kind: Delivered, A: id})
		return
	}
	p.tailReady = tail + l.delay
	ready := now + l.delay
	if p.whole {
		ready = p.tailReady
	}
	f.q.Push(engine.Event{At: ready, Kind: evReady, A: id})
}

// Delivery implements Fabric.
func (f *PacketFabric) Delivery(id uint32) Delivery {
	p := &f.packets[id]
	ports := f.cfg.Ports
	d := Delivery{
		Src: int(p.src) / ports, Dst: int(p.dst) / ports, In: int(p.dst) % ports, Flits: int(p.flits), Class: int(p.class), Hops: len(p.path), Tag: p.tag,
		Queued: p.queued, Entered: p.entered, Header: p.headAt, Tail: p.tailAt, Corrupt: p.corrupt,
	}
	if p.branch != 0 {
		d.Hops = int(p.pos) - 1
		d.Tree = f.treeOf(p.branch)
	}
	return d
}

// Release implements Fabric.
func (f *PacketFabric) Release(id uint32) {
	p := &f.packets[id]
	now := f.q.Now()
	f.drainFrom(p.lane, drain{start: now, end: now, flits: p.flits})
	if p.branch != 0 {
		f.leaveTree(p.branch)
	}
	f.forget(id)
	f.released++
}

// Traffic implements Fabric.
func (f *PacketFabric) Traffic() Traffic { return f.traffic }

// Busy implements Fabric.
func (f *PacketFabric) Busy() []units.Time {
	for i := range f.busy {
		f.busy[i] = f.links[i].busy
	}
	return f.busy
}

// Carried implements Fabric.
func (f *PacketFabric) Carried() []int64 {
	for i := range f.carried {
		f.carried[i] = f.links[i].flits
	}
	return f.carried
}
