package mbc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"musubi/nic/fence"
)

// memoryWorld is some hosts, the processes of a program that access each other's memory,
// and an operating system that schedules, pages and moves them. All that can happen are its
// actions, in any order. What it knows about the truth (where processes are, which of their
// pages are present, what their access ids are) it keeps beside what it tells the interfaces,
// and holds each access against it.
type memoryWorld struct {
	rng        *rand.Rand
	errors     bool // packets get corrupt, and are sent again
	fault      memoryFault
	odds       memoryOdds
	lastAccess uint16
	moves      int // that are left; else processes could run away from their acknowledgements
	hosts      []memoryHost
	processes  []*memoryProcess
	lanes      []memoryLane // from each host to each
	accesses   []*memoryAccess
	casts      []*memoryCast
	answers    []castAnswer // to be combined by switches, on their way
	total      *memoryStatistics
}

// memoryHost is a host with its interface.
type memoryHost struct {
	gate    AccessGate
	running int             // process, or none
	pending []pendingAccess // what is before the operating system, in the order of arrival
	forward []int           // where processes have gone that have left
}

// pendingAccess is a packet before the operating system, and the access that it is.
type pendingAccess struct {
	header, access Header
	data, payload  []byte
}

// memoryProcess is a process, whose number is that of its virtual node.
type memoryProcess struct {
	number, host int
	id           Identity
	pages        PageTable // what the interface believes
	present      []bool    // what is true
	memory       []byte
	shadow       []byte // what should be in memory
	fence        fence.Counter
	barriers     []openBarrier
	table        *RouteTable[*memoryAccess]
	asked        []askedRoute
	once         Once
	casts        uint16 // multicasts that switches copy, which it has sent
	plan         []*memoryAccess
	latest       []int // order of the last access of each other that has been done
}

// openBarrier is a barrier that has not been passed, and what it covers.
type openBarrier struct {
	ticket uint32
	covers []*memoryAccess
}

// askedRoute is where a virtual node was when the operating system looked.
type askedRoute struct {
	node uint16
	end  int
}

// memoryAccess is something that a process does to the memory of one or, by multicast, of
// several processes. One of no type is a memory barrier.
type memoryAccess struct {
	number, order int
	kind          Type
	from          int
	to            []int
	at            uint32
	data          []byte // or operands
	forged        bool   // with an access id that nobody has ever had
	outside       bool

	by        Identity // of the source when it was issued
	header    Header
	epoch     uint32
	sentTo    int // host
	forwarded bool
	fate      []fate // at each of to
	expected  []byte // what is to come back
	acked     bool
}

// fate is what has become of an access at a target.
type fate uint8

const (
	open fate = iota
	done
	refused
)

func (a *memoryAccess) ended() bool {
	for _, f := range a.fate {
		if f == open {
			return false
		}
	}
	return true
}

// target returns which of the targets of an access a process is; -1 if none.
func (a *memoryAccess) target(process int) int {
	for i, to := range a.to {
		if to == process {
			return i
		}
	}
	return -1
}

// isPlain reports whether the access has one target and is in order with others of its pair.
func (a *memoryAccess) isPlain() bool { return a.kind != Chain && a.kind != Multicast }

// issue lets a process that runs do the next thing of its plan.
func (w *memoryWorld) issue(p *memoryProcess) error {
	a := p.plan[0]
	p.plan = p.plan[1:]
	if a.kind == 0 {
		return w.barrier(p)
	}
	h := &a.header
	*h = Header{Type: a.kind, Flags: Confirm, At: a.at, Size: len(a.data), ReplyTo: uint32(a.number)}
	w.name(a, h, a.to[0])
	if a.kind == Read {
		h.ReplyTo = uint32(a.number * PageSize)
	}
	if !w.hosts[p.host].gate.Stamp(h) {
		return fmt.Errorf("process %d runs and cannot send", p.number)
	}
	a.by, a.epoch = p.id, p.fence.Issued()
	switch a.kind {
	case Chain:
		return w.startChain(p, a)
	case Multicast:
		h.Sequence = p.casts
		p.casts++
		return w.cast(a)
	}
	return w.request(p, a)
}

// name puts the target into a header, with the access id that the source has for it.
func (w *memoryWorld) name(a *memoryAccess, h *Header, to int) {
	h.To, h.ToNode = w.processes[to].id, uint16(to)
	if a.forged {
		h.To.Access |= forgedAccess // which is no access id of anybody, ever
	}
}

// forgedAccess is a bit of access ids that no true one has.
const forgedAccess = 1 << 15

// accessOf returns the access that a reply address stands for.
func (w *memoryWorld) accessOf(t Type, address uint32) (*memoryAccess, error) {
	if t == Read || t == Answer {
		address /= PageSize
	}
	if int(address) >= len(w.accesses) {
		return nil, fmt.Errorf("a %v refers to access %d of %d", t, address, len(w.accesses))
	}
	return w.accesses[address], nil
}

// request sends an access as soon as there is a route.
func (w *memoryWorld) request(p *memoryProcess, a *memoryAccess) error {
	node := a.header.ToNode
	if route, ok := p.table.Lookup(node); ok {
		return w.launch(p, a, route)
	}
	w.total.misses++
	if p.table.Wait(node, a) {
		w.ask(p, node)
	}
	return nil
}

// ask asks the operating system for a route. It looks at once, and answers later.
func (w *memoryWorld) ask(p *memoryProcess, node uint16) {
	p.asked = append(p.asked, askedRoute{node, w.processes[node].host})
}

// fill is the answer of the operating system.
func (w *memoryWorld) fill(p *memoryProcess, i int) error {
	asked := p.asked[i]
	p.asked = append(p.asked[:i], p.asked[i+1:]...)
	if dropped := p.table.Fill(asked.node, Route{End: asked.end}); dropped != none {
		w.ask(p, uint16(dropped))
	}
	if w.fault == changesRouteAtOnce {
		p.table.node(asked.node).last = asked.end
	}
	return w.release(p, asked.node)
}

// release sends what has waited for a route.
func (w *memoryWorld) release(p *memoryProcess, node uint16) error {
	for {
		a, route, ok := p.table.Next(node)
		if !ok {
			if p.table.Waiting(node) > 0 && p.table.node(node).valid {
				w.total.held++
			}
			return nil
		}
		if err := w.launch(p, a, route); err != nil {
			return err
		}
	}
}

func (w *memoryWorld) launch(p *memoryProcess, a *memoryAccess, route Route) error {
	p.table.Issued(a.header.ToNode)
	a.sentTo = route.End
	a.header.Route = make([]uint16, w.rng.IntN(3))
	return w.send(p.host, route.End, a.header, a.data[:a.header.Data()], none)
}

// barrier notes what a memory barrier covers.
func (w *memoryWorld) barrier(p *memoryProcess) error {
	b := openBarrier{ticket: p.fence.Barrier()}
	for _, a := range w.accesses {
		if a.from == p.number && a.header.Type != 0 && !a.acked {
			b.covers = append(b.covers, a)
		}
	}
	p.barriers = append(p.barriers, b)
	return p.checkBarriers()
}

// checkBarriers drops barriers that are passed, which they must not be too early.
func (p *memoryProcess) checkBarriers() error {
	for len(p.barriers) > 0 && p.fence.Passed(p.barriers[0].ticket) {
		for _, a := range p.barriers[0].covers {
			if !a.ended() {
				return fmt.Errorf("process %d has passed a memory barrier, and access %d before it is not done", p.number, a.number)
			}
		}
		p.barriers = p.barriers[1:]
	}
	for _, b := range p.barriers {
		if p.fence.Passed(b.ticket) {
			return fmt.Errorf("process %d has passed a memory barrier before an earlier one", p.number)
		}
	}
	return nil
}

// checkDone checks what must hold when all is done.
func (w *memoryWorld) checkDone() error {
	for _, p := range w.processes {
		if len(p.barriers) > 0 || p.fence.Outstanding() > 0 {
			return fmt.Errorf("all is done, and process %d has %d barriers that are not passed and %d accesses under way", p.number, len(p.barriers), p.fence.Outstanding())
		}
		if !bytes.Equal(p.memory, p.shadow) {
			return fmt.Errorf("all is done, and the memory of process %d is not what it should be", p.number)
		}
		for node := range w.processes {
			if p.table.Flying(uint16(node)) != 0 || p.table.Waiting(uint16(node)) != 0 {
				return fmt.Errorf("all is done, and the route table of process %d is not", p.number)
			}
		}
	}
	for _, a := range w.accesses {
		if !a.ended() || !a.acked {
			return fmt.Errorf("all is done, and access %d has fate %d, acknowledged %v", a.number, a.fate, a.acked)
		}
	}
	return nil
}
