package memory

import (
	"errors"
	"fmt"
	"slices"

	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// memoryRank is a rank whose interface does memory-based communication.
type memoryRank struct {
	*host.Process
	host.Atomics
	m *memoryBased
}

var (
	_ rma.Atomics     = memoryRank{}
	_ rma.Multicaster = memoryRank{}
)

// Multicasts implements rma.Multicaster.
func (r memoryRank) Multicasts(by rma.MulticastMethod) bool {
	return multicasts(r.m.Machine, r.m.Net, by)
}

// MulticastPush implements rma.Multicaster.
func (r memoryRank) MulticastPush(to []rma.Address, data []byte, how rma.Multicast) (rma.Op, error) {
	m := r.m
	switch {
	case how.By > rma.Hierarchical:
		return 0, fmt.Errorf("rma: multicast by %v; expected %v or %v", how.By, rma.Chain, rma.Hierarchical)
	case !r.Multicasts(how.By):
		return 0, fmt.Errorf("rma: multicast by %v, and no switch copies packets (remote.copies = %q); expected %v", how.By, m.Remote.Copies, rma.Chain)
	}
	if err := r.checkTargets(to); err != nil {
		return 0, err
	}
	if m.confirmsAll {
		how.Unacknowledged = false // its packets go one after the other; see mustWait
	}
	a := access{Request: host.Request{Action: host.Multicast, Target: none, Local: data}, initiator: int32(r.Rank()), size: len(data), unconfirmed: how.Unacknowledged}
	a.cast = m.newCast(to, how, len(data))
	m.casts[a.cast].base = m.addressOfLocal(r.Process, data)
	return m.begins(r.Process, a, 1)
}

// checkTargets fails unless there are some, which exist, with an address each.
func (r memoryRank) checkTargets(to []rma.Address) error {
	if len(to) == 0 {
		return errors.New("rma: multicast to nobody; expected at least one address")
	}
	seen := make([]bool, len(r.m.Ranks))
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
	groups  []castGroup // one for each packet that is sent of a piece of the data
	group   int         // that is sent next
	sent    int         // bytes of which all groups have been sent
	alike   bool        // they differ in nothing that lists of chains name but their node
	left    int         // targets for which not all has come, packets that switches copy still, and one while not all have left
	order   []int32     // numbers of the targets; what switches copy goes to them in this order; see arrange
	next    uint32      // in the list of those not in use
}

// castTarget is a rank that a multicast goes to.
type castTarget struct {
	at      rma.Address
	address uint32 // of the network
	end     int32  // end point that it is sent to by the source, or by who has switches copy it; none if that is not known yet
	hop     int32  // the same by the interface before it in a chain
	written int
	parts   int
	lost    bool // a packet has not come, and nobody is told

	next      int32 // behind it in the chain of a head, none if there is none
	head      int32 // of that chain, perhaps itself
	last      int32 // of a head: the last one of its chain
	followers int
	answered  int          // one more than the offset of the last packet that it has answered as a copy
	answer    mbc.AckTally // to that
}

// castGroup is the targets of a packet: those from a first one on.
type castGroup struct {
	first, behind int
	heads         int // of these, that switches copy it to
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
	*c = cast{how: how, size: size, left: len(to) + 1, targets: c.targets[:0], groups: c.groups[:0], order: c.order[:0]}
	for i, at := range to {
		c.targets = append(c.targets, castTarget{at: at, end: none, hop: none, next: none})
		c.order = append(c.order, int32(i))
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
		c.alike = mbc.AreAlike(m.membersOf(c.targets, 0))
		payload := int(m.Machine.Packet.Payload)
		chain = min(m.Remote.Chain, mbc.LongestChain(payload, min(c.size, payload/4), c.alike))
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
			c.groups = append(c.groups, castGroup{first: begin, behind: end})
			begin = end
		}
	}
}

// groupOf returns the group that a target, or a place in the order, is one of.
func (c *cast) groupOf(place int) *castGroup {
	i, _ := slices.BinarySearchFunc(c.groups, place+1, func(g castGroup, behind int) int { return g.behind - behind })
	return &c.groups[i]
}

// piece returns how much of the data goes into the next packets: none of them crosses a page
// anywhere.
func (m *memoryBased) piece(c *cast) int {
	payload := int(m.Machine.Packet.Payload)
	n := min(payload, c.size-c.sent, leftInPage(int(c.base)+c.sent))
	if c.how.By == rma.Chain {
		longest := 0
		for _, g := range c.groups {
			longest = max(longest, g.behind-g.first)
		}
		n = min(n, mbc.ChainCapacity(payload, longest, c.alike))
	}
	if c.how.By == rma.Hierarchical || m.Remote.Convert {
		n = min(n, payload-m.listRoom(c))
	}
	for i := range c.targets {
		n = min(n, leftInPage(int(c.targets[i].address)+c.sent))
	}
	return n
}

// castOut sends the next packet of a multicast. It returns false if that has to wait for
// room in the send ring; one that has to wait for a route is taken out of the queue.
func (m *memoryBased) castOut(s *station, id uint32, from *host.FIFO[uint32]) bool {
	a := &m.accesses[id]
	c := &m.casts[a.cast]
	if m.mustWait(s, a, c) {
		from.Pop()
		s.sender.parked.Push(id)
		return true
	}
	if !m.lookUp(s, id, c) {
		from.Pop()
		return true
	}
	if c.how.By == rma.Hierarchical && c.sent == 0 {
		m.part(int32(s.end), c)
	}
	number, f := m.frames.take()
	m.formCast(s, id, f)
	if !s.sender.ring.admits(requests, m.ringBytes(f), m.SRAM.Send, m.SRAM.Reserve) {
		m.frames.drop(number)
		return false
	}
	s.sender.ring[requests] += m.ringBytes(f)
	s.sender.reading = true
	if !c.how.Unacknowledged {
		a.awaited++
	}
	if c.group++; c.group == len(c.groups) {
		c.sent += m.piece(c)
		c.group = 0
	}
	m.numberCopies(s, number)
	if a.left = c.group == 0 && c.sent == c.size; a.left {
		f.last = true
		from.Pop()
	}
	m.Clock.Push(engine.Event{At: m.overBus(s, f.h.Data(), false), Kind: evRead, A: number})
	return true
}

// part arranges the targets of the group that is sent next, of which those that one packet
// does not get to become the next group.
func (m *memoryBased) part(from int32, c *cast) {
	g := &c.groups[c.group]
	heads, reached := m.arrange(from, c, c.order[g.first:g.behind])
	g.heads = heads
	if behind := (castGroup{first: g.first + reached, behind: g.behind}); behind.first < behind.behind {
		g.behind = behind.first
		c.groups = slices.Insert(c.groups, c.group+1, behind)
	}
}

// lookUp finds the routes that the next packet needs: to the first of a chain, or to all
// that switches copy it to. Once found, they stay for the whole multicast.
func (m *memoryBased) lookUp(s *station, id uint32, c *cast) bool {
	g := c.groups[c.group]
	places := c.order[g.first:g.behind]
	if c.how.By == rma.Chain {
		places = []int32{int32(g.first)}
	}
	for _, i := range places {
		t := &c.targets[i]
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

// place returns where at a target a byte of the data goes.
func (t *castTarget) place(offset int) rma.Address {
	at := t.at
	at.Offset += offset
	return at
}

// mustWait reports whether the next packet of a multicast could overtake one before it: what
// switches copy, where it may have to be sent again; and any, where members of a chain move.
func (m *memoryBased) mustWait(s *station, a *access, c *cast) bool {
	if m.lossy && c.how.By == rma.Hierarchical && !m.mayCast(s) {
		return true
	}
	again := m.lossy && (c.how.By == rma.Hierarchical || m.Remote.Convert)
	return (again || m.confirmsAll) && a.awaited > 0
}

// unpark lets multicasts try again that wait for acknowledgements.
func (m *memoryBased) unpark(s *station) {
	for range s.sender.parked.Len() {
		s.sender.resumed.Push(s.sender.parked.Pop())
	}
	m.feed(s)
}
