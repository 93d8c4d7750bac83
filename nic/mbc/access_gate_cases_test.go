package mbc

import (
	"fmt"
	"slices"
	"testing"

	"musubi/internal/check"
)

// gateSetup is all that can be with an access.
type gateSetup struct {
	runs                          string // which process: nobody, another, or the target
	forged, absent, moved, behind bool
}

func allGateSetups() (all []gateSetup) {
	for i := range 3 << 4 {
		all = append(all, gateSetup{[]string{"nobody", "another", "target"}[i>>4], i&1 != 0, i&2 != 0, i&4 != 0, i&8 != 0})
	}
	return all
}

// byInterface is what the interface should say by itself.
func (s *gateSetup) byInterface() CheckResult {
	switch {
	case s.runs != "target" || s.moved:
		return NotScheduled
	case s.forged:
		return Forged
	case s.behind:
		return Behind
	case s.absent:
		return Absent
	}
	return Direct
}

// bySystem is what the operating system should find.
func (s *gateSetup) bySystem() CheckResult {
	switch {
	case s.moved:
		return Elsewhere
	case s.forged:
		return Forged
	case s.absent:
		return Absent
	}
	return Direct
}

// prepare returns a gate and an access.
func (s *gateSetup) prepare(t *testing.T) (*AccessGate, Header) {
	t.Helper()
	g, pages := newGate(t)
	h := gateWrite()
	if s.behind {
		g.Check(&h) // nobody runs yet
	}
	otherPages := NewPageTable(1)
	check.Error(t, g.Arrive(Identity{gateProcess, 1}, gateNode+1, &otherPages), "")
	switch s.runs {
	case "another":
		check.Error(t, g.Schedule(gateProcess, gateNode+1), "")
	case "target":
		check.Error(t, g.Schedule(gateProcess, gateNode), "")
	}
	pages.Set(0, !s.absent)
	if s.moved {
		check.Error(t, g.Leave(gateProcess, gateNode), "")
	}
	if s.forged {
		h.To.Access++
	}
	return g, h
}

// TestGateCases is all combinations of what can be with an access: those that wait must,
// no others, and who tried what he may not is known.
func TestGateCases(t *testing.T) {
	for _, s := range allGateSetups() {
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			g, h := s.prepare(t)
			before := g.Waiting(gateProcess, gateNode, h.FromNode)
			judged := g.Check(&h)
			if judged != s.byInterface() {
				t.Errorf("%v; expected %v", judged, s.byInterface())
			}
			waits := judged == NotScheduled || judged == Absent || judged == Behind
			if n := g.Waiting(gateProcess, gateNode, h.FromNode) - before; waits != judged.Waits() || waits != (n == 1) || n > 1 {
				t.Errorf("%v: Waits says %v, and %d more wait; expected %v", judged, judged.Waits(), n, waits)
			}
			told := judged == Forged
			if waits {
				resolved := g.Resolve(&h)
				if resolved != s.bySystem() {
					t.Errorf("the operating system finds %v; expected %v", resolved, s.bySystem())
				}
				told = resolved == Forged
				g.Served(&h)
			}
			var want []Violation
			if told {
				want = []Violation{{By: h.From, Node: h.FromNode, At: h.At, Times: 1}}
			}
			if got := g.Violations(nil, gateProcess, gateNode); !slices.Equal(got, want) {
				t.Errorf("violations %+v; expected %+v", got, want)
			}
			if n := g.Waiting(gateProcess, gateNode, h.FromNode); n != before {
				t.Errorf("%d accesses wait after all; expected %d", n, before)
			}
		})
	}
}
