package dma

import (
	"fmt"

	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// DMA registers the model of interfaces without command queues.
var DMA = host.Entry{
	Model:  machine.Model{Name: "dma", Tables: append(tables, "software"), Section: func() machine.Section { return &Atomic{} }},
	Traits: dmaTraits, New: newModel,
}

var tables = []string{"host", "bus", "nic"}

func dmaTraits(m *machine.Machine) host.Traits {
	return host.Traits{BOTF: m.NIC.PIOPayload, InFlight: m.NIC.InFlight, Atomics: sectionOf(m).Atomic.Time > 0}
}

// dma is the model of network interfaces that are described by the times of a
// few stages; see the package documentation. Its sending side is in send.go,
// its receiving side in receive.go.
type dma struct {
	*host.Env
	*Section
	host.SharedMemory
	engines   int
	ports     []dmaPort // of node n: n*engines to (n+1)*engines-1
	rings     []dmaRings
	transfers host.Slab[transfer] // by number of the operation
	pushes    map[connection]pushQueue
	units     []wordUnit // of each node
	// If the machine has command queues:
	nodeQueues []nodeQueues // of each node
	slots      []int        // of each rank among the queues of its node
	// If the machine does barriers by its interfaces:
	groups *groups
}

// dmaPort is an engine of a network interface, with its bus. It has a link to the switch
// for itself.
type dmaPort struct {
	bus    host.Bus
	queue  host.FIFO[uint32] // transfers that wait for a place
	active int               // transfers under way

	waiting host.FIFO[incoming] // packets that find no room in a ring, or are behind one
	commandEngine
}

// dmaRings is how far a node is with what goes to the rings of a rank.
type dmaRings struct {
	placed   host.FIFO[ring.Placement] // of packets that are being written to rings
	managed  units.Time                // when the last packet for a ring had got its place
	appended units.Time                // when the last of them is written
}

func newModel(c *host.Env) (host.Model, error) { return newDMA(c), nil }

func newDMA(c *host.Env) *dma {
	engines := c.Traits.Engines
	d := &dma{
		Env: c, Section: sectionOf(c.Machine), SharedMemory: host.ShareMemory(c), engines: engines, ports: make([]dmaPort, c.Nodes*engines), rings: make([]dmaRings, len(c.Ranks)),
		pushes: map[connection]pushQueue{}, units: make([]wordUnit, c.Nodes),
	}
	for i := range d.ports {
		d.ports[i].bus = host.NewBus(&c.Machine.Bus)
	}
	return d
}

// portOf returns the port of an engine of the node that a rank runs on.
func (c *dma) portOf(rank int32, engine int) int32 {
	return c.NodeOf[rank]*int32(c.engines) + int32(engine)
}

// engineOf returns the number of a port among those of its node.
func (c *dma) engineOf(port int32) int { return int(port) % c.engines }

// engineFor returns the engines that Push, Pull and IPush between two ranks go by, at
// both of them. It is always the same, so that they keep their order.
func (c *dma) engineFor(a, b int32) int { return int(a+b) % c.engines }

// transfer is a PUSH, PULL or IPUSH, or the change of a word. The words push and pushes stand for IPUSH as
// well where nothing else is said: the two keep their order among each other.
type transfer struct {
	host.Request
	initiator int32
	home      int32  // port of the initiator
	away      int32  // port of the target
	size      int    // in bytes
	memory    []byte // of the target, which far counts from; nil until the first access

	fetching  bool       // evFetch or evInject is pending
	staged    int32      // packets fetched that have not left the interface yet
	behind    bool       // an earlier push to the same target has data to be fetched
	held      bool       // it has come to fetching, but is behind
	follower  uint32     // next push to the same target, 0 if none
	notBefore units.Time // when the one before it has been handed to the fabric
	fetched   int        // bytes read from memory
	arrived   int        // bytes that have reached the other interface
	written   int        // bytes in memory
	ready     units.Time // when the last packet has been read
	old       int64      // of a change of a word: what was there before

	command  *queued // that it carries out; nil if a program has asked for it
	position uint64  // of the command in its queue
}

// source returns the rank whose memory the data of a transfer comes from.
func (t *transfer) source() int32 {
	if t.Action == host.Pull {
		return t.Target
	}
	return t.initiator
}

// sink returns the rank whose memory the data goes to.
func (t *transfer) sink() int32 { return t.initiator + t.Target - t.source() }

// sends returns the port that the data leaves by.
func (t *transfer) sends() int32 {
	if t.Action == host.Pull {
		return t.away
	}
	return t.home
}

// receives returns the port that the data comes to.
func (t *transfer) receives() int32 { return t.home + t.away - t.sends() }

// reads returns where the data lies in the memory of the source.
func (t *transfer) reads() *onesided.Layout {
	if t.Action == host.Pull {
		return &t.Far
	}
	return &t.Near
}

// writes returns where the data goes in the memory of the sink.
func (t *transfer) writes() *onesided.Layout {
	if t.Action == host.Pull {
		return &t.Near
	}
	return &t.Far
}

// packet returns how many bytes the packet carries that begins at an offset.
func (c *dma) packet(t *transfer, offset int) int {
	most := int(c.Machine.Packet.Payload)
	if t.Action == host.IPush {
		most = c.RingPacket()
	}
	return min(t.size-offset, most)
}

// Start implements host.Model. It occupies the processor until the transfer is in the
// hands of the network interface.
func (c *dma) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	home := &c.Machine.Host
	cost := home.Post + c.Queue.Command
	if q.By == rma.BOTF {
		limit := c.Machine.NIC.PIOPayload
		if n := units.Bytes(q.Bytes()); n > limit {
			return 0, fmt.Errorf("rma: %v of %d bytes by %v; machine %s takes at most %d", q.Action, n, q.By, c.Machine.Name, limit)
		}
		cost = home.PIO
		if n := q.Bytes(); n > 0 && home.PIORate > 0 {
			cost += home.PIORate.Transfer(units.Bytes(n))
		}
	}
	r.Sleep(cost)
	id, op := c.NewOp(r)
	engine := c.engineFor(int32(r.Rank()), q.Target)
	c.transfers.New(id, transfer{
		Request: *q, initiator: int32(r.Rank()), size: q.Bytes(),
		home: c.portOf(int32(r.Rank()), engine), away: c.portOf(q.Target, engine),
	})
	c.command(id)
	return op, nil
}

// Process implements host.Model: a rank with command queues where the machine
// has them, and barriers and atomics by its interface likewise.
func (c *dma) Process(r *host.Process) rma.Process {
	changes := c.Traits.Atomics
	if c.nodeQueues == nil {
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
		c.sent(ev.A)
	case evFetch:
		c.fetch(ev.A)
	case evInject:
		c.inject(ev.A, int(ev.B))
	case evWritten:
		c.written(ev.A, ev.B, int(ev.C))
	case evReply:
		c.reply(ev.A, ev.B)
	case evChanged:
		c.changed(ev.A)
	case evDone:
		c.done(ev.A)
	case evStepped:
		c.stepped(ev.A)
	case evLooped:
		c.loopBack(ev.A)
	case evTaken:
		c.taken(ev.A)
	case evFired, evCrossed, evTold:
		c.groups.handle(ev)
	default:
		panic(fmt.Sprintf("sim: event of unknown kind %d", ev.Kind))
	}
}
