package memory

import (
	"fmt"
	"slices"

	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/host"
)

var _ rma.Guarded = memoryRank{}

// Violations implements rma.Guarded.
func (r memoryRank) Violations() []rma.Violation { return r.m.residents.violationsAt(r.Rank()) }

// NameAccess implements rma.Guarded.
func (r memoryRank) NameAccess(id uint16) {
	r.m.residents.processes[r.Rank()].claim = claim{made: true, id: id}
}

// Stop implements rma.Guarded. The operating system sends a packet of its own to that of the
// offender.
func (r memoryRank) Stop(rank int) (rma.Op, error) {
	if !slices.ContainsFunc(r.Violations(), func(v rma.Violation) bool { return v.From == rank }) {
		return 0, fmt.Errorf("rma: rank %d asks to stop rank %d; expected a rank that has been reported to it", r.Rank(), rank)
	}
	r.Sleep(r.m.OS.Interrupt)
	return r.m.Start(r.Process, &host.Request{Action: host.Stop, Target: int32(rank), Address: rma.Address{Rank: rank}})
}

// takeStop has the operating system stop a process, and acknowledge that. If the process has left,
// the one where it lives now is asked.
func (s *operatingSystem) takeStop(f *frame) {
	if s.m.residents.processes[f.h.ToNode].at != int32(s.end) {
		number, c := s.forwarded(f)
		s.sender.sendOnTo(number, c.to)
		return
	}
	s.m.operations.apply(f)
	ack, _ := s.m.frames.back(f, mbc.Ack, 0)
	s.call(ownDuties, duty{kind: stopProcess, frame: ack, node: f.h.ToNode})
}

// stop stops a process, wherever it has gone meanwhile. From now on it is one that does not run.
func (s *operatingSystem) stop(node uint16) {
	s.m.residents.processes[node].stopped = true
	s.m.residents.stationOf(int32(node)).check.schedule()
	s.m.Ranks[node].Stop()
}
