package flow

import (
	"fmt"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/flow/maxmin"
	"musubi/units"
)

// Events of the flow engine.
const (
	evShare uint32 = 1 + iota // flows have begun or ended, and rates are to be computed
	evEnd                     // bulk A may have left its source
	evHop                     // the header of packet A is ready for its next link
)

// Fabric is the flow engine; see the package documentation.
type Fabric struct {
	cfg       fabric.Config
	q         *engine.Queue
	links     []link // channels of the network, then links of end points
	channels  int
	reference []units.Time // by flits: on a link of the configured rate

	longestSignal int // in flits

	packets   []packet
	unused    uint32 // first of the list of free packet numbers
	inNetwork int

	breaking *breaking // nil: links do not fail
	kept     []kept    // by end point; see path

	sharing maxmin.Sharing
	pending bool // evShare is
	bulks   []bulk
	free    []uint32     // numbers of bulks to be used again
	of      []uint32     // bulk of each flow
	uses    []maxmin.Use // of a new flow

	traffic  fabric.Traffic
	released int64
	busy     []units.Time // for Busy, as carried for Carried
	carried  []fabric.Load
}

var (
	_ fabric.Bulker = (*Fabric)(nil)
	_ fabric.Tagger = (*Fabric)(nil)
)

// packet is a single packet, or a bulk, in the network.
type packet struct {
	way
	flits                           int32
	packets                         int32 // of a bulk; 0 if it is a single packet
	bulk                            uint32
	hops                            int32 // links between switches
	next                            uint32
	path                            routing.Path // of a single packet
	pos                             int32        // links between switches passed
	sent, header                    bool         // NotifySent, NotifyHeader
	spoilt                          bool         // it is lost
	tag                             uint64
	queued, entered, headAt, tailAt units.Time
}

// way is from where to where a packet goes.
type way struct {
	src, dst int32 // end point * ports + port
	class    int32
}

// check returns the path of a packet. It panics if the packet is none that the engine carries.
func (f *Fabric) check(p *fabric.Packet) routing.Path {
	ports := f.cfg.Ports
	path, ok := f.path(p.Src, p.Dst)
	if !ok || p.Back || p.Flits < 1 || p.Flits > f.cfg.MaxPacket || p.Class < 0 || p.Class >= f.cfg.Classes || uint(p.Out) >= uint(ports) || uint(p.In) >= uint(ports) {
		panic(fmt.Sprintf("flow: no path, port, class or length for packet %+v", *p))
	}
	return path
}

// wayOf returns from where to where a packet goes.
func (f *Fabric) wayOf(p *fabric.Packet) way {
	ports := f.cfg.Ports
	return way{src: int32(p.Src*ports + p.Out), dst: int32(p.Dst*ports + p.In), class: int32(p.Class)}
}

// number returns the number and the place of what comes into the network, and its path.
func (f *Fabric) number(p *fabric.Packet) (uint32, *packet, routing.Path) {
	path := f.check(p)
	f.inNetwork++
	id := f.unused
	if id == 0 {
		id = uint32(len(f.packets))
		f.packets = append(f.packets, packet{})
	}
	q := &f.packets[id]
	f.unused = q.next
	*q = packet{
		way: f.wayOf(p), flits: int32(p.Flits),
		hops: int32(len(path)), tag: p.Tag, queued: f.q.Now(), entered: f.q.Now(),
	}
	return id, q, path
}

// injection and ejection return the links of the ends of a way.
func (f *Fabric) injection(w way) int { return f.channels + 2*int(w.src) }
func (f *Fabric) ejection(w way) int  { return f.channels + 2*int(w.dst) + 1 }

// Run implements fabric.Fabric.
func (f *Fabric) Run(limit units.Time) (engine.Event, bool) {
	for {
		ev := f.q.PopUntil(limit)
		if ev == nil {
			return engine.Event{}, false
		}
		if f.cfg.Ahead != nil {
			f.cfg.Ahead()
		}
		switch ev.Kind {
		case evShare:
			f.share()
		case evEnd:
			f.end(ev.A)
		case evHop:
			f.hop(ev.A)
		case fabric.Delivered:
			if f.breaking != nil && f.spoilt(ev.A) {
				continue
			}
			f.arrived(ev.A)
			return *ev, true
		case fabric.Header:
			if !f.packets[ev.A].spoilt {
				return *ev, true
			}
		case fabric.Lost:
			f.lost(ev.A)
			return *ev, true
		default:
			return *ev, true
		}
	}
}

// arrived counts what has been delivered.
func (f *Fabric) arrived(id uint32) {
	p := &f.packets[id]
	n := int64(max(p.packets, 1))
	f.traffic.Delivered += n
	f.traffic.Hops += n * int64(p.hops+1)
	if p.packets > 0 {
		f.freeBulk(p.bulk)
	}
}

// freeBulk frees the place of a bulk.
func (f *Fabric) freeBulk(number uint32) {
	b := &f.bulks[number]
	b.links = b.links[:0]
	f.free = append(f.free, number)
}

// Delivery implements fabric.Fabric.
func (f *Fabric) Delivery(id uint32) fabric.Delivery {
	p := &f.packets[id]
	src, dst, in := int(p.src), int(p.dst), 0
	if ports := f.cfg.Ports; ports > 1 { // a division takes a good part of the time that all the rest does
		src, dst, in = src/ports, dst/ports, dst%ports
	}
	return fabric.Delivery{
		Src: src, Dst: dst, In: in, Flits: int(p.flits), Packets: int(p.packets),
		Class: int(p.class), Hops: int(p.hops), Tag: p.tag,
		Queued: p.queued, Entered: p.entered, Header: p.headAt, Tail: p.tailAt,
	}
}

// Tag implements fabric.Tagger.
func (f *Fabric) Tag(id uint32) uint64 { return f.packets[id].tag }

// Release implements fabric.Fabric.
func (f *Fabric) Release(id uint32) {
	p := &f.packets[id]
	f.released += int64(max(p.packets, 1))
	f.retire(id)
}

// retire frees the number of what is not in the network any more.
func (f *Fabric) retire(id uint32) {
	f.packets[id].next, f.unused = f.unused, id
	f.inNetwork--
}

// Traffic implements fabric.Fabric.
func (f *Fabric) Traffic() fabric.Traffic { return f.traffic }

// Busy implements fabric.Fabric. A long message counts when it begins.
func (f *Fabric) Busy() []units.Time {
	for i := range f.busy {
		f.busy[i] = f.links[i].busy
	}
	return f.busy
}

// Carried implements fabric.Fabric. A long message counts when it begins.
func (f *Fabric) Carried() []fabric.Load {
	for i := range f.carried {
		f.carried[i] = f.links[i].load
	}
	return f.carried
}

// Stuck implements fabric.Fabric. Packets wait for devices only.
func (f *Fabric) Stuck() *fabric.Deadlock {
	if f.inNetwork == 0 {
		return nil
	}
	return &fabric.Deadlock{Net: f.cfg.Net, At: f.q.Now(), Packets: f.inNetwork}
}

// Conserved implements fabric.Fabric.
func (f *Fabric) Conserved() error {
	if t := f.traffic; t.Sent != t.Delivered+t.Lost || t.Delivered != f.released || f.inNetwork != 0 || len(f.free) != len(f.bulks)-1 {
		return fmt.Errorf("flow: %d packets sent, %d lost, %d delivered, %d released, %d in the network, %d flows; expected all delivered and released, and none left", t.Sent, t.Lost, t.Delivered, f.released, f.inNetwork, len(f.bulks)-1-len(f.free))
	}
	return nil
}
