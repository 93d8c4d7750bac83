package dma

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// DMA registers the model of interfaces without command queues.
var DMA = host.Entry{
	Model:  machine.Model{Name: "dma", Tables: append(tables, "software"), Section: func() machine.Section { return &plain{} }},
	Traits: dmaTraits, New: newModel,
}

var tables = []string{"host", "bus", "nic"}

func dmaTraits(m *machine.Machine) host.Traits {
	t := host.Traits{LoopsBack: true, Bulks: bulkFrom, BOTF: m.NIC.PIOPayload, InFlight: m.NIC.InFlight, Atomics: sectionOf(m).Atomic.Time > 0, Phantom: true}
	if p, ok := m.Section().(*plain); ok {
		t.Sharing, t.Node = &p.Host, &p.Node
	}
	return t
}

// dma is the model of network interfaces that are described by the times of a few stages;
// see the package documentation. It puts the parts together, each of which knows only parts
// above it in the list:
//
//	interfaces  engines of nodes, with their buses               interfaces.go
//	queueTable  command queues that are open                     queue_table.go
//	transfers   operations under way, and their memory           transfer.go, transfers.go
//	bulks       transfers that the fabric carries as a whole     bulk.go
//	sender      from the command to the fabric                   send.go, push_order.go
//	commands    engines that carry out commands of queues        commands.go
//	changer     changes of words                                 atomic.go
//	receiver    from the fabric to memory and rings              receive.go
//	groups      barriers and reductions of interfaces            barrier.go, barrier_group.go
type dma struct {
	*host.Env
	*Section
	host.SharedMemory
	interfaces *interfaces
	queues     *queueTable // nil if the machine has no command queues
	transfers  transfers
	bulks      bulks
	sender     sender
	commands   commands
	changer    changer
	receiver   receiver
	groups     *groups     // nil if its interfaces do no barriers
	local      *host.Local // nil if ranks of a host do not share memory
}

func newModel(c *host.Env) (host.Model, error) { return newDMA(c), nil }

func newDMA(c *host.Env) *dma {
	n, s := newInterfaces(c), sectionOf(c.Machine)
	ports := len(n.buses)
	d := &dma{Env: c, Section: s, SharedMemory: host.ShareMemory(c), interfaces: n, transfers: transfers{Env: c, Section: s}, local: host.NewLocal(c)}
	t := &d.transfers
	d.bulks = bulks{interfaces: n, transfers: t}
	d.bulks.fabric, _ = c.Fabric.(fabric.Bulker)
	waiting := make([]host.FIFO[incoming], ports)
	d.sender = sender{
		interfaces: n, Section: s, transfers: t, bulks: &d.bulks, places: make([]places, ports), waiting: waiting,
		order: newPushOrder(t, len(c.Ranks)),
	}
	d.sender.signals, _ = c.Fabric.(fabric.Signaller)
	d.sender.ahead, _ = c.Fabric.(fabric.Prefetcher)
	d.commands = commands{interfaces: n, Section: s, transfers: t, sender: &d.sender, ports: make([]commandEngine, ports)}
	d.changer = changer{interfaces: n, Section: s, transfers: t, free: make([]units.Time, c.Nodes)}
	d.receiver = receiver{
		interfaces: n, Section: s, transfers: t, bulks: &d.bulks, sender: &d.sender, commands: &d.commands, changer: &d.changer,
		waiting: waiting, rings: make([]ringWrites, len(c.Ranks)),
		looped: make([]units.Time, ports), managers: make([]units.Time, c.Nodes),
	}
	return d
}

// Start implements host.Model. It occupies the processor until the transfer is in the
// hands of the network interface.
func (c *dma) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	if n := units.Bytes(q.Bytes()); c.isTooLong(q) {
		return 0, fmt.Errorf("rma: %v of %d bytes by %v; machine %s takes at most %d", q.Action, n, q.By, c.Machine.Name, c.Machine.NIC.PIOPayload)
	}
	if c.local.Carries(r, q) {
		return c.local.Start(r, q), nil
	}
	return host.StartNow(c, r, q, c.cost(q)), nil
}

// isTooLong tells whether the processor cannot write an operation to the interface that is to go by BOTF.
func (c *dma) isTooLong(q *host.Request) bool {
	return q.By == rma.BOTF && units.Bytes(q.Bytes()) > c.Machine.NIC.PIOPayload
}

// cost returns how long the processor takes to hand an operation to the interface.
func (c *dma) cost(q *host.Request) units.Time {
	home := &c.Machine.Host
	if q.By != rma.BOTF {
		return home.Post + c.Queue.Command
	}
	cost := home.PIO
	if n := q.Bytes(); n > 0 && home.PIORate > 0 {
		cost += home.PIORate.Transfer(units.Bytes(n))
	}
	return cost
}

var _ host.Deferrer = (*dma)(nil)

// Occupies implements host.Deferrer.
func (c *dma) Occupies(r *host.Process, q *host.Request) (units.Time, bool) {
	if c.isTooLong(q) || c.local.Carries(r, q) {
		return 0, false
	}
	return c.cost(q), true
}

// Launch implements host.Deferrer.
func (c *dma) Launch(r *host.Process, q *host.Request, op uint32) {
	engine := c.interfaces.engineFor(int32(r.Rank()), q.Target)
	id, t := c.transfers.begin(op)
	t.Request, t.initiator, t.size = *q, int32(r.Rank()), q.Bytes()
	t.home, t.away = c.interfaces.port(t.initiator, engine), c.interfaces.port(q.Target, engine)
	c.sender.command(id)
}

// Process implements host.Model: a rank with command queues, barriers and atomic operations by its
// interface, as far as the machine has them.
func (c *dma) Process(r *host.Process) rma.Process {
	changes := c.Traits.Atomics
	if c.queues == nil {
		if changes {
			return &atomicRank{r, host.AtomicsOf(r)}
		}
		return r
	}
	own := &commander{Process: r, d: c}
	switch {
	case c.groups != nil && changes:
		return &atomicCollector{&collector{own, c.groups}, host.AtomicsOf(r)}
	case c.groups != nil:
		return &collector{own, c.groups}
	case changes:
		return &atomicCommander{own, host.AtomicsOf(r)}
	}
	return own
}

// Handle implements host.Model.
func (c *dma) Handle(ev engine.Event) {
	switch ev.Kind {
	case fabric.Delivered:
		c.delivered(ev.A)
	case fabric.Sent:
		c.sent(tagID(c.TagOf(ev.A)))
	case evFetch:
		if n, ready := c.sender.fetch(ev.A); ready {
			c.inject(ev.A, n)
		}
	case evTurn:
		c.changer.queue(ev.A)
	case evInject:
		c.inject(ev.A, int(ev.B))
	case evWritten:
		c.receiver.written(ev.A, ev.B, int(ev.C))
		c.local.Released(&c.Ranks[c.transfers.At(ev.B).Target])
	case evReply:
		c.sender.reply(ev.A, ev.B)
	case evChanged:
		c.changer.changed(ev.A)
	case evDone:
		c.done(ev.A)
	case evStepped:
		c.commands.stepped(ev.A)
	case evLooped:
		c.receiver.loopBack(ev.A)
	case evTaken:
		c.commands.taken(ev.A)
	case evFired, evCrossed, evTold:
		c.groups.handle(ev)
	default:
		panic(fmt.Sprintf("sim: event of unknown kind %d", ev.Kind))
	}
}

// inject hands a fetched packet to the fabric, or to who receives it without that.
func (c *dma) inject(id uint32, n int) {
	if !c.sender.inject(id, n) {
		c.receiver.loopBack(id)
	}
}

// sent notes that a packet with successors, or of a command, or a bulk has left its interface.
func (c *dma) sent(id uint32) {
	c.bulks.left(id, &c.sender.order)
	c.commands.left(id)
}

// delivered receives a packet from the fabric.
func (c *dma) delivered(packet uint32) {
	d := c.Fabric.Delivery(packet)
	if tagRole(d.Tag) == roleBarrier {
		c.Fabric.Release(packet)
		c.groups.arrived(tagID(d.Tag))
		return
	}
	c.receiver.delivered(packet, d)
}

// done ends a transfer at its initiator and begins the next that waits there.
func (c *dma) done(id uint32) {
	t := c.transfers.At(id)
	if t.command != nil {
		c.commands.done(id)
		return
	}
	if t.Action == host.Change {
		c.changer.tell(t)
	}
	port, op := t.home, t.op
	c.transfers.end(id)
	c.CompleteOp(op)
	c.sender.leave(port)
}

// Released implements host.Model: what waits is received now, as far as there is room.
func (c *dma) Released(r *host.Process) {
	c.local.Released(r)
	c.receiver.released(int32(r.Rank()))
}

// Blocked implements host.Blocker: it says which puts wait for the place of a notice.
func (c *dma) Blocked() string { return c.receiver.blocked() }

// Waits implements host.Waiter.
func (c *dma) Waits() []string { return []string{c.queues.unreleased(), c.groups.unmet()} }
