package memory

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/units"
)

// CaseUse says what has become of the accesses to remote memory, with memory-based
// communication, and what the operating systems had to do for that.
type CaseUse struct {
	Direct       int64 // done by interfaces alone
	NotScheduled int64 // the process did not run
	Absent       int64 // the page was not present
	Behind       int64 // behind others of the same source that had to wait
	Forged       int64 // refused: the access id was wrong
	Forwarded    int64 // the process had moved
	PageIns      int64 // pages made present
	Misses       int64 // of route tables
	Migrations   int64
	Interrupts   int64
	Corrupt      int64      // packets with a wrong bit
	SentAgain    int64      // packets
	Converted    int64      // chains that switches have copied from a member on, in packets
	Chained      int64      // copies that a target has sent on as a chain
	Stolen       units.Time // processor time of operating systems, of all hosts
}

// Violation is what a process has been told of accesses to its memory with a wrong access id.
type Violation struct {
	Target int // rank
	rma.Violation
}

// Counts implements host.Counter: what became of accesses, if operating systems had to do with
// them, and how long they took for that; and what links have spoiled.
func (m *memoryBased) Counts() (all []host.Count) {
	u := &m.use
	if u.Corrupt > 0 {
		all = append(all,
			host.Count{Metric: "corrupt_packets", Unit: "count", Value: float64(u.Corrupt)},
			host.Count{Metric: "packets_sent_again", Unit: "count", Value: float64(u.SentAgain)})
	}
	if u.Interrupts == 0 {
		return all
	}
	for _, c := range []struct {
		name  string
		count int64
	}{
		{"direct", u.Direct}, {"not_scheduled", u.NotScheduled}, {"absent", u.Absent}, {"behind", u.Behind}, {"forged", u.Forged},
		{"forwarded", u.Forwarded}, {"route_miss", u.Misses},
	} {
		all = append(all, host.Count{Metric: "accesses", Unit: "count", Case: c.name, Value: float64(c.count)})
	}
	return append(all, host.Count{Metric: "system_time", Unit: "us", Value: u.Stolen.Microseconds()})
}

// Conserved fails if a packet is left at the end of a run, or room in a ring of an
// interface, or an operation that is not complete.
func (m *memoryBased) Conserved() error {
	if n := m.frames.used; n != 0 {
		return fmt.Errorf("sim: %d packets are left in network interfaces at the end of a run; expected none", n)
	}
	if m.casts.open != 0 {
		return fmt.Errorf("sim: %d multicasts are under way at the end of a run; expected none", m.casts.open)
	}
	for i := range m.stations {
		s := &m.stations[i]
		if s.sender.ring != (ringUse{}) || s.receiver.ring != (ringUse{}) {
			return fmt.Errorf("sim: the rings of host %d hold %v and %v bytes at the end of a run; expected none", i, s.sender.ring, s.receiver.ring)
		}
		for list := range s.system.duties {
			if n := s.system.duties[list].waiting.Len(); n != 0 {
				return fmt.Errorf("sim: the operating system of host %d has %d duties left at the end of a run; expected none", i, n)
			}
		}
	}
	for r := range m.residents.processes {
		if p := &m.residents.processes[r]; p.open != 0 || p.underway != 0 || p.astray != 0 {
			return fmt.Errorf("sim: %d operations of rank %d and %d packets for it are under way at the end of a run; expected none", p.open, r, p.underway)
		}
	}
	return nil
}
