package musubi

import (
	"testing"

	"musubi/rma"
	"musubi/tuning"
)

// processOn is a process of a job on a host.
type processOn struct {
	rma.Process
	processors, processes int
}

func (p processOn) Size() int            { return p.processes }
func (p processOn) Processors() int      { return p.processors }
func (p processOn) Oversubscribed() bool { return p.processes > p.processors }

// Processes choose by what comes along only where it was measured, and by measurements that are named
// everywhere.
func TestProcessesChooseByWhatComesAlongOnHostsAlike(t *testing.T) {
	table := &tuning.Table{Processors: 2}
	table.Add(tuning.Point{Operation: "scan", Ranks: 2, Bytes: 8, Algorithm: "linear", Time: 1})
	for _, test := range []struct {
		processors, ranks int
		named, chooses    bool
	}{{2, 2, false, true}, {64, 2, false, true}, {64, 3, false, false}, {1, 2, false, false}, {0, 2, false, false}, {0, 100, true, true}} {
		s := System{Scenario: Scenario{Machine: Live}, tuning: table, tuningNamed: test.named}
		if got := s.fastest(processOn{nil, test.processors, test.ranks})("scan", test.ranks, 8); (got != nil) != test.chooses {
			t.Errorf("%+v: %v", test, got)
		}
	}
	s := System{Scenario: Scenario{Machine: Live}, tuning: table}
	if s.fastest(struct{ rma.Process }{}) != nil {
		t.Error("a process chooses that does not know where it is")
	}
}
