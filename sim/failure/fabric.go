package failure

import (
	"fmt"
	"strings"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/topology"
	"musubi/units"
)

// Config says what fails, and how the network gets along with that.
type Config struct {
	Net       *topology.Network
	Ports     int // of each end point
	Events    []Event
	MTBF      units.Time // mean time between failures of each link between switches; 0: they do not fail at random
	MTTR      units.Time // mean time until such a link heals; 0: it does not
	Seed      uint64
	Detection units.Time // from a failure, or the end of one, until new routes are in use
	Timeout   units.Time // from handing a packet to the network to sending it again
	Routing   *Routing
}

// Fabric is a fabric in which links fail and heal, and whose end points send again what is lost.
type Fabric struct {
	fabric.Breakable
	cfg    Config
	q      *engine.Queue
	agenda agenda
	state  *state

	entries []entry
	unused  []uint32
	of      []uint32 // by number of a packet in the network: its entry, 0 for none
	parked  []uint32 // entries without a way, in the order in which they came
	now     *generation
	before  []*generation
	counts  counts
	failed  error
}

// entry is a packet, or a long message, that has been sent and not released.
type entry struct {
	packet     fabric.Packet
	bulk       *long  // nil: it is a packet
	inner      uint32 // number in the network
	queued     units.Time
	since      units.Time // when it was handed to the network last
	of         *generation
	left, seen bool // Sent, Header has come up
}

// generation is the packets in the network that follow the same routes.
type generation struct {
	routes  *routing.Routes // nil: they choose
	packets int
}

// Kinds of events, which the fabric below hands on.
const (
	evChange = fabric.Delivered - 2 // the agenda has something for now
	evResend = fabric.Delivered - 3 // A is an entry
)

// New lets links of a fabric fail. routes are those that it has; nil if packets choose.
func New(f fabric.Breakable, cfg Config, routes *routing.Routes, q *engine.Queue) *Fabric {
	x := &Fabric{Breakable: f, cfg: cfg, q: q, entries: make([]entry, 1), now: &generation{routes: routes}}
	x.state = newState(cfg.Net, cfg.Net.Channels()+2*cfg.Ports*len(cfg.Net.EndPoints))
	x.counts.out = make(map[string]units.Time)
	for i := range cfg.Events {
		x.agenda.enter(&cfg.Events[i], cfg.Detection, nil)
	}
	if cfg.MTBF > 0 {
		for _, s := range sources(cfg.Net, cfg.MTBF, cfg.MTTR, cfg.Seed) {
			x.agenda.enter(s.draw(0), cfg.Detection, s)
		}
	}
	return x
}

// Send implements fabric.Fabric.
func (x *Fabric) Send(p fabric.Packet) uint32 { return x.send(entry{packet: p}) }

// send hands what is new to the network.
func (x *Fabric) send(e entry) uint32 {
	id := uint32(len(x.entries))
	if last := len(x.unused) - 1; last >= 0 {
		id, x.unused = x.unused[last], x.unused[:last]
	} else {
		x.entries = append(x.entries, entry{})
	}
	e.queued = x.q.Now()
	x.entries[id] = e
	x.launch(id)
	return id
}

// launch hands a packet to the network, or keeps it until there is a way for it.
func (x *Fabric) launch(id uint32) {
	e := &x.entries[id]
	if !x.state.reaches(e.packet.Src, e.packet.Dst) {
		x.parked = append(x.parked, id)
		return
	}
	p := e.packet
	p.NotifySent = p.NotifySent && !e.left
	e.inner, e.since, e.of = x.handOver(p, e.bulk), x.q.Now(), x.now
	e.of.packets++
	for int(e.inner) >= len(x.of) {
		x.of = append(x.of, 0)
	}
	x.of[e.inner] = id
}

// takeOut notes that a packet is not in the network any more.
func (x *Fabric) takeOut(id uint32) {
	e := &x.entries[id]
	x.of[e.inner] = 0
	e.of.packets--
}

// Run implements fabric.Fabric.
func (x *Fabric) Run(limit units.Time) (engine.Event, bool) {
	for x.failed == nil {
		next := x.agenda.next()
		ev, ok := x.Breakable.Run(min(limit, next))
		if !ok {
			over := x.q.Len() == 0 && len(x.parked) == 0
			if next > limit || next == units.Never || over {
				break
			}
			x.q.Push(engine.Event{At: next, Kind: evChange})
			continue
		}
		if x.handle(&ev) {
			return ev, true
		}
	}
	return engine.Event{}, false
}

// handle deals with an event, and tells whether it is for a device.
func (x *Fabric) handle(ev *engine.Event) bool {
	switch ev.Kind {
	case evChange:
		x.change()
	case evResend:
		x.counts.resent += x.entries[ev.A].lost()
		x.launch(ev.A)
	case fabric.Lost:
		id := x.of[ev.A]
		x.takeOut(id)
		e := &x.entries[id]
		again := e.since + x.cfg.Timeout
		if e.bulk != nil {
			again = x.lose(e)
		}
		x.counts.lost += e.lost()
		x.q.Push(engine.Event{At: max(x.q.Now(), again), Kind: evResend, A: id})
	case fabric.Delivered, fabric.Sent, fabric.Header:
		return x.report(ev)
	default:
		return true
	}
	return false
}

// report gives a packet the number that its device knows. A device hears of the header and of the
// tail that leaves once, however often the packet is sent.
func (x *Fabric) report(ev *engine.Event) bool {
	id := uint32(0)
	if int(ev.A) < len(x.of) {
		id = x.of[ev.A]
	}
	if id == 0 { // it goes along a tree
		ev.A |= fabric.OnTree
		return true
	}
	ev.A = id
	e := &x.entries[id]
	switch ev.Kind {
	case fabric.Sent:
		e.left = true
	case fabric.Header:
		again := e.seen
		e.seen = true
		return !again
	}
	return true
}

// Delivery implements fabric.Fabric.
func (x *Fabric) Delivery(id uint32) fabric.Delivery {
	if id&fabric.OnTree != 0 {
		return x.Breakable.Delivery(id &^ fabric.OnTree)
	}
	e := &x.entries[id]
	d := x.Breakable.Delivery(e.inner)
	d.Queued = e.queued
	if e.bulk != nil {
		d.Packets, d.Flits = e.bulk.packets, e.bulk.flits
	}
	return d
}

// Release implements fabric.Fabric.
func (x *Fabric) Release(id uint32) {
	if id&fabric.OnTree != 0 {
		x.Breakable.Release(id &^ fabric.OnTree)
		return
	}
	x.Breakable.Release(x.entries[id].inner)
	x.takeOut(id)
	x.unused = append(x.unused, id)
}

// Conserved implements fabric.Fabric.
func (x *Fabric) Conserved() error {
	if in := len(x.entries) - 1 - len(x.unused); in != 0 {
		return fmt.Errorf("failure: %d packets have been sent and not released; expected none", in)
	}
	return x.Breakable.Conserved()
}

// Cut returns an error if packets wait for a path that will not come.
func (x *Fabric) Cut() error {
	switch stuck := x.Stuck(); {
	case x.failed != nil:
		return x.failed
	case len(x.parked) > 0:
	case stuck != nil && len(stuck.Cycle) == 0 && len(x.counts.open) > 0:
		return fmt.Errorf("at %v packets on multicast trees (%d) wait for what is out of service: %s", x.q.Now(), stuck.Packets, strings.Join(x.gone(), ", "))
	default:
		return nil
	}
	p := x.entries[x.parked[0]].packet
	return fmt.Errorf("at %v %s and %s are disconnected for good, and packets cannot arrive (%d): out of service is %s",
		x.q.Now(), x.cfg.Net.EndPointName(p.Src), x.cfg.Net.EndPointName(p.Dst), len(x.parked), strings.Join(x.gone(), ", "))
}
