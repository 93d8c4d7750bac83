package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/sim/host"
)

// accessCheck says what becomes of an access.
type accessCheck struct {
	*station
	accessGate mbc.AccessGate
	scheduled  int32      // the rank that accessGate has been told runs; none if none does
	asWrite    mbc.Header // of the member of a chain that is being looked at
}

// accessHeader returns the header of what a frame asks for at its target: of a chain, or of what has
// lists, the write.
func (s *accessCheck) accessHeader(f *frame) *mbc.Header {
	if f.h.Type != mbc.Chain && f.h.Type != mbc.Multicast {
		return &f.h
	}
	s.asWrite, _ = f.asWrite()
	return &s.asWrite
}

// refuse answers an access that is not done. Its target learns who has tried, if that had
// no right to.
func (s *accessCheck) refuse(number uint32, result mbc.CheckResult) {
	f := s.m.frames.list[number]
	err := fmt.Errorf("rma: access to %v: %v", f.place, result)
	if result == mbc.Absent || result == mbc.Outside {
		if _, e := s.m.Ranks[f.place.Rank].Memory(f.place, f.h.Size); e != nil {
			err = e
		}
	}
	if result == mbc.Forged {
		s.m.use.Forged++
		s.system.call(ownDuties, duty{kind: tellViolation, node: f.h.ToNode})
	}
	if f.cast == 0 || f.h.Flags&mbc.Confirm != 0 {
		s.m.FailOp(f.op, err)
	}
	f.h.Flags |= mbc.Refused
	switch {
	case f.cast != 0:
		s.executor.castEnds(f, true)
	case f.isAwaited():
		s.m.acknowledge(f)
	}
	s.receiver.drop(number)
}

// runs returns the rank of a station that has the processor, whatever its operating system does;
// none if none has.
func (s *accessCheck) runs() int32 {
	now := s.m.Clock.Now()
	for _, r := range s.ranks {
		if p := &s.m.residents.processes[r]; !p.stopped && s.m.Processors[r].IsScheduled(now) && p.frozen <= now {
			return r
		}
	}
	return none
}

// schedule brings the registers of an interface, and the pages of the processes there, up to
// date.
func (s *accessCheck) schedule() {
	for _, r := range s.ranks {
		s.m.residents.processes[r].space.age(s.m.Clock.Now(), s.m.Ranks[r].Segments)
	}
	runs := s.runs()
	switch runs {
	case s.scheduled:
		return
	case none:
		s.accessGate.Idle()
	default:
		if err := s.accessGate.Schedule(s.m.residents.processes[runs].id.Process, uint16(runs)); err != nil {
			panic(err) // it lives here
		}
	}
	s.scheduled = runs
}

// result asks the access check what becomes of an access. What is for the interface or the operating
// system is none.
func (s *accessCheck) result(f *frame) mbc.CheckResult {
	if f.h.Type == mbc.Moved || f.h.Type == mbc.Stop {
		return mbc.Direct
	}
	s.schedule()
	return s.accessGate.Check(s.accessHeader(f))
}

// stamp returns the identity that the interface of a rank puts into its requests.
func (m *memoryBased) stamp(r *host.Process) mbc.Identity {
	s := m.residents.stationOf(int32(r.Rank()))
	s.check.schedule()
	var h mbc.Header
	if !s.check.accessGate.Stamp(&h) {
		panic("sim: a process posts a request that does not run")
	}
	return h.From
}
