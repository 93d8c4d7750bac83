package device

import (
	"errors"
	"fmt"
	"slices"

	"musubi/nic"
	"musubi/rma"
	"musubi/sim/engine"
)

// memoryRank is a rank whose interface does memory-based communication.
type memoryRank struct {
	*rank
	atomics
}

var (
	_ rma.Atomics     = memoryRank{}
	_ rma.Multicaster = memoryRank{}
)

// Multicasts implements rma.Multicaster.
func (r memoryRank) Multicasts(m rma.Manner) bool { return m <= rma.Hierarchical }

// MulticastPush implements rma.Multicaster.
func (r memoryRank) MulticastPush(to []rma.Address, data []byte, how rma.Multicast) (rma.Op, error) {
	m := r.c.pager
	if !r.Multicasts(how.By) {
		return 0, fmt.Errorf("rma: multicast by %v; expected %v or %v", how.By, rma.Chain, rma.Hierarchical)
	}
	if err := r.checkTargets(to); err != nil {
		return 0, err
	}
	if m.confirmsAll {
		how.Unconfirmed = false // its packets go one after the other; see mustWait
	}
	a := access{request: request{kind: multicast, target: none, local: data}, initiator: int32(r.number), size: len(data), unconfirmed: how.Unconfirmed}
	a.cast = m.newCast(to, how, len(data))
	m.casts[a.cast].base = m.addressOfLocal(r.rank, data)
	return m.begins(r.rank, a, 1)
}

// checkTargets fails unless there are some, which exist, with an address each.
func (r memoryRank) checkTargets(to []rma.Address) error {
	if len(to) == 0 {
		return errors.New("rma: multicast to nobody; expected at least one address")
	}
	seen := make([]bool, len(r.c.ranks))
	for _, at := range to {
		switch {
		case at.Rank < 0 || at.Rank >= len(seen):
			return fmt.Errorf("rma: multicast names rank %d; there are ranks 0 to %d", at.Rank, len(seen)-1)
		case seen[at.Rank]:
			return fmt.Errorf("rma: multicast names rank %d twice; expected one address of each rank", at.Rank)
		}
		seen[at.Rank] = true
	}
	return nil
}

// cast is a multicast, until the last of its packets has been used or refused at the last
// target. It may outlive its operation.
type cast struct {
	how     rma.Multicast
	size    int
	base    uint32 // address of the data at its source
	targets []castTarget
	groups  [][2]int // first target of each packet that is sent of a piece of the data, and the one behind the last
	group   int      // that is sent next
	sent    int      // bytes of which all groups have been sent
	alike   bool     // they differ in nothing that lists of chains name but their node
	left    int      // targets for which not all has come, packets that switches copy still, and one while not all have left
	byEnd   []int32  // numbers of the targets, each group in the order of their end points, once a chain has been turned
	next    uint32   // in the list of those not in use
}

// castTarget is a rank that a multicast goes to.
type castTarget struct {
	at      rma.Address
	address uint32 // of the network
	end     int32  // end point that it is sent to, none if that is not known yet
	written int
	parts   int
	lost    bool // a packet has not come, and nobody is told
}

// newCast returns the number of a new multicast.
func (m *memoryBased) newCast(to []rma.Address, how rma.Multicast, size int) uint32 {
	id := m.unusedCast
	if id == 0 {
		if len(m.casts) == 0 {
			m.casts = append(m.casts, cast{})
		}
		m.casts = append(m.casts, cast{})
		id = uint32(len(m.casts) - 1)
	}
	c := &m.casts[id]
	m.unusedCast = c.next
	m.openCasts++
	*c = cast{how: how, size: size, left: len(to) + 1, targets: c.targets[:0], groups: c.groups[:0], byEnd: c.byEnd[:0]}
	for _, at := range to {
		c.targets = append(c.targets, castTarget{at: at, end: none})
	}
	return id
}

// beginCast finds the addresses of a multicast, and what can go in one packet.
func (m *memoryBased) beginCast(c *cast) {
	for i := range c.targets {
		t := &c.targets[i]
		t.address = m.processes[t.at.Rank].space.address(t.at.Segment, t.at.Offset)
	}
	chain := len(c.targets)
	if c.how.By == rma.Chain {
		c.alike = nic.AreAlike(m.membersOf(c.targets, 0))
		payload := int(m.m.Packet.Payload)
		chain = min(m.m.Remote.Chain, nic.LongestChain(payload, min(c.size, payload/4), c.alike))
	}
	c.divide(chain)
}

// divide groups the targets: chains of a length, or those with the same address, which is
// what switches can copy to.
func (c *cast) divide(chain int) {
	if c.how.By == rma.Hierarchical {
		slices.SortStableFunc(c.targets, func(a, b castTarget) int { return int(int64(a.address) - int64(b.address)) })
	}
	begin := 0
	for i := range c.targets {
		end := i + 1
		if end == len(c.targets) || end-begin == chain || c.how.By == rma.Hierarchical && c.targets[end].address != c.targets[begin].address {
			c.groups = append(c.groups, [2]int{begin, end})
			begin = end
		}
	}
}

// members returns the targets of the group that is sent next.
func (c *cast) members() []castTarget { g := c.groups[c.group]; return c.targets[g[0]:g[1]] }

// piece returns how much of the data goes into the next packets: none of them crosses a page
// anywhere.
func (m *memoryBased) piece(c *cast) int {
	payload := int(m.m.Packet.Payload)
	n := min(payload, c.size-c.sent, leftInPage(int(c.base)+c.sent))
	if c.how.By == rma.Chain {
		longest := 0
		for _, g := range c.groups {
			longest = max(longest, g[1]-g[0])
		}
		n = min(n, nic.ChainCapacity(payload, longest, c.alike))
	}
	for i := range c.targets {
		n = min(n, leftInPage(int(c.targets[i].address)+c.sent))
	}
	return n
}

// castOut sends the next packet of a multicast. It returns false if that has to wait for
// room in the send ring; one that has to wait for a route is taken out of the queue.
func (m *memoryBased) castOut(s *station, id uint32, from *fifo[uint32]) bool {
	a := &m.accesses[id]
	c := &m.casts[a.cast]
	if m.mustWait(a, c) {
		from.pop()
		s.sender.parked.push(id)
		return true
	}
	if !m.lookUp(s, id, c) {
		from.pop()
		return true
	}
	if c.how.By == rma.Hierarchical && c.sent == 0 {
		c.separate()
	}
	number, f := m.frames.take()
	m.formCast(s, id, f)
	if !s.sender.ring.admits(requests, m.ringBytes(f), m.m.SRAM.Send, m.m.SRAM.Reserve) {
		m.frames.drop(number)
		return false
	}
	s.sender.ring[requests] += m.ringBytes(f)
	s.sender.reading = true
	if !c.how.Unconfirmed {
		a.awaited++
	}
	if c.group++; c.group == len(c.groups) {
		c.sent += m.piece(c)
		c.group = 0
	}
	if a.left = c.group == 0 && c.sent == c.size; a.left {
		f.last = true
		from.pop()
	}
	m.q.Push(engine.Event{At: m.overBus(s, f.h.Data(), false), Kind: evRead, A: number})
	return true
}

// separate sorts the targets of the group that is sent next by their end points. Some may be
// taken to be at the same one, where processes move: switches cannot tell them apart, so that
// all but one become the next group.
func (c *cast) separate() {
	members := c.members()
	slices.SortStableFunc(members, func(a, b castTarget) int { return int(a.end - b.end) })
	alone := 1
	for i := 1; i < len(members); i++ {
		if members[i].end == members[alone-1].end {
			continue
		}
		members[alone], members[i] = members[i], members[alone]
		alone++
	}
	if alone < len(members) {
		g := &c.groups[c.group]
		behind := [2]int{g[0] + alone, g[1]}
		g[1] = behind[0]
		c.groups = slices.Insert(c.groups, c.group+1, behind)
	}
}

// lookUp finds the routes that the next packet needs: to the first of a chain, or to all
// that switches copy it to. Once found, they stay for the whole multicast.
func (m *memoryBased) lookUp(s *station, id uint32, c *cast) bool {
	members := c.members()
	if c.how.By == rma.Chain {
		members = members[:1]
	}
	for i := range members {
		t := &members[i]
		if t.end != none {
			continue
		}
		route, ok := m.routeTo(s, uint16(t.at.Rank), id)
		if !ok {
			return false
		}
		t.end = int32(route.End)
	}
	return true
}

// formCast makes the next packet of a multicast.
func (m *memoryBased) formCast(s *station, id uint32, f *frame) {
	a := &m.accesses[id]
	c := &m.casts[a.cast]
	members := c.members()
	f.from, f.origin, f.op, f.cast = int32(s.end), int32(s.end), id, a.cast
	f.offset, f.member = c.sent, c.groups[c.group][0]
	f.h.From, f.h.FromNode = a.stamp, uint16(a.initiator)
	f.h.ReplyTo = flagPage * nic.PageSize
	if !c.how.Unconfirmed {
		f.h.Flags |= nic.Confirm
	}
	data := a.local[c.sent:][:m.piece(c)]
	chain := m.membersOf(members, c.sent)
	for i := range chain {
		chain[i].To.Access ^= a.mistake
	}
	if c.how.By == rma.Chain {
		f.to = members[0].end
		f.data = nic.AppendChain(f.data, &f.h, chain, data)
		f.h.Route = m.steps(f.h.Route, f.from, f.to)
		f.place = members[0].place(c.sent)
		m.measure(f)
		return
	}
	f.h.Type, f.h.To, f.h.ToNode, f.h.At, f.h.Size = nic.MemoryMulticast, chain[0].To, nic.EveryNode, chain[0].At, len(data)
	f.data = append(f.data, data...)
	m.routeAll(f, members)
	m.measure(f)
}

// membersOf returns what a list says of targets, for data from an offset on.
func (m *memoryBased) membersOf(targets []castTarget, offset int) []nic.ChainMember {
	m.chain = m.chain[:0]
	for i := range targets {
		r := targets[i].at.Rank
		m.chain = append(m.chain, nic.ChainMember{Node: uint16(r), To: m.processes[r].id, At: targets[i].address + uint32(offset)})
	}
	return m.chain
}

// routeAll gives a packet that switches copy a route: an element for each level of its tree.
func (m *memoryBased) routeAll(f *frame, members []castTarget) {
	deepest, far := 0, int32(0)
	for i := range members {
		if path, _ := m.cfg.Routes.Path(int(f.from), int(members[i].end)); i == 0 || len(path) > deepest {
			deepest, far = len(path), members[i].end
		}
	}
	f.h.Route = m.routeOver(f.h.Route, f.from, far)
}

// place returns where at a target a byte of the data goes.
func (t *castTarget) place(offset int) rma.Address {
	at := t.at
	at.Offset += offset
	return at
}

// mustWait reports whether the next packet of a multicast could overtake one before it: what
// switches copy, where it may have to be sent again; and any, where members of a chain move.
func (m *memoryBased) mustWait(a *access, c *cast) bool {
	if m.lossy && c.how.By == rma.Hierarchical {
		return a.awaited > 0 || !m.mayCast(a.initiator)
	}
	return m.confirmsAll && a.awaited > 0
}

// unpark lets multicasts try again that wait for acknowledgements.
func (m *memoryBased) unpark(s *station) {
	for range s.sender.parked.len() {
		s.sender.resumed.push(s.sender.parked.pop())
	}
	m.feed(s)
}
