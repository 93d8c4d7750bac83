package nic

import (
	"fmt"
	"slices"
	"testing"
)

const (
	gateProcess, gateNode = 7, 3
	gateAccess            = 0xacce
)

// newGate returns a gate with a process of two pages.
func newGate(t testing.TB) (*Gate, *PageTable) {
	t.Helper()
	g, pages := &Gate{}, NewPageTable(2)
	if err := g.Settle(Identity{gateProcess, gateAccess}, gateNode, &pages); err != nil {
		t.Fatal(err)
	}
	return g, &pages
}

// gateWrite is a write of 4 bytes that is as it should be.
func gateWrite() MemoryHeader {
	return MemoryHeader{
		Type: MemoryWrite, Size: 4, To: Identity{gateProcess, gateAccess}, ToNode: gateNode,
		From: Identity{8, 0xbeef}, FromNode: 5,
	}
}

// TestGateCases is all combinations of what can be with an access: which process runs,
// whether the access id is right, whether the page is present, whether the process has
// moved, and whether an earlier access waits.
func TestGateCases(t *testing.T) {
	const none, other, right = "none", "another", "the right one"
	for _, runs := range []string{none, other, right} {
		for _, forged := range []bool{false, true} {
			for _, absent := range []bool{false, true} {
				for _, moved := range []bool{false, true} {
					for _, behind := range []bool{false, true} {
						name := fmt.Sprintf("%s runs, forged %v, absent %v, moved %v, behind %v", runs, forged, absent, moved, behind)
						judged, resolved := wantCase(runs == right && !moved, forged, absent, behind), wantResolved(forged, absent, moved)
						t.Run(name, func(t *testing.T) {
							g, pages := newGate(t)
							if behind {
								h := gateWrite()
								g.Judge(&h) // nobody runs
							}
							otherPages := NewPageTable(1)
							if err := g.Settle(Identity{gateProcess + 1, 1}, gateNode, &otherPages); err != nil {
								t.Fatal(err)
							}
							switch runs {
							case other:
								checkError(t, g.Schedule(gateProcess+1, gateNode), "")
							case right:
								checkError(t, g.Schedule(gateProcess, gateNode), "")
							}
							pages.Set(0, !absent)
							if moved {
								checkError(t, g.Leave(gateProcess, gateNode), "")
							}
							h := gateWrite()
							if forged {
								h.To.Access++
							}
							checkCase(t, g, &h, judged, resolved)
						})
					}
				}
			}
		}
	}
}

// wantCase is what the interface says by itself.
func wantCase(runs, forged, absent, behind bool) Case {
	switch {
	case !runs:
		return NotScheduled
	case forged:
		return Forged
	case behind:
		return Behind
	case absent:
		return Absent
	}
	return Direct
}

// wantResolved is what the operating system finds.
func wantResolved(forged, absent, moved bool) Case {
	switch {
	case moved:
		return Elsewhere
	case forged:
		return Forged
	case absent:
		return Absent
	}
	return Direct
}

// checkCase also checks that only those wait that must, and that who tried is known.
func checkCase(t *testing.T, g *Gate, h *MemoryHeader, judged, resolved Case) {
	t.Helper()
	before := g.Waiting(gateProcess, gateNode, h.FromNode)
	got := g.Judge(h)
	if got != judged {
		t.Errorf("%v; expected %v", got, judged)
	}
	waits := g.Waiting(gateProcess, gateNode, h.FromNode) - before
	if want := judged == NotScheduled || judged == Absent || judged == Behind; want != got.Waits() || want != (waits == 1) || waits > 1 {
		t.Errorf("%v: Waits says %v, and %d more wait; expected %v", got, got.Waits(), waits, want)
	}
	told := 0
	if judged == Forged {
		told = 1
	}
	if got.Waits() {
		if got := g.Resolve(h); got != resolved {
			t.Errorf("the operating system finds %v; expected %v", got, resolved)
		}
		if resolved == Forged {
			told = 1
		}
		g.Served(h)
	}
	want := []Offence{{By: h.From, Node: h.FromNode, At: h.At, Times: 1}}[:told]
	if got := g.Offences(nil, gateProcess, gateNode); !slices.Equal(got, want) {
		t.Errorf("offences %+v; expected %+v", got, want)
	}
	if n := g.Waiting(gateProcess, gateNode, h.FromNode); n != before {
		t.Errorf("%d accesses wait after all; expected %d", n, before)
	}
}
