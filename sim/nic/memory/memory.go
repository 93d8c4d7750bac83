package memory

import (
	"fmt"
	"slices"

	"musubi/nic/mbc"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/units"
)

// memoryBased is the model of network interfaces for protected memory-based
// communication, such as that of SSS-CORE; see the package documentation. Package nic has
// the mechanisms, the machine file the times.
//
//	host       the processor posts a request for each piece that is contiguous at both ends
//	sending    route, bus, send ring: one packet after the other        send.go
//	network    package fabric
//	receiving  receive ring, checks, bus: requests in one line, replies in another
//	                                                                    receive.go
//	replies    acknowledgements and answers                            reply.go
type memoryBased struct {
	*host.Env
	*Section
	host.SharedMemory
	stations    []station  // by end point
	processes   []resident // by rank
	accesses    []access   // by number of the operation
	frames      framePool
	moves       []migration
	lossy       bool // links make errors
	timers      uint32
	confirmsAll bool   // each request asks for an acknowledgement, not the last one of an operation alone
	copies      []bool // by switch: it copies packets
	copiesAll   bool
	use         CaseUse

	casts      []cast // by number; 0 is not used
	unusedCast uint32 // first of the list of those not in use
	openCasts  int
	chain      []mbc.ChainMember // of the packet that is being formed
	copyTo     []fabric.Target   // of the packet that is being handed to the fabric
	asWrite    mbc.Header        // of the member of a chain that is being looked at
	nodes      []uint16          // of a list that is being formed
	listed     mbc.NodeLists     // of the packet that is being formed
	converted  []byte            // what a frame carries in its other form
}

// station is a host with its network interface.
type station struct {
	end       int
	rank      int32 // that lives there; none if none does
	bus       host.Bus
	sram      sram
	gate      mbc.AccessGate
	once      mbc.Once            // what switches have copied to it
	casting   casting             // what it has switches copy
	passages  map[uint32]*passage // to and from others, where links make errors
	scheduled bool                // what the gate has been told
	routes    *mbc.RouteTable[uint32]
	known     []int32 // end points that the operating system has written to it, by virtual node
	sender    frameSender
	intakes   [frameClasses]intake
	ring      ringUse // what is in the receive ring
	accesses  int     // that are under way
	leaves    bool    // when they are done the process leaves, by migration move
	move      uint32
	system    system
}

// Classes of packets. Replies are taken whatever becomes of requests.
const (
	requests = iota
	replies
	frameClasses
)

// access is an operation as the interfaces see it.
type access struct {
	host.Request
	initiator   int32
	station     int32        // end point that it was started at
	stamp       mbc.Identity // that the interface puts into its requests
	mistake     uint16       // of the access id that they name; see resident
	moves       int          // how often the initiator had moved
	size        int          // in bytes
	near, far   onesided.Layout
	base        uint32 // address of local
	sent        int    // bytes for which requests have left
	begun       bool
	left        bool   // all of its requests have left
	awaited     int    // replies that have not come
	written     int    // bytes that are where they belong
	parts       int    // packets that they came in
	missing     int    // sum of what tells the places of packets apart, of those that have not come
	cast        uint32 // of kind multicast, until all targets have it
	unconfirmed bool   // and nobody acknowledges it
}

// maxInterfaces is as many as multicasts can name of those that have begun or turned them.
const maxInterfaces = 1 << 16

// none stands for no rank, host or target.
const none = -1

// flagBytes is the length of the flag that tells of the end of an operation.
const flagBytes = 4

var Entry = host.Entry{
	Model: machine.Model{
		Name: "memory-based", Tables: []string{"host", "bus", "nic"}, Section: func() machine.Section { return &Section{} },
	},
	Traits: traits, New: newMemoryBased,
}

func traits(m *machine.Machine) host.Traits {
	return host.Traits{
		MaxRanks: host.MaxSenders, RouteInHeader: true, BOTF: m.NIC.PIOPayload, InFlight: m.NIC.InFlight, Atomics: true, Errors: sectionOf(m).Conditions.Errors,
		Multicasts: func(net *topology.Network, by rma.MulticastMethod) bool { return multicasts(m, net, by) },
	}
}

// sectionOf returns what the file of a machine says about its interfaces.
func sectionOf(m *machine.Machine) *Section { return m.Section().(*Section) }

func newMemoryBased(c *host.Env) (host.Model, error) {
	section := sectionOf(c.Machine)
	if n := len(c.Net.EndPoints); n > maxInterfaces {
		return nil, fmt.Errorf("%d hosts; packets of machine %s can name %d", n, c.Machine.Name, maxInterfaces)
	}
	m := &memoryBased{Env: c, Section: section, SharedMemory: host.ShareMemory(c), stations: make([]station, len(c.Net.EndPoints))}
	for e := range m.stations {
		m.stations[e] = station{
			end: e, rank: none, bus: host.NewBus(&c.Machine.Bus), sram: sram{rate: section.SRAM.Rate},
			routes: mbc.NewRouteTable[uint32](section.Remote.Routes),
		}
	}
	m.lossy = section.Conditions.Errors > 0
	m.copies = copying(c.Machine, c.Net)
	m.copiesAll = !slices.Contains(m.copies, false)
	m.newProcesses()
	return m, m.planMoves()
}

// stationOf returns where a rank runs.
func (m *memoryBased) stationOf(rank int32) *station { return &m.stations[m.processes[rank].at] }

// Start implements host.Model. It occupies the processor until all requests are written.
func (m *memoryBased) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	if q.By == rma.BOTF && q.Bytes() > 0 {
		return 0, fmt.Errorf("rma: %v of %d bytes by %v; machine %s fetches all data by %v", q.Action, q.Bytes(), q.By, m.Machine.Name, rma.DMA)
	}
	a := access{Request: *q, initiator: int32(r.Rank()), size: q.Bytes(), near: q.Near, far: q.Far}
	if err := a.far.Check(unbounded); err != nil {
		return 0, fmt.Errorf("rma: access to %v: %w", q.Address, err)
	}
	if a.Action == host.Change {
		a.size = onesided.WordSize
	}
	a.base = m.addressOfLocal(r, q.Local)
	return m.begins(r, a, a.pieces())
}

// begins occupies the processor until so many requests for an operation are written.
func (m *memoryBased) begins(r *host.Process, a access, count int) (rma.Op, error) {
	r.Sleep(units.Time(count) * m.Machine.Host.Post)
	p := &m.processes[r.Rank()]
	p.open++
	a.station, a.moves = p.at, p.moves
	a.stamp, a.mistake = m.stamp(r), p.mistake
	id, op := m.NewOp(r)
	m.accesses = host.Grown(m.accesses, id)
	m.accesses[id] = a
	m.Clock.Push(engine.Event{At: m.Clock.Now() + m.Machine.NIC.Start, Kind: evRequest, A: id})
	return op, nil
}

// Process implements host.Model.
func (m *memoryBased) Process(r *host.Process) rma.Process {
	return memoryRank{r, host.AtomicsOf(r), m}
}

// Handle implements host.Model.
func (m *memoryBased) Handle(ev engine.Event) {
	switch ev.Kind {
	case fabric.Delivered:
		m.delivered(ev.A)
	case fabric.Sent:
		m.leaves(frameOf(m.Fabric.Delivery(ev.A).Tag))
	case evRequest:
		m.requested(ev.A)
	case evRead:
		m.fetched(ev.A)
	case evLooped:
		m.leaves(ev.A)
		m.came(ev.A)
	case evChecked:
		m.checked(ev.A)
	case evAccessed:
		m.accessed(ev.A)
	case evReply:
		m.reply(ev.A)
	case evServed:
		m.attended(&m.stations[ev.A], int(ev.B))
	case evRetry:
		m.expired(ev)
	case evCastAgain:
		m.castAgain(ev)
	case evMove:
		m.move(ev.A)
	case evDone:
		m.done(ev.A)
	default:
		panic(fmt.Sprintf("device: event of unknown kind %d", ev.Kind))
	}
}

// Released implements host.Model: what waits for room in a ring is looked at again.
func (m *memoryBased) Released(r *host.Process) { m.retry(m.stationOf(int32(r.Rank()))) }
