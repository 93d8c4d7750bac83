package packet

import (
	"fmt"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// Events of the packet engine. A is a packet for evReady, else a link.
const (
	evReady   uint32 = 1 + iota // a header has been routed and wants its output link
	evTail                      // a tail has left over a link that others wait for
	evWake                      // room that a link waits for has appeared
	evDropped                   // the tail of a packet that is lost has arrived; A is the packet
)

// Fabric is the packet engine of package fabric: virtual cut-through, exact to the flit, at
// the cost of a few events per packet and switch.
//
// A link carries one packet at a time, and a switch reads one packet at a time out of the buffers
// of an input port; both are held from grant to tail. A packet is granted its output link when both
// are free and the buffer at the far end has room for all of it (Credit), or is not stopped
// (StopGo). After that it cannot stall, so its tail time is known at once, and so is the time at
// which each of its flits frees room in the buffer that it leaves.
//
// Outputs serve the virtual channels of all inputs round-robin; inputs serve their virtual channels
// round-robin.
type Fabric struct {
	cfg      fabric.Config
	follower fabric.Follower // Config.Observer, if it is one
	q        *engine.Queue
	shift    uint   // a link has 1<<shift lanes, at least one per virtual channel of all classes
	mask     uint32 // 1<<shift - 1
	cap      int32  // flits per buffer
	links    []link // channels of the network, links of end points, queues of sources
	ports    []port // of links
	kinds    []kind // of links
	channels uint32
	lanes    []lane      // link << shift + vc: the buffer at the end of the link
	sent     []drainList // StopGo, by lane: packets on their way, of which the sender sees no effect yet
	readings []reading   // by link
	nodes    []node
	inputs   []uint32 // of all nodes
	wide     []uint64 // requests of links that have several words, see link.requests

	packets []packet
	unused  uint32  // first of the list of free packet numbers
	drains  []drain // but for the first ones of lists
	spare   uint32  // first of the list of free drains

	traffic   fabric.Traffic
	inNetwork int
	released  int64
	busy      []units.Time // for Busy, as carried for Carried
	carried   []fabric.Load

	trees      []tree
	freeTree   uint32 // first of the list of free trees
	lastTree   uint32 // generation given last
	branches   []branch
	freeBranch uint32       // first of the list of free branches
	seen       []uint32     // by end point and port: generation of the last tree that leads there
	treePath   routing.Path // to a target, room for one that is computed

	noise    noise
	choice   chooses
	breaking *breaking // nil: links do not fail
	isLarge  bool      // its state is larger than the nearest caches, see prefetch
	isHuge   bool      // and than others
}

// Send implements Fabric.
func (f *Fabric) Send(p fabric.Packet) uint32 {
	from, to := p.Src, p.Dst
	if p.Back {
		from, to = to, from
	}
	id, q := f.admit(&p)
	if f.choice.scheme != nil {
		if p.Back || uint(p.In) >= uint(f.cfg.Ports) {
			panic(fmt.Sprintf("fabric: no way or port for packet %+v", p))
		}
		f.enterChoosing(q)
		f.traffic.Sent++
		f.arrive(id)
		return id
	}
	path, in, out, ok := f.cfg.Routes.PathInto(q.path, from, to)
	if !ok || uint(p.In) >= uint(f.cfg.Ports) {
		panic(fmt.Sprintf("fabric: no path or port for packet %+v", p))
	}
	q.path = path
	if f.isLarge {
		f.prefetchPath(q)
	}
	q.inVC, q.outVC = q.base+uint8(in), q.base+uint8(out)
	if p.Back {
		q.way, q.inVC, q.outVC = back, q.outVC, q.inVC
	}
	f.traffic.Sent++
	f.aim(q)
	f.arrive(id)
	return id
}

// admit gives a packet a number and a place in the queue of its source.
func (f *Fabric) admit(p *fabric.Packet) (uint32, *packet) {
	ports := f.cfg.Ports
	if p.Flits < 1 || p.Flits > f.cfg.MaxPacket || p.Class < 0 || p.Class >= f.cfg.Classes || uint(p.Out) >= uint(ports) {
		panic(fmt.Sprintf("fabric: no port, class or length for packet %+v", *p))
	}
	id, q := f.number()
	now := f.q.Now()
	base := p.Class * f.cfg.VCs
	src := p.Src*ports + p.Out
	source := f.channels + 2*uint32(len(f.cfg.Net.EndPoints)*ports) + uint32(src)
	room := q.path[:0] // for a path that is computed
	if f.breaking != nil {
		room = nil // it may be a path of routes that are stored
	}
	*q = packet{
		path: room, tag: p.Tag, queued: now, class: uint8(p.Class), pos: -1,
		src: int32(src), dst: int32(p.Dst*ports + p.In), flits: int32(p.Flits),
		lane: f.laneOf(source, uint32(base)), tailReady: max(now, p.Ready),
		base: uint8(base), sent: p.NotifySent, header: p.NotifyHeader,
	}
	return id, q
}

// number returns the number and the place of a packet that comes into the network.
func (f *Fabric) number() (uint32, *packet) {
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

// retire frees the number of a packet that has left the network.
func (f *Fabric) retire(id uint32) {
	f.packets[id].next = f.unused
	f.unused = id
	f.inNetwork--
}

// Run implements Fabric.
func (f *Fabric) Run(limit units.Time) (engine.Event, bool) {
	for {
		ev := f.q.PopUntil(limit)
		if ev == nil {
			return engine.Event{}, false
		}
		if f.isLarge {
			f.prefetch()
		}
		if f.cfg.Ahead != nil {
			f.cfg.Ahead()
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
		case evDropped:
			lost := engine.Event{At: ev.At, Kind: fabric.Lost, A: ev.A}
			f.dropped(ev.A)
			return lost, true
		case fabric.Header:
			if f.breaking == nil || !f.packets[ev.A].spoilt {
				return *ev, true
			}
		case fabric.Delivered:
			if f.breaking != nil && f.packets[ev.A].spoilt {
				lost := engine.Event{At: ev.At, Kind: fabric.Lost, A: ev.A}
				f.dropped(ev.A)
				return lost, true
			}
			f.traffic.Delivered++
			f.traffic.Hops += int64(f.packets[ev.A].pos)
			return *ev, true
		default:
			return *ev, true
		}
	}
}

// arrive appends a packet whose header has been routed to its lane. If it follows its path forwards it has been aimed.
func (f *Fabric) arrive(id uint32) {
	p := &f.packets[id]
	if f.breaking != nil && p.spoilt {
		f.discard(id)
		return
	}
	if p.way != forth {
		if p.way != unread {
			f.arriveOther(id)
			return
		}
		f.read(p)
	}
	if f.pass(id, p) || !f.append(p, id) {
		return
	}
	f.request(p.lane, p)
	f.arbitrate(p.out)
}

// pass does what append, request and arbitrate would do for a packet that need not compete for its link, unless somebody
// observes that. It tells whether it has.
func (f *Fabric) pass(id uint32, p *packet) bool {
	now, at, out := f.q.Now(), p.lane, p.out
	in, vc := f.linkOf(at), f.vcOf(at)
	l, port := &f.links[out], &f.ports[in]
	if l.free > now || l.isWanted() || port.held > now || f.lanes[at].head != 0 || f.fails(out) || f.cfg.Observer != nil {
		return false
	}
	k := &f.kinds[l.kind]
	if !f.reserve(l, k, out, p) {
		return false
	}
	tail := f.carry(l, k, port, p, in, vc)
	if port.wanting != 0 {
		f.watchTail(out)
	}
	l.turn = port.bit + vc + 1
	f.depart(id, p, k, tail, true)
	return true
}

// append appends a packet to its lane and tells whether it is the only one there.
func (f *Fabric) append(p *packet, id uint32) bool {
	l := &f.lanes[p.lane]
	p.next = 0
	if o := f.cfg.Observer; o != nil {
		o.Waiting(int(f.linkOf(p.lane)), 1, f.q.Now())
	}
	if l.head != 0 {
		f.packets[l.tail].next = id
		l.tail = id
		return false
	}
	l.head, l.tail = id, id
	return true
}

// aim determines the next link and lane of a packet that follows its path forwards.
func (f *Fabric) aim(p *packet) {
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
	p.outLane = f.laneOf(p.out, uint32(vc))
}

// depart sends a packet on its way over a link that it has been granted. Unless copies of it are left, it drains from its lane.
func (f *Fabric) depart(id uint32, p *packet, k *kind, tail units.Time, last bool) {
	now := f.q.Now()
	if k.need > 0 {
		f.appendDrain(&f.sent[p.outLane], drain{start: now, end: tail, flits: p.flits})
	}
	if last && p.pos >= 0 {
		f.drainFrom(p.lane, drain{start: now, end: f.ports[f.linkOf(p.lane)].held, flits: p.flits})
	}
	if f.noise.random != nil && f.noise.strikes(p.flits) {
		p.corrupt = true
	}
	if p.pos < 0 {
		p.entered = now
		if p.sent {
			f.q.Push(engine.Event{At: tail, Kind: fabric.Sent, A: id})
		}
	}
	p.pos++
	p.lane = p.outLane
	if k.final {
		p.headAt, p.tailAt = now+k.cable, tail+k.cable
		if f.breaking != nil {
			f.breaking.note(p.out, crossing{packet: id, tail: p.tailAt}, now)
		}
		if p.header {
			f.q.Push(engine.Event{At: p.headAt, Kind: fabric.Header, A: id})
		}
		f.q.Push(engine.Event{At: p.tailAt, Kind: fabric.Delivered, A: id})
		return
	}
	p.tailReady = tail + k.delay
	ready := now + k.delay
	if p.whole {
		ready = p.tailReady
	}
	if f.breaking != nil {
		f.breaking.note(p.out, crossing{id, tail + k.cable, ready}, now)
	}
	if p.way == forth {
		if f.isLarge && p.pos == 0 {
			p.way = unread
		} else {
			f.aim(p)
		}
	}
	f.q.Push(engine.Event{At: ready, Kind: evReady, A: id})
}

// Delivery implements Fabric.
func (f *Fabric) Delivery(id uint32) fabric.Delivery {
	p := &f.packets[id]
	src, dst, in := int(p.src), int(p.dst), 0
	if ports := f.cfg.Ports; ports > 1 { // a division takes a good part of the time that all the rest does
		src, dst, in = src/ports, dst/ports, dst%ports
	}
	d := fabric.Delivery{
		Src: src, Dst: dst, In: in, Flits: int(p.flits), Class: int(p.class), Hops: len(p.path), Tag: p.tag,
		Queued: p.queued, Entered: p.entered, Header: p.headAt, Tail: p.tailAt, Corrupt: p.corrupt,
	}
	if p.way == roaming {
		d.Hops = int(p.pos) - 1
	}
	if p.branch != 0 {
		d.Hops = int(p.pos) - 1
		d.Tree = f.treeOf(p.branch)
	}
	return d
}

// Tag implements fabric.Tagger.
func (f *Fabric) Tag(id uint32) uint64 { return f.packets[id].tag }

// Release implements Fabric.
func (f *Fabric) Release(id uint32) {
	p := &f.packets[id]
	now := f.q.Now()
	f.drainFrom(p.lane, drain{start: now, end: now, flits: p.flits})
	if p.branch != 0 {
		f.leaveTree(p.branch)
	}
	f.retire(id)
	f.released++
}

// Traffic implements Fabric.
func (f *Fabric) Traffic() fabric.Traffic { return f.traffic }

// Busy implements Fabric.
func (f *Fabric) Busy() []units.Time {
	for i := range f.busy {
		f.busy[i] = f.links[i].busy
	}
	return f.busy
}

// Carried implements Fabric.
func (f *Fabric) Carried() []fabric.Load {
	for i := range f.carried {
		f.carried[i] = f.links[i].load
	}
	return f.carried
}
