package main

import (
	"fmt"

	"musubi/nic/ring"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// entry is the model as machine files, planners of programs and hosts know it.
var entry = host.Entry{
	Model: machine.Model{
		Name: "doorbell", Tables: []string{"host", "bus"}, Section: func() machine.Section { return &section{} },
	},
	Traits: func(m *machine.Machine) host.Traits { return host.Traits{BOTF: sectionOf(m).Inline} },
	New:    newDoorbell,
}

// section is the table [doorbell] of a machine file.
type section struct {
	Write  units.Time  `param:"doorbell.write"`                                         // the processor writes a doorbell with its data
	Inline units.Bytes `param:"doorbell.inline" zero:"the interface fetches all data"`  // data that fits in a doorbell
	Engine units.Time  `param:"doorbell.engine" zero:"the interface works in no time" ` // the interface works on a packet, at either end
}

func sectionOf(m *machine.Machine) *section { return m.Section().(*section) }

// Check implements machine.Section.
func (s *section) Check(m *machine.Machine) error {
	switch {
	case s.Inline > m.Packet.Payload:
		return fmt.Errorf("doorbell.inline of %v collides with packet.payload of %v: a doorbell is one packet", s.Inline, m.Packet.Payload)
	case m.Switch.Classes < 2:
		return fmt.Errorf("switch.classes of %d collides with interface.model = \"doorbell\": replies need a class of their own", m.Switch.Classes)
	}
	return nil
}

// doorbell is the model of a network interface that fetches data when the processor rings,
// or finds short data in the doorbell itself.
type doorbell struct {
	*host.Env
	host.SharedMemory
	*section
	interfaces []networkInterface // of each node
	transfers  []transfer         // by number of the operation
}

type networkInterface struct {
	bus     host.Bus
	writes  units.Time              // when all data that has come is in memory
	sends   units.Time              // when it has sent all packets so far
	waiting host.FIFO[engine.Event] // packets for which a receive ring has no room, and those behind them
}

// transfer is an operation as the interfaces see it.
type transfer struct {
	host.Request
	initiator        int
	arrived, written int // bytes
	placed           host.FIFO[ring.Placement]
}

// Events. A is the operation.
const (
	evSend    = host.FirstModel + iota // a packet with B bytes of data leaves
	evArrived                          // a packet that has not left its node comes to its end
	evWritten                          // B bytes are in memory, which packet C of the fabric has brought
	evDone                             // the operation is complete
)

// Roles of packets, the last bits of their tag.
const (
	roleData     = iota
	roleQuestion // a Pull asks for data
	roleReply    // all data of a Push or IPush is written
	roleBits     = 2
)

func newDoorbell(env *host.Env) (host.Model, error) {
	d := &doorbell{Env: env, SharedMemory: host.ShareMemory(env), section: sectionOf(env.Machine), interfaces: make([]networkInterface, env.Nodes)}
	for i := range d.interfaces {
		d.interfaces[i].bus = host.NewBus(&env.Machine.Bus)
	}
	return d, nil
}

// Start implements host.Model: what the processor does, and the interface at once.
func (d *doorbell) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	cost, n := d.Machine.Host.Post, units.Bytes(q.Bytes())
	if q.By == rma.BOTF {
		if n > d.Inline {
			return 0, fmt.Errorf("rma: %v of %v by %v; a doorbell of machine %s takes %v", q.Action, n, q.By, d.Machine.Name, d.Inline)
		}
		cost = d.Write
	}
	r.Sleep(cost)
	id, op := d.NewOp(r)
	d.transfers = host.Grown(d.transfers, id)
	d.transfers[id] = transfer{Request: *q, initiator: r.Rank()}
	switch t := &d.transfers[id]; {
	case t.Action == host.Pull && int(t.Target) != t.initiator:
		d.send(id, roleQuestion, t.initiator, int(t.Target), d.Machine.Packet.Reply)
	case t.Action == host.IPush:
		if err := d.Ranks[t.Target].Admits(int32(t.initiator), t.Bytes()); err != nil {
			d.FailOp(id, err)
			d.Clock.Push(engine.Event{At: d.Clock.Now(), Kind: evDone, A: id})
			return op, nil
		}
		fallthrough
	default:
		d.sendData(id)
	}
	return op, nil
}

// ends returns the ranks that the data of a transfer comes from and goes to.
func (t *transfer) ends() (from, to int) {
	if t.Action == host.Pull {
		return int(t.Target), t.initiator
	}
	return t.initiator, int(t.Target)
}

// sendData fetches the data of a transfer and sends one packet after the other.
func (d *doorbell) sendData(id uint32) {
	t := &d.transfers[id]
	from, _ := t.ends()
	own, now := &d.interfaces[d.NodeOf[from]], d.Clock.Now()
	for left := t.Bytes(); ; {
		n, fetched := min(left, d.RingPacket()), now
		if t.By != rma.BOTF {
			_, fetched = own.bus.Read(now, n, 1)
		}
		own.sends = max(own.sends, fetched) + d.Engine
		d.Clock.Push(engine.Event{At: own.sends, Kind: evSend, A: id, Args: engine.Args{B: uint32(n)}})
		if left -= n; left == 0 {
			return
		}
	}
}

// send hands a packet to the network; data of a Pull, and replies, in the last class.
func (d *doorbell) send(id uint32, role, from, to, flits int) {
	p := fabric.Packet{Src: d.Hosts[from], Dst: d.Hosts[to], Flits: flits, Tag: uint64(id)<<roleBits | uint64(role)}
	if t := &d.transfers[id]; role == roleReply || role == roleData && t.Action == host.Pull {
		p.Class = d.Machine.Switch.Classes - 1
	}
	d.Fabric.Send(p)
}

// Handle implements host.Model.
func (d *doorbell) Handle(ev engine.Event) {
	switch ev.Kind {
	case fabric.Delivered:
		d.delivered(ev.A)
	case evSend:
		if from, to := d.transfers[ev.A].ends(); from == to {
			d.arrived(engine.Event{A: ev.A})
		} else {
			d.send(ev.A, roleData, from, to, d.Machine.PacketFlits(units.Bytes(ev.B)))
		}
	case evWritten:
		d.wrote(ev)
	case evDone:
		d.CompleteOp(ev.A)
	}
}

// delivered takes a packet from the network.
func (d *doorbell) delivered(packet uint32) {
	tag := d.Fabric.Delivery(packet).Tag
	id := uint32(tag >> roleBits)
	switch tag & (1<<roleBits - 1) {
	case roleQuestion:
		d.Fabric.Release(packet)
		d.sendData(id)
	case roleReply:
		d.Fabric.Release(packet)
		d.CompleteOp(id)
	default:
		d.arrived(engine.Event{A: id, Args: engine.Args{C: packet}})
	}
}

// arrived takes a packet with data, or leaves it in the buffer of the network until there is
// room for it and what is before it.
func (d *doorbell) arrived(p engine.Event) {
	t := &d.transfers[p.A]
	_, to := t.ends()
	if own := &d.interfaces[d.NodeOf[to]]; t.Action != host.Pull && own.waiting.Len() > 0 || !d.take(p) {
		own.waiting.Push(p)
	}
}

// Released implements host.Model.
func (d *doorbell) Released(r *host.Process) {
	for own := &d.interfaces[d.NodeOf[r.Rank()]]; own.waiting.Len() > 0 && d.take(*own.waiting.Front()); {
		own.waiting.Pop()
	}
}

// take begins to write the data of a packet to memory, or returns false if there is no room.
func (d *doorbell) take(p engine.Event) bool {
	t := &d.transfers[p.A]
	_, to := t.ends()
	n := min(t.Bytes()-t.arrived, d.RingPacket())
	if t.Action == host.IPush {
		h := d.Ranks[to].RingPacket(int32(t.initiator), n, t.arrived+n == t.Bytes())
		place, ok := d.Ranks[to].Place(&h)
		if !ok {
			return false
		}
		t.placed.Push(place)
	}
	t.arrived += n
	own := &d.interfaces[d.NodeOf[to]]
	_, end := own.bus.Write(d.Clock.Now()+d.Engine, n, 1)
	own.writes = max(own.writes, end) // also where there is no data, in the order of arrival
	d.Clock.Push(engine.Event{At: own.writes, Kind: evWritten, A: p.A, Args: engine.Args{B: uint32(n), C: p.C}})
	return true
}

// wrote moves the data that has been written, and answers when it was the last.
func (d *doorbell) wrote(ev engine.Event) {
	if ev.C != 0 {
		d.Fabric.Release(ev.C)
	}
	id, n := ev.A, int(ev.B)
	t := &d.transfers[id]
	r := &d.Ranks[t.Target]
	if t.Action == host.IPush {
		h := r.RingPacket(int32(t.initiator), n, t.written+n == t.Bytes())
		r.Store(&h, t.placed.Pop(), t.Local[t.written:][:n])
	} else if memory, err := d.Locate(&t.Request, t.Far()); err != nil {
		d.FailOp(id, err)
	} else if t.Action == host.Pull {
		d.Move(t.Local, t.Near(), memory, t.Far(), t.written, n)
	} else {
		d.Move(memory, t.Far(), t.Local, t.Near(), t.written, n)
		r.Touched()
	}
	if t.written += n; t.written < t.Bytes() {
		return
	}
	if t.Action == host.Pull || int(t.Target) == t.initiator {
		d.CompleteOp(id)
		return
	}
	d.send(id, roleReply, int(t.Target), t.initiator, d.Machine.Packet.Reply)
}
