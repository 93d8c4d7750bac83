package mbc

import (
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/nic/register"
)

const (
	gateProcess, gateNode = 7, 3
	gateAccess            = 0xacce
)

// newGate returns a gate with a process of two pages, which does not run.
func newGate(t testing.TB) (*AccessGate, *PageTable) {
	t.Helper()
	g, pages := &AccessGate{}, NewPageTable(2)
	if err := g.Arrive(Identity{gateProcess, gateAccess}, gateNode, &pages); err != nil {
		t.Fatal(err)
	}
	return g, &pages
}

// gateWrite is a write of 4 bytes that is as it should be.
func gateWrite() Header {
	return Header{
		Type: Write, Size: 4, To: Identity{gateProcess, gateAccess}, ToNode: gateNode,
		From: Identity{8, 0xbeef}, FromNode: 5,
	}
}

// A page-in by the operating system is all that an absent page needs.
func TestGateMakesPresent(t *testing.T) {
	g, pages := newGate(t)
	check.Error(t, g.Schedule(gateProcess, gateNode), "")
	pages.Set(1, false)
	h := gateWrite()
	h.At = PageSize + 8
	if c := g.Check(&h); c != Absent {
		t.Fatalf("%v; expected %v", c, Absent)
	}
	if c := g.Resolve(&h); c != Absent {
		t.Fatalf("%v; expected %v", c, Absent)
	}
	pages.Set(1, true)
	if c := g.Resolve(&h); c != Direct {
		t.Errorf("%v after the page is present; expected %v", c, Direct)
	}
	g.Served(&h)
	if c := g.Check(&h); c != Direct {
		t.Errorf("%v when all is served; expected %v", c, Direct)
	}
}

// While an access of a source waits, its later ones go the same way; those of others to
// the process, and its own to others, do not.
func TestGateKeepsOrder(t *testing.T) {
	g, pages := newGate(t)
	check.Error(t, g.Schedule(gateProcess, gateNode), "")
	pages.Set(1, false)
	first, later, other := gateWrite(), gateWrite(), gateWrite()
	first.At = PageSize
	other.FromNode++
	if c := g.Check(&first); c != Absent {
		t.Fatalf("%v; expected %v", c, Absent)
	}
	for range 3 {
		if c := g.Check(&later); c != Behind {
			t.Errorf("a later access of the source: %v; expected %v", c, Behind)
		}
		if c := g.Check(&other); c != Direct {
			t.Errorf("an access of another source: %v; expected %v", c, Direct)
		}
	}
	for n := 4; n > 0; n-- {
		if got := g.Waiting(gateProcess, gateNode, later.FromNode); got != n {
			t.Errorf("%d accesses wait; expected %d", got, n)
		}
		g.Served(&later)
	}
	if c := g.Check(&later); c != Direct {
		t.Errorf("%v when all is served; expected %v", c, Direct)
	}
}

func TestGateRefuses(t *testing.T) {
	crossing, outside, unknown, otherNode, nothing := gateWrite(), gateWrite(), gateWrite(), gateWrite(), gateWrite()
	crossing.At = PageSize - 3
	outside.At = 2 * PageSize
	unknown.To.Process++
	otherNode.ToNode++
	nothing.At, nothing.Size = 100*PageSize, 0
	for _, test := range []struct {
		name              string
		header            Header
		checked, resolved CheckResult
		waits, isRefused  bool
	}{
		{"page crossing", crossing, PageCrossing, Direct, false, true},
		{"no page of the process", outside, Absent, Outside, true, true},
		{"no such process", unknown, Unknown, Unknown, false, true},
		{"process of another virtual node", otherNode, Unknown, Unknown, false, true},
		{"no data, wherever that is", nothing, Direct, Direct, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, _ := newGate(t)
			check.Error(t, g.Schedule(gateProcess, gateNode), "")
			if c := g.Check(&test.header); c != test.checked || c.Waits() != test.waits {
				t.Errorf("%v, waits %v; expected %v, %v", c, c.Waits(), test.checked, test.waits)
			}
			if test.checked == PageCrossing {
				return // that never comes before the operating system
			}
			if c := g.Resolve(&test.header); c != test.resolved || c.Refuses() != test.isRefused {
				t.Errorf("the operating system finds %v, refuses %v; expected %v, %v", c, c.Refuses(), test.resolved, test.isRefused)
			}
		})
	}
}

// An access id that has been replaced is of no use, even to what waits.
func TestGateRenew(t *testing.T) {
	g, _ := newGate(t)
	waits := gateWrite()
	if c := g.Check(&waits); c != NotScheduled {
		t.Fatalf("%v; expected %v", c, NotScheduled)
	}
	check.Error(t, g.Schedule(gateProcess, gateNode), "")
	check.Error(t, g.Renew(gateProcess, gateNode, gateAccess+1), "")
	stale, fresh := gateWrite(), gateWrite()
	stale.FromNode, fresh.FromNode = 1, 2
	fresh.To.Access++
	if c := g.Check(&stale); c != Forged {
		t.Errorf("stale access id: %v; expected %v", c, Forged)
	}
	if c := g.Check(&fresh); c != Direct {
		t.Errorf("fresh access id: %v; expected %v", c, Direct)
	}
	if c := g.Resolve(&waits); c != Forged {
		t.Errorf("stale access id that waits: %v; expected %v", c, Forged)
	}
	var sent Header
	if want := (Identity{gateProcess, gateAccess + 1}); !g.Stamp(&sent) || sent.From != want {
		t.Errorf("what is sent is stamped %+v; expected %+v", sent.From, want)
	}
}

// There is one record for each offender, however often it tries.
func TestGateViolations(t *testing.T) {
	g, _ := newGate(t)
	check.Error(t, g.Schedule(gateProcess, gateNode), "")
	forged := gateWrite()
	forged.To.Access = 0
	other := forged
	other.FromNode++
	for i := range uint32(5) {
		forged.At = 8 * i
		g.Check(&forged)
	}
	g.Check(&other)
	want := []Violation{{By: forged.From, Node: 5, At: 32, Times: 5}, {By: other.From, Node: 6, Times: 1}}
	if got := g.Violations(nil, gateProcess, gateNode); !slices.Equal(got, want) {
		t.Errorf("%+v; expected %+v", got, want)
	}
	if got := g.Violations(nil, gateProcess, gateNode); len(got) != 0 {
		t.Errorf("%+v when asked again; expected none", got)
	}
}

// A process that comes back finds the order of what waits as it was.
func TestGateLeaveAndSettle(t *testing.T) {
	g, _ := newGate(t)
	check.Error(t, g.Arrive(Identity{gateProcess, 1}, gateNode, nil), "process 7 of virtual node 3 comes to a node where it is")
	check.Error(t, g.Schedule(gateProcess, gateNode), "")
	check.Error(t, g.Leave(gateProcess, gateNode), "")
	var sent Header
	if g.Stamp(&sent) {
		t.Error("a process that has left can send")
	}
	for name, err := range map[string]error{
		"leaves again": g.Leave(gateProcess, gateNode), "runs": g.Schedule(gateProcess, gateNode),
		"renewed": g.Renew(gateProcess, gateNode, 1), "unknown": g.Leave(1, 1),
	} {
		if err == nil {
			t.Errorf("%s: expected an error for a process that is not here", name)
		}
	}
	h := gateWrite()
	if c := g.Check(&h); c != NotScheduled || g.Resolve(&h) != Elsewhere {
		t.Errorf("%v, then %v; expected %v, then %v", c, g.Resolve(&h), NotScheduled, Elsewhere)
	}
	pages := NewPageTable(1)
	check.Error(t, g.Arrive(Identity{gateProcess, gateAccess}, gateNode, &pages), "")
	check.Error(t, g.Schedule(gateProcess, gateNode), "")
	if c := g.Check(&h); c != Behind {
		t.Errorf("%v; expected %v the one that waits", c, Behind)
	}
}

// While nobody runs, not even process 0 of virtual node 0 does.
func TestGateIdle(t *testing.T) {
	var g AccessGate
	pages := NewPageTable(1)
	check.Error(t, g.Arrive(Identity{}, 0, &pages), "")
	h := Header{Type: Write, Size: 1}
	if c := g.Check(&h); c != NotScheduled {
		t.Errorf("%v before anybody runs; expected %v", c, NotScheduled)
	}
	g.Served(&h)
	check.Error(t, g.Schedule(0, 0), "")
	if c := g.Check(&h); c != Direct {
		t.Errorf("%v while it runs; expected %v", c, Direct)
	}
	g.Idle()
	if c := g.Check(&h); c != NotScheduled {
		t.Errorf("%v after it has run; expected %v", c, NotScheduled)
	}
}

func TestServedWithoutWaitingPanics(t *testing.T) {
	for name, change := range map[string]func(*AccessGate, *Header){
		"nothing has waited":        func(*AccessGate, *Header) {},
		"no such process":           func(_ *AccessGate, h *Header) { h.To.Process++ },
		"another source waits":      func(g *AccessGate, h *Header) { g.Check(h); h.FromNode++ },
		"an earlier source":         func(g *AccessGate, h *Header) { g.Check(h); h.FromNode-- },
		"it has been served before": func(g *AccessGate, h *Header) { g.Check(h); g.Served(h) },
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := newGate(t)
			h := gateWrite()
			change(g, &h)
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, "does not wait") {
					t.Errorf("panics with %q; expected that the access does not wait", text)
				}
			}()
			g.Served(&h)
		})
	}
}

func TestContext(t *testing.T) {
	var c Context
	claimed := Header{From: Identity{1, 2}, FromNode: 3}
	if h := claimed; c.Stamp(&h) {
		t.Error("nobody runs, and a packet is stamped")
	}
	check.Error(t, c.Load(Identity{9, 9}, 9, register.User), "a user process may not write register process")
	if h := claimed; c.Stamp(&h) {
		t.Error("a user has loaded the registers")
	}
	check.Error(t, c.Load(Identity{4, 5}, 6, register.Privileged), "")
	h := claimed
	if !c.Stamp(&h) || h.From != (Identity{4, 5}) || h.FromNode != 6 {
		t.Errorf("stamped %+v of %d; expected %+v of 6", h.From, h.FromNode, Identity{4, 5})
	}
}
