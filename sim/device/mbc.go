package device

import (
	"errors"
	"fmt"

	"musubi/nic"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// memoryBased is the model of network interfaces for protected memory-based
// communication, such as that of SSS-CORE; see the package documentation. Package nic has
// the mechanisms, the machine file the times.
//
//	host       the processor posts a request for each piece that is contiguous at both ends
//	sending    route, bus, send ring: one packet after the other        mbc_send.go
//	network    package fabric
//	receiving  receive ring, checks, bus: requests in one line, replies in another
//	                                                                    mbc_receive.go
//	replies    acknowledgements and answers                            mbc_reply.go
type memoryBased struct {
	*Cluster
	stations []station // by end point
	accesses []access  // by number of the operation
	frames   framePool
}

// station is a host with its network interface.
type station struct {
	end     int
	bus     bus
	sram    sram
	sender  frameSender
	intakes [frameClasses]intake
	ring    ringUse // what is in the receive ring
}

// Classes of packets. Replies are taken whatever becomes of requests.
const (
	requests = iota
	replies
	frameClasses
)

// access is an operation as the interfaces see it.
type access struct {
	request
	initiator int32
	size      int // in bytes
	near, far nic.Access
	page      int // where in a page local begins
	sent      int // bytes for which requests have left
	begun     bool
	written   int // bytes that are where they belong
}

// flagBytes is the length of the flag that tells of the end of an operation.
const flagBytes = 4

func newMemoryBased(c *Cluster) *memoryBased {
	m := &memoryBased{Cluster: c, stations: make([]station, len(c.cfg.Net.EndPoints))}
	for e := range m.stations {
		m.stations[e] = station{end: e, bus: newBus(&c.m.Bus), sram: sram{rate: c.m.SRAM.Rate}}
	}
	return m
}

// stationOf returns where a rank runs.
func (m *memoryBased) stationOf(rank int32) *station { return &m.stations[m.cfg.Hosts[rank]] }

// start implements model. It occupies the processor until all requests are written.
func (m *memoryBased) start(r *rank, q *request) (rma.Op, error) {
	if q.by == rma.BOTF && q.bytes() > 0 {
		return 0, fmt.Errorf("rma: %v of %d bytes by %v; machine %s fetches all data by %v", q.kind, q.bytes(), q.by, m.m.Name, rma.DMA)
	}
	a := access{request: *q, initiator: int32(r.number), size: q.bytes(), near: nic.Access(q.near), far: nic.Access(q.far)}
	if err := a.far.Check(unbounded); err != nil {
		return 0, fmt.Errorf("rma: access to %v: %w", q.address, err)
	}
	a.page = r.pageOffset(q.local)
	r.sleep(units.Time(a.pieces()) * m.m.Host.Post)
	id, op := m.newOp(r)
	m.accesses = grown(m.accesses, id)
	m.accesses[id] = a
	m.q.Push(engine.Event{At: m.q.Now() + m.m.NIC.Start, Kind: evRequest, A: id})
	return op, nil
}

// handle implements model.
func (m *memoryBased) handle(ev engine.Event) {
	switch ev.Kind {
	case fabric.Delivered:
		m.delivered(ev.A)
	case fabric.Sent:
		m.sent(frameOf(m.fabric.Delivery(ev.A).Tag))
	case evRequest:
		m.requested(ev.A)
	case evRead:
		m.fetched(ev.A)
	case evLooped:
		m.sent(ev.A)
		m.came(ev.A)
	case evChecked:
		m.checked(ev.A)
	case evAccessed:
		m.accessed(ev.A)
	case evReply:
		m.reply(ev.A)
	case evDone:
		m.completeOp(ev.A)
	default:
		panic(fmt.Sprintf("device: event of unknown kind %d", ev.Kind))
	}
}

// window implements model. The interface has no memory that the processor reads better
// than its own.
func (m *memoryBased) window(_ *rank, bytes int) ([]byte, error) { return make([]byte, bytes), nil }

// giveBack implements model.
func (m *memoryBased) giveBack(*rank, int) {}

// useWindows implements model.
func (m *memoryBased) useWindows(*rank, int) error {
	return fmt.Errorf("rma: machine %s has no windows to choose from", m.m.Name)
}

// finish implements model: nothing is left.
func (m *memoryBased) finish(*rank, uint32) {}

// readRecord implements model. The record comes with the look that finds it.
func (m *memoryBased) readRecord() units.Time { return 0 }

// take implements model.
func (m *memoryBased) take(r *rank, rec *nic.Record, into []byte, _ rma.Caching) {
	if into != nil {
		r.sleep(copyTime(m.m, rec.Bytes))
		r.inbox.fetch(rec, into)
	}
}

// load implements model: processor and interface share their memory.
func (m *memoryBased) load(r *rank, _ rma.Address, _ *nic.Access, into []byte, _ rma.Caching) {
	r.sleep(copyTime(m.m, len(into)))
}

// released implements model: what waits for room in a ring is looked at again.
func (m *memoryBased) released(r *rank) { m.work(m.stationOf(int32(r.number)), requests) }

// completion and arrival implement model: the processor spins on a copy in its cache.
func (m *memoryBased) completion() look { return look{delay: m.m.Host.Poll} }
func (m *memoryBased) arrival() look    { return look{delay: m.m.Host.Poll} }

// conservedFrames fails if a packet is left at the end of a run, or room in a ring of an
// interface is missing.
func (m *memoryBased) conservedFrames() error {
	if n := m.frames.used; n != 0 {
		return fmt.Errorf("device: %d packets are left in network interfaces at the end of a run", n)
	}
	for i := range m.stations {
		s := &m.stations[i]
		if s.sender.ring != (ringUse{}) || s.ring != (ringUse{}) {
			return fmt.Errorf("device: rings of the network interface of host %d are not empty at the end of a run", i)
		}
	}
	for i := range m.accesses {
		if a := &m.accesses[i]; a.begun && m.ops[i].initiator >= 0 && !m.ops[i].complete {
			return errors.New("device: an operation is not complete at the end of a run")
		}
	}
	return nil
}
