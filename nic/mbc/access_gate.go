package mbc

import (
	"fmt"
	"musubi/nic/register"
)

// CheckResult is the result of an access check: what becomes of an access that arrives. The first four are those of SSS-CORE.
type CheckResult uint8

const (
	// Direct: the process runs, and what it has told the source is right: the interface
	// does the access by itself.
	Direct CheckResult = iota
	// NotScheduled: the process does not run now. The operating system does the access.
	NotScheduled
	// Forged: the access id is wrong. Nothing is done, and the process is told who tried.
	Forged
	// Absent: the page is not present. The operating system makes it so, and then the
	// access is done.
	Absent
	// Behind: an earlier access of that source to the process is with the operating
	// system. This one goes there too, so that they stay in order.
	Behind
	// Elsewhere: the process runs on another node now. The operating system sends the
	// access on, and tells the source.
	Elsewhere
	// Unknown: no such process is here nor was. Nothing is done.
	Unknown
	// Outside: the process has no page there. Nothing is done.
	Outside
	// PageCrossing: the access crosses a page boundary. Nothing is done; its source has
	// not checked it as it must.
	PageCrossing
)

var checkResultNames = [...]string{
	Direct: "direct", NotScheduled: "not scheduled", Forged: "forged", Absent: "page absent",
	Behind: "behind an earlier access", Elsewhere: "process elsewhere", Unknown: "no such process",
	Outside: "outside the memory of the process", PageCrossing: "crosses a page boundary",
}

func (c CheckResult) String() string {
	if int(c) >= len(checkResultNames) {
		return fmt.Sprintf("case %d", uint8(c))
	}
	return checkResultNames[c]
}

// Waits reports whether the access is to be put before the operating system.
func (c CheckResult) Waits() bool { return c == NotScheduled || c == Absent || c == Behind }

// Refuses reports whether the access is not done, now or later.
func (c CheckResult) Refuses() bool {
	return c == Forged || c == Unknown || c == Outside || c == PageCrossing
}

// Violation tells a process who has tried to access it with a wrong access id.
type Violation struct {
	By    Identity // stamped by the interface that sent it, so true
	Node  uint16   // virtual node of By
	At    uint32   // where it tried last
	Times uint64
}

// AccessGate is the receiving side of memory-based communication at one node: what becomes of
// each access that arrives, for the processes that live there.
//
// Check is what the interface does by itself. If the access Waits, it is to be put before
// the operating system, which calls Resolve when it gets to it, makes a page present and
// calls it again if need be, does or refuses or forwards the access, and then calls Served.
// Accesses of one source to one process must be served in the order in which they came.
// What the gate says holds until the processes or their pages change; the caller does the
// access before that.
type AccessGate struct {
	context   Context
	residents []*resident
	running   *resident // the one that the registers name
}

// resident is a process that lives at a node, or has lived there.
type resident struct {
	id         Identity
	node       uint16
	pages      *PageTable
	moved      bool
	waiting    []uint32 // accesses that are with the operating system, by virtual node of their source
	violations []Violation
}

// Arrive says that a process lives here from now on: a new one, or one that has come from
// another node. It fails if it is here already.
func (g *AccessGate) Arrive(id Identity, node uint16, pages *PageTable) error {
	r := g.find(id.Process, node)
	switch {
	case r == nil:
		r = &resident{}
		g.residents = append(g.residents, r)
	case !r.moved:
		return fmt.Errorf("mbc: process %d of virtual node %d comes to a node where it is", id.Process, node)
	}
	r.id, r.node, r.pages, r.moved = id, node, pages, false
	return nil
}

// Leave says that a process lives on another node from now on. What still comes for it is
// to be sent on. A process that moves a second time must wait until all that was sent on
// to it has been served, and all sources know its new place or have nothing under way to
// the old one; else accesses on two ways may overtake each other. It fails if the process
// is not here.
func (g *AccessGate) Leave(process, node uint16) error {
	r := g.find(process, node)
	if r == nil || r.moved {
		return g.errNotHere(process, node)
	}
	r.moved, r.pages = true, nil
	if g.running == r {
		g.Idle()
	}
	return nil
}

// Schedule says that a process runs from now on, which the interface compares accesses
// with. It fails if it is not here.
func (g *AccessGate) Schedule(process, node uint16) error {
	r := g.find(process, node)
	if r == nil || r.moved {
		return g.errNotHere(process, node)
	}
	g.running = r
	return g.context.Load(r.id, r.node, register.Privileged)
}

// Idle says that no process of the network runs from now on.
func (g *AccessGate) Idle() {
	g.running = nil
	g.context = Context{}
}

// Stamp overwrites the source of a packet that is sent with the process that runs. It
// reports whether there is one.
func (g *AccessGate) Stamp(h *Header) bool { return g.context.Stamp(h) }

// Renew gives a process another access id, so that the old one is of no use any more, not
// even to accesses that are with the operating system. It fails if the process is not
// here.
func (g *AccessGate) Renew(process, node, access uint16) error {
	r := g.find(process, node)
	if r == nil || r.moved {
		return g.errNotHere(process, node)
	}
	r.id.Access = access
	if g.running == r {
		return g.context.Load(r.id, r.node, register.Privileged)
	}
	return nil
}

func (g *AccessGate) errNotHere(process, node uint16) error {
	return fmt.Errorf("mbc: process %d of virtual node %d is not at this node", process, node)
}

// find returns a process that is or was here; a node has few.
func (g *AccessGate) find(process, node uint16) *resident {
	for _, r := range g.residents {
		if r.id.Process == process && r.node == node {
			return r
		}
	}
	return nil
}

// Check says what becomes of an access that arrives.
func (g *AccessGate) Check(h *Header) CheckResult {
	if !WithinPage(h.At, h.Reach()) {
		return PageCrossing
	}
	if g.context.names(h) {
		return g.running.check(h, g.context.allows(h))
	}
	if r := g.find(h.To.Process, h.ToNode); r != nil {
		r.wait(h.FromNode)
		return NotScheduled
	}
	return Unknown
}

// check says what becomes of an access to the process that runs.
func (r *resident) check(h *Header, allowed bool) CheckResult {
	switch {
	case !allowed:
		r.noteViolation(h)
		return Forged
	case r.waits(h.FromNode):
		r.wait(h.FromNode)
		return Behind
	case !r.reaches(h, (*PageTable).Present):
		r.wait(h.FromNode)
		return Absent
	}
	return Direct
}

// reaches reports whether there is nothing to access, or the page is as it should be.
func (r *resident) reaches(h *Header, is func(*PageTable, uint32) bool) bool {
	return h.Reach() == 0 || is(r.pages, h.At)
}

// Resolve says what the operating system finds when it gets to an access that Waits: that
// it can be done now (Direct), or what else. After Absent it is to be asked again.
func (g *AccessGate) Resolve(h *Header) CheckResult {
	r := g.find(h.To.Process, h.ToNode)
	switch {
	case r == nil:
		return Unknown
	case r.moved:
		return Elsewhere
	case r.id.Access != h.To.Access:
		r.noteViolation(h)
		return Forged
	case !r.reaches(h, (*PageTable).Contains):
		return Outside
	case !r.reaches(h, (*PageTable).Present):
		return Absent
	}
	return Direct
}

// Served says that the operating system is done with an access that has waited. It panics
// if there is none of that source to that process.
func (g *AccessGate) Served(h *Header) {
	r := g.find(h.To.Process, h.ToNode)
	if r == nil || !r.waits(h.FromNode) {
		panic(fmt.Sprintf("mbc: an access of virtual node %d to process %d of %d is served that does not wait", h.FromNode, h.To.Process, h.ToNode))
	}
	r.waiting[h.FromNode]--
}

func (r *resident) waits(source uint16) bool {
	return int(source) < len(r.waiting) && r.waiting[source] > 0
}

func (r *resident) wait(source uint16) {
	for int(source) >= len(r.waiting) {
		r.waiting = append(r.waiting, 0)
	}
	r.waiting[source]++
}

// Waiting returns how many accesses of a virtual node to a process are with the operating
// system.
func (g *AccessGate) Waiting(process, node, source uint16) int {
	if r := g.find(process, node); r != nil && r.waits(source) {
		return int(r.waiting[source])
	}
	return 0
}

// noteViolation notes who has tried to access the process with a wrong access id. There is one
// record for each source, so that their number cannot hurt.
func (r *resident) noteViolation(h *Header) {
	for i := range r.violations {
		if o := &r.violations[i]; o.By == h.From && o.Node == h.FromNode {
			o.At = h.At
			o.Times++
			return
		}
	}
	r.violations = append(r.violations, Violation{By: h.From, Node: h.FromNode, At: h.At, Times: 1})
}

// Violations appends to a list who has tried to access a process with a wrong access id since
// it was asked last, in the order of their first attempts.
func (g *AccessGate) Violations(to []Violation, process, node uint16) []Violation {
	if r := g.find(process, node); r != nil {
		to = append(to, r.violations...)
		r.violations = r.violations[:0]
	}
	return to
}
