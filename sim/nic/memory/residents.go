package memory

import (
	"math/rand/v2"
	"slices"

	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

type residents struct {
	m         *memoryBased
	processes []resident // by rank
}

// resident is what the network knows of a rank.
type resident struct {
	id         mbc.Identity
	at         int32   // end point of the station that it lives at
	phase      float64 // of the period of its processor that time 0 lies in, if it is the first of its station
	space      space
	claim      claim
	violations []mbc.Violation
	stopped    bool // by the operating system, for good

	frozen   units.Time        // until then it is on its way to another station
	open     int               // operations under way that it has started
	moves    int               // how often it has moved
	old      int               // of these, how many it has started elsewhere
	held     host.FIFO[uint32] // operations that wait for them
	underway int               // frames for it in the network
	astray   int               // of these, how many have been sent to where it does not live
}

// claim is the access id that a process names, if it does not name the one of its target.
type claim struct {
	made bool
	id   uint16
}

// name puts the access id that is claimed into the name of a target.
func (c claim) name(to *mbc.Identity) {
	if c.made {
		to.Access = c.id
	}
}

// Streams of random numbers beside those of cards.
const (
	accessStream = 2<<40 + iota
	phaseOfRanks
	pageStream
)

// Exposed and withdrawn tell the model of segments.
func (m *memoryBased) Exposed(r *host.Process, segment, bytes int) {
	m.residents.processes[r.Rank()].space.expose(segment, bytes)
}

func (m *memoryBased) Withdrawn(r *host.Process, segment, bytes int) {
	m.residents.processes[r.Rank()].space.withdraw(segment, bytes)
}

// addressOfLocal returns the address that local data of a rank begins at. What lies in no
// exposed segment begins with a page.
func (all *residents) addressOfLocal(r *host.Process, data []byte) uint32 {
	segment := r.SegmentOf(data)
	if segment < 0 || all.processes[r.Rank()].space.bases[segment] < 0 {
		return localPage * mbc.PageSize
	}
	return all.processes[r.Rank()].space.address(segment, r.OffsetOf(segment, data))
}

// stationOf returns where a rank runs.
func (all *residents) stationOf(rank int32) *station {
	return &all.m.stations[all.processes[rank].at]
}

// goesOut and comesIn count what is under way to a process, and how much of it to where it
// does not live.
func (all *residents) goesOut(f *frame) { all.goesTo(f.h.ToNode, f.to) }

func (all *residents) goesTo(node uint16, end int32) {
	p := &all.processes[node]
	p.underway++
	if end != p.at {
		p.astray++
	}
}

func (all *residents) comesIn(f *frame) { all.comesTo(f.h.ToNode, f.to) }

func (all *residents) comesTo(node uint16, end int32) {
	p := &all.processes[node]
	p.underway--
	if end != p.at {
		p.astray--
	}
}

// newProcesses lets all ranks live where they are placed.
func (all *residents) newProcesses() {
	c := &all.m.Conditions
	ids, phases := engine.NewStream(all.m.Seed, accessStream), engine.NewStream(all.m.Seed, phaseOfRanks)
	all.processes = make([]resident, len(all.m.Ranks))
	all.m.Processors = make([]host.Processor, len(all.m.Ranks))
	for r := range all.processes {
		p := &all.processes[r]
		p.id = mbc.Identity{Process: all.m.Group(r), Access: all.accessID(r, ids)}
		p.at = int32(all.m.Hosts[r])
		p.space = space{pages: mbc.NewPageTable(firstPage), absent: c.Absent, evict: c.Evict}
		p.space.rng = engine.NewStream(all.m.Seed, pageStream+uint64(r)<<8)
		p.phase = phases.Float64()
		all.arrives(int32(r))
	}
	for r := range all.processes {
		ranks := all.stationOf(int32(r)).ranks // have the processor in turn
		turn := slices.Index(ranks, int32(r))
		all.m.Processors[r] = host.TakingTurns(len(ranks), turn, c.Scheduled, c.Quantum, all.processes[ranks[0]].phase)
	}
}

// accessID returns the access id of a rank, which is that of all of its process group.
func (all *residents) accessID(r int, ids *rand.Rand) uint16 {
	for other := range r {
		if all.m.Group(other) == all.m.Group(r) {
			return all.processes[other].id.Access
		}
	}
	return uint16(1 + ids.IntN(1<<16-1))
}

// arrives lets a rank live at its station.
func (all *residents) arrives(r int32) {
	p := &all.processes[r]
	s := all.stationOf(r)
	s.ranks = append(s.ranks, r)
	if err := s.check.accessGate.Arrive(p.id, uint16(r), &p.space.pages); err != nil {
		panic(err) // it lives at one station only
	}
}

// violationsAt returns what a process has been told, in the order of the first attempts.
func (there *residents) violationsAt(r int) []rma.Violation {
	var all []rma.Violation
	for _, o := range there.processes[r].violations {
		i := slices.IndexFunc(all, func(n rma.Violation) bool { return n.From == int(o.Node) })
		if i < 0 {
			i = len(all)
			all = append(all, rma.Violation{From: int(o.Node), Process: o.By.Process, Access: o.By.Access})
		}
		all[i].Times += o.Times
	}
	return all
}
