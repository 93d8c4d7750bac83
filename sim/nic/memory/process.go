package memory

import (
	"math/rand/v2"

	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// resident is what the network knows of a rank.
type resident struct {
	id       mbc.Identity
	at       int32 // end point of the station that it lives at
	space    space
	mistake  uint16 // by which the access ids are wrong that it names; 0 but in tests
	offences []mbc.Violation

	frozen   units.Time        // until then it is on its way to another station
	open     int               // operations under way that it has started
	moves    int               // how often it has moved
	old      int               // of these, how many it has started elsewhere
	held     host.FIFO[uint32] // operations that wait for them
	underway int               // frames for it in the network
	astray   int               // of these, how many have been sent to where it does not live
}

// Streams of random numbers beside those of cards.
const (
	accessStream = 2<<40 + iota
	phaseOfRanks
	pageStream
)

// newProcesses lets all ranks live where they are placed.
func (m *memoryBased) newProcesses() {
	c := &m.Conditions
	ids, phases := engine.NewStream(m.Seed, accessStream), engine.NewStream(m.Seed, phaseOfRanks)
	m.processes = make([]resident, len(m.Ranks))
	m.Processors = make([]host.Processor, len(m.Ranks))
	for r := range m.processes {
		p := &m.processes[r]
		p.id = mbc.Identity{Process: m.Group(r), Access: m.accessID(r, ids)}
		p.at = int32(m.Hosts[r])
		p.space = space{pages: mbc.NewPageTable(firstPage), absent: c.Absent, evict: c.Evict}
		p.space.rng = engine.NewStream(m.Seed, pageStream+uint64(r)<<8)
		m.Processors[r] = host.NewProcessor(c.Scheduled, c.Quantum, phases.Float64())
		m.arrives(int32(r))
	}
}

// accessID returns the access id of a rank, which is that of all of its process group.
func (m *memoryBased) accessID(r int, ids *rand.Rand) uint16 {
	for other := range r {
		if m.Group(other) == m.Group(r) {
			return m.processes[other].id.Access
		}
	}
	return uint16(1 + ids.IntN(1<<16-1))
}

// arrives lets a rank live at its station.
func (m *memoryBased) arrives(r int32) {
	p := &m.processes[r]
	s := m.stationOf(r)
	s.rank = r
	if err := s.gate.Arrive(p.id, uint16(r), &p.space.pages); err != nil {
		panic(err) // it lives at one station only
	}
}

// runs reports whether the process of a station has the processor, whatever its operating
// system does.
func (m *memoryBased) runs(s *station) bool {
	now := m.Clock.Now()
	return s.rank >= 0 && m.Processors[s.rank].IsScheduled(now) && m.processes[s.rank].frozen <= now
}

// schedule brings the registers of an interface, and the pages of the process there, up to
// date.
func (m *memoryBased) schedule(s *station) {
	if s.rank >= 0 {
		m.processes[s.rank].space.age(m.Clock.Now(), m.Ranks[s.rank].Segments)
	}
	runs := m.runs(s)
	switch {
	case runs == s.scheduled:
		return
	case !runs:
		s.gate.Idle()
	default:
		if err := s.gate.Schedule(m.processes[s.rank].id.Process, uint16(s.rank)); err != nil {
			panic(err) // it lives here
		}
	}
	s.scheduled = runs
}

// stamp returns the identity that the interface of a rank puts into its requests.
func (m *memoryBased) stamp(r *host.Process) mbc.Identity {
	s := m.stationOf(int32(r.Rank()))
	m.schedule(s)
	var h mbc.Header
	if !s.gate.Stamp(&h) {
		panic("device: a process posts a request that does not run")
	}
	return h.From
}

// Exposed and withdrawn tell the model of segments.
func (m *memoryBased) Exposed(r *host.Process, segment, bytes int) {
	m.processes[r.Rank()].space.expose(segment, bytes)
}

func (m *memoryBased) Withdrawn(r *host.Process, segment, bytes int) {
	m.processes[r.Rank()].space.withdraw(segment, bytes)
}
