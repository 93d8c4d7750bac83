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

// memoryBased is the model. What all interfaces have in common is in its parts, what one
// interface has in those of its station:
//
//	operations  from the call of a program to the last byte   operations.go, cut.go
//	sender      requests, with their data, to the send ring   send.go, send_multicast.go, reply.go, forward.go
//	receiver    the receive ring, and whose turn it is        receive.go
//	check       whether an access may be done                 check.go; package nic/mbc has the mechanism
//	executor    does it                                       execute.go, sequence.go
//	system      the operating system, which helps out         os.go, migrations.go, stop.go
//	routing     the route table                               route.go
//	links       acknowledgements of neighbours, on links with errors   links.go
//	casts       multicasts that are under way                 multicast.go, cast.go, form.go
//	trees       who gets a copy, and who a chain behind it    tree.go
//	copier      packets that switches copy, and what combines the answers   copy.go, casting.go
//	converter   a chain becomes a packet that switches copy   convert.go
//	residents   processes, with their pages                   residents.go, space.go
//	frames      packets, and the states that they go through  frame.go, frame_state.go, frame_pool.go
type memoryBased struct {
	*host.Env
	*Section
	host.SharedMemory
	stations    []station // by end point
	frames      framePool
	lossy       bool // links make errors
	timers      uint32
	confirmsAll bool // each request asks for an acknowledgement, not the last one of an operation alone
	use         CaseUse

	casts      castTable
	copier     copier
	trees      treePlan
	former     former
	paths      paths
	operations operations
	residents  residents
	migrations migrations

	converted []byte // what a frame carries in its other form
}

// Classes of packets. Replies are taken whatever becomes of requests.
const (
	requests = iota
	replies
	frameClasses
)

// maxInterfaces is as many as multicasts can name of those that have begun or converted them.
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
		RanksPerHost: host.MaxSenders, MaxRanks: host.MaxSenders, RouteInHeader: true, BOTF: m.NIC.PIOPayload, InFlight: m.NIC.InFlight, Atomics: true, Sequence: longestSequence(m), Guarded: true, Errors: sectionOf(m).Conditions.Errors,
		Multicasts: func(net *topology.Network, by rma.MulticastMethod) bool { return multicasts(m, net, by) },
	}
}

// longestSequence returns how many changes of words fit a packet.
func longestSequence(m *machine.Machine) int { return mbc.MaxSteps(int(m.Packet.Payload)) }

// sectionOf returns what the file of a machine says about its interfaces.
func sectionOf(m *machine.Machine) *Section { return m.Section().(*Section) }

func newMemoryBased(c *host.Env) (host.Model, error) {
	section := sectionOf(c.Machine)
	if n := len(c.Net.EndPoints); n > maxInterfaces {
		return nil, fmt.Errorf("%d hosts; packets of machine %s can name %d", n, c.Machine.Name, maxInterfaces)
	}
	m := &memoryBased{Env: c, Section: section, SharedMemory: host.ShareMemory(c), stations: make([]station, len(c.Net.EndPoints))}
	m.frames.m, m.casts.m, m.copier.m, m.trees.m, m.former.m, m.paths.m = m, m, m, m, m, m
	m.operations.m, m.residents.m, m.migrations.m = m, m, m
	for e := range m.stations {
		s := &m.stations[e]
		*s = station{m: m, end: e, bus: host.NewBus(&c.Machine.Bus), sram: sram{rate: section.SRAM.Rate}}
		s.sender.station, s.receiver.station, s.executor.station, s.check.station, s.system.station = s, s, s, s, s
		s.routing.station, s.links.station, s.casting.station, s.converter.station = s, s, s, s
		s.check.scheduled = none
		s.routing.routes = mbc.NewRouteTable[uint32](section.Remote.Routes)
	}
	m.lossy = section.Conditions.Errors > 0
	m.trees.copies = copying(c.Machine, c.Net)
	m.trees.copiesAll = !slices.Contains(m.trees.copies, false)
	m.residents.newProcesses()
	return m, m.migrations.planMoves()
}

// Start implements host.Model. It occupies the processor until all requests are written.
func (m *memoryBased) Start(r *host.Process, q *host.Request) (rma.Op, error) {
	if q.By == rma.BOTF && q.Bytes() > 0 {
		return 0, fmt.Errorf("rma: %v of %d bytes by %v; machine %s fetches all data by %v", q.Action, q.Bytes(), q.By, m.Machine.Name, rma.DMA)
	}
	a := access{Request: *q, initiator: int32(r.Rank()), size: q.Bytes(), near: *q.Near(), far: *q.Far()}
	if err := a.far.Check(unbounded); err != nil {
		return 0, fmt.Errorf("rma: access to %v: %w", q.Address, err)
	}
	switch a.Action {
	case host.Change:
		a.size = onesided.WordSize
	case host.Sequence:
		a.size = onesided.WordSize * len(a.Steps())
	}
	a.base = m.residents.addressOfLocal(r, q.Local)
	return m.begins(r, a, a.pieces())
}

// begins occupies the processor until so many requests for an operation are written.
func (m *memoryBased) begins(r *host.Process, a access, count int) (rma.Op, error) {
	r.Sleep(units.Time(count) * m.Machine.Host.Post)
	p := &m.residents.processes[r.Rank()]
	p.open++
	a.station, a.moves = p.at, p.moves
	a.stamp, a.claim = m.stamp(r), p.claim
	id, op := m.NewOp(r)
	*m.operations.accesses.New(id) = a
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
		m.operations.requested(ev.A)
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
		m.stations[ev.A].system.attended(int(ev.B))
	case evRetry:
		m.expired(ev)
	case evCastAgain:
		m.copier.castAgain(ev)
	case evMove:
		m.migrations.move(ev.A)
	case evDone:
		m.operations.done(ev.A)
	default:
		panic(fmt.Sprintf("sim: event of unknown kind %d", ev.Kind))
	}
}

// Released implements host.Model: what waits for room in a ring is looked at again.
func (m *memoryBased) Released(r *host.Process) {
	m.residents.stationOf(int32(r.Rank())).receiver.retry()
}
