package fabric

import (
	"fmt"
	"math/bits"

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
	lanes    []lane // link << shift + vc: the buffer at the end of the link
	nodes    []node
	masks    []uint64 // requests for each link, see link.mask

	packets []packet
	unused  uint32 // first of the list of free packet numbers
	drains  []drain
	spare   uint32 // first of the list of free drains

	traffic   Traffic
	inNetwork int
	released  int64
	busy      []units.Time
}

// link is a directed link. Those that feed a source's own queue into its
// network interface have no cable and lie behind the real ones.
type link struct {
	free    units.Time // when the packet on it has left
	held    units.Time // when the packet that is read out of its buffers has left
	heldBy  uint32     // link which that packet goes to
	from    uint32     // input link of the packet on it
	cable   units.Time
	delay   units.Time // from header leaving to readiness at the far end
	wakeAt  units.Time // pending evWake, 0 if none
	tailAt  units.Time // latest evTail that has been pushed
	wanting uint64     // virtual channels whose first packet wants an output
	times   []units.Time
	need    int32 // StopGo: room that its sender must see to go; 0 with Credit
	node    int32 // node that it starts at
	input   int32 // number among the inputs of the node that it ends at
	mask    int32 // words of masks, one bit per (input, virtual channel) of node
	turn    int32 // first bit to be served next
	endTurn uint8 // first virtual channel of its buffers to be served next
	final   bool  // it ends at an end point
}

// node is a switch or an end point seen as one.
type node struct {
	inputs []uint32 // links that end here
	words  int32    // of a request mask
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
	out       uint32     // link that it wants
	outLane   uint32     // lane that it wants
	lane      uint32     // where it is or arrives
	next      uint32     // in its lane, or in the list of free packets
	flits     int32
	pos       int32 // hops taken
	src, dst  int32 // end point * ports + port
	inVC      uint8 // on the link from the source
	outVC     uint8 // on the link to the destination
	base      uint8 // first virtual channel of its class
	class     uint8
	sent      bool // NotifySent
	header    bool // NotifyHeader

	tag                             uint64
	queued, entered, headAt, tailAt units.Time
}

// Send implements Fabric.
func (f *PacketFabric) Send(p Packet) uint32 {
	path := f.cfg.Routes.PathID(p.Src, p.Dst)
	ports := f.cfg.Ports
	if path < 0 || p.Flits < 1 || p.Flits > f.cfg.MaxPacket || p.Class < 0 || p.Class >= f.cfg.Classes || uint(p.Out) >= uint(ports) || uint(p.In) >= uint(ports) {
		panic(fmt.Sprintf("fabric: no path, port, class or length for packet %+v", p))
	}
	id := f.unused
	if id == 0 {
		f.packets = append(f.packets, packet{})
		id = uint32(len(f.packets) - 1)
	} else {
		f.unused = f.packets[id].next
	}
	now := f.q.Now()
	base := p.Class * f.cfg.VCs
	in, out := f.cfg.Routes.HostVCs(path)
	src := p.Src*ports + p.Out
	source := f.channels + 2*uint32(len(f.cfg.Net.EndPoints)*ports) + uint32(src)
	f.packets[id] = packet{
		tag: p.Tag, queued: now, class: uint8(p.Class),
		path: f.cfg.Routes.PathByID(path), pos: -1,
		src: int32(src), dst: int32(p.Dst*ports + p.In), flits: int32(p.Flits),
		lane: source<<f.shift + uint32(base), tailReady: max(now, p.Ready),
		base: uint8(base), inVC: uint8(base + in), outVC: uint8(base + out),
		sent: p.NotifySent, header: p.NotifyHeader,
	}
	f.traffic.Sent++
	f.inNetwork++
	f.arrive(id)
	return id
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
	f.aim(p)
	l := &f.lanes[p.lane]
	p.next = 0
	if l.head != 0 {
		f.packets[l.tail].next = id
		l.tail = id
		return
	}
	l.head, l.tail = id, id
	f.request(p.lane, p)
	f.arbitrate(p.out)
}

// aim determines the link and the lane that a packet wants next.
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

// request notes that the first packet of a lane wants its output link, and
// makes sure that it will be reconsidered when the lane's input port is free.
func (f *PacketFabric) request(at uint32, p *packet) {
	vc := at & (1<<f.shift - 1)
	in := &f.links[at>>f.shift]
	bit := uint32(in.input)<<f.shift + vc
	f.masks[uint32(f.links[p.out].mask)+bit/64] |= 1 << (bit % 64)
	in.wanting |= 1 << vc
	if in.held > f.q.Now() {
		f.watchTail(in.heldBy)
	}
}

// watchTail has the tail of the packet on a link announced.
func (f *PacketFabric) watchTail(out uint32) {
	if l := &f.links[out]; l.tailAt != l.free {
		l.tailAt = l.free
		f.q.Push(engine.Event{At: l.free, Kind: evTail, A: out, B: l.from})
	}
}

// tail serves those who wait for a link, or for the input port that the packet
// on it came from. Either may have been taken again at this very time.
func (f *PacketFabric) tail(out, from uint32) {
	if f.links[out].free <= f.q.Now() {
		f.arbitrate(out)
	}
	in := &f.links[from]
	wanting := bits.RotateLeft64(in.wanting, -int(in.endTurn))
	for ; wanting != 0 && in.held <= f.q.Now(); wanting &= wanting - 1 {
		vc := uint32(bits.TrailingZeros64(wanting)+int(in.endTurn)) % 64
		if head := f.lanes[from<<f.shift+vc].head; head != 0 {
			f.arbitrate(f.packets[head].out)
		}
	}
}

// arbitrate grants a link, if it is free, to the first packet in turn that can
// have it. One that lacks room keeps those after it from the same virtual
// channel, or short packets would take the room from before a long one for ever.
func (f *PacketFabric) arbitrate(out uint32) {
	l := &f.links[out]
	if l.free > f.q.Now() {
		f.watchTail(out)
		return
	}
	n := &f.nodes[l.node]
	turn := uint32(l.turn)
	full := uint64(0) // virtual channels that lack room for a packet
	if n.words == 1 {
		word := bits.RotateLeft64(f.masks[l.mask], -int(turn))
		for ; word != 0; word &= word - 1 {
			if f.offer(out, n, (turn+uint32(bits.TrailingZeros64(word)))%64, &full) {
				return
			}
		}
		return
	}
	// The word that holds the turn is visited twice, last for what lies before it.
	w := turn / 64
	word := f.masks[uint32(l.mask)+w] &^ (1<<(turn%64) - 1)
	for i := int32(0); ; i++ {
		for ; word != 0; word &= word - 1 {
			if f.offer(out, n, w*64+uint32(bits.TrailingZeros64(word)), &full) {
				return
			}
		}
		if i == n.words {
			return
		}
		if w++; w == uint32(n.words) {
			w = 0
		}
		word = f.masks[uint32(l.mask)+w]
	}
}

// offer grants a link to the packet that a bit of its mask stands for, if that
// can have it.
func (f *PacketFabric) offer(out uint32, n *node, bit uint32, full *uint64) bool {
	in, vc := n.inputs[bit>>f.shift], bit&(1<<f.shift-1)
	if f.links[in].held > f.q.Now() {
		return false
	}
	next := f.packets[f.lanes[in<<f.shift+vc].head].outLane
	if wanted := uint64(1) << (next & (1<<f.shift - 1)); *full&wanted != 0 || !f.grant(out, in, vc) {
		*full |= wanted
		return false
	}
	if bit++; bit == uint32(len(n.inputs))<<f.shift {
		bit = 0
	}
	f.links[out].turn = int32(bit)
	return true
}

// grant starts the first packet of a lane on its output link if there is room
// for it at the far end.
func (f *PacketFabric) grant(out, in, vc uint32) bool {
	l, port := &f.links[out], &f.links[in]
	at := in<<f.shift + vc
	from := &f.lanes[at]
	id := from.head
	p := &f.packets[id]
	if !f.reserve(l, out, p) {
		return false
	}
	now := f.q.Now()
	tail := max(now+l.times[p.flits], p.tailReady)
	l.free, l.from = tail, in
	f.busy[out] += l.times[p.flits]
	port.held, port.heldBy = tail, out
	port.endTurn = uint8(vc+1) % 64

	bit := uint32(port.input)<<f.shift + vc
	f.masks[uint32(l.mask)+bit/64] &^= 1 << (bit % 64)
	port.wanting &^= 1 << vc
	from.head = p.next
	if from.head != 0 {
		f.request(at, &f.packets[from.head])
	}
	if port.wanting != 0 || f.wanted(l) {
		f.watchTail(out)
	}
	if l.need > 0 {
		next := &f.lanes[p.outLane]
		f.appendDrain(&next.sent, &next.lastSent, drain{start: now, end: tail, flits: p.flits})
	}
	if p.pos >= 0 {
		f.drainFrom(at, drain{start: now, end: tail, flits: p.flits})
	}
	f.depart(id, p, l, tail)
	return true
}

// wanted tells whether any packet waits for a link.
func (f *PacketFabric) wanted(l *link) bool {
	for _, word := range f.masks[l.mask : l.mask+f.nodes[l.node].words] {
		if word != 0 {
			return true
		}
	}
	return false
}

// depart sends a packet on its way over a link that it has been granted.
func (f *PacketFabric) depart(id uint32, p *packet, l *link, tail units.Time) {
	now := f.q.Now()
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
	f.q.Push(engine.Event{At: now + l.delay, Kind: evReady, A: id})
}

// Delivery implements Fabric.
func (f *PacketFabric) Delivery(id uint32) Delivery {
	p := &f.packets[id]
	ports := f.cfg.Ports
	return Delivery{
		Src: int(p.src) / ports, Dst: int(p.dst) / ports, In: int(p.dst) % ports, Flits: int(p.flits), Class: int(p.class), Hops: len(p.path), Tag: p.tag,
		Queued: p.queued, Entered: p.entered, Header: p.headAt, Tail: p.tailAt,
	}
}

// Release implements Fabric.
func (f *PacketFabric) Release(id uint32) {
	p := &f.packets[id]
	now := f.q.Now()
	f.drainFrom(p.lane, drain{start: now, end: now, flits: p.flits})
	p.next = f.unused
	f.unused = id
	f.inNetwork--
	f.released++
}

// Traffic implements Fabric.
func (f *PacketFabric) Traffic() Traffic { return f.traffic }

// Busy implements Fabric.
func (f *PacketFabric) Busy() []units.Time { return f.busy }
