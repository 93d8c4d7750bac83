package memory

import (
	"fmt"
	"slices"

	"musubi/nic/mbc"
	"musubi/rma"
)

type castTable struct {
	m      *memoryBased
	list   []cast
	unused uint32
	open   int
}

// loses notes that a packet will not come to a target.
func (table *castTable) loses(f *frame, t *castTarget) {
	if c := &table.list[f.cast]; !t.lost && (t.written < c.size || t.parts == 0) {
		t.lost = true
		table.leaveCast(f.cast, f.op)
	}
}

// countCast enters a part of a multicast into the books. It must be the next one of its
// target: no part is lost, done twice, or done before those that were sent earlier.
func (table *castTable) countCast(f *frame) {
	c := &table.list[f.cast]
	t := &c.targets[f.member]
	n := len(f.payload())
	if t.lost {
		return
	}
	if f.offset != t.written || t.parts > 0 && t.written == c.size {
		table.m.Fail(fmt.Errorf("sim: multicast to %v: bytes from %d on come where those from %d on are next of %d", t.at, f.offset, t.written, c.size))
		return
	}
	t.written += n
	t.parts++
	if t.written == c.size {
		table.leaveCast(f.cast, f.op)
	}
}

// leaveCast notes that a target has all of a multicast, or that all of its packets have
// left.
func (table *castTable) leaveCast(id, op uint32) {
	c := &table.list[id]
	if c.left--; c.left > 0 {
		return
	}
	if a := table.m.operations.accesses.At(op); !c.how.Unacknowledged && a.cast == id {
		a.cast = 0
	}
	c.next, table.unused = table.unused, id
	table.open--
}

// castDone fails unless all targets of a multicast that is acknowledged have had all of it.
func (table *castTable) castDone(id uint32) {
	a := table.m.operations.accesses.At(id)
	if a.cast == 0 || a.unconfirmed || table.m.OpErr(id) != nil {
		return
	}
	for _, t := range table.list[a.cast].targets {
		if t.written != a.size || t.parts == 0 {
			table.m.Fail(fmt.Errorf("sim: a multicast of rank %d is complete, but %d of %d bytes are at %v", a.initiator, t.written, a.size, t.at))
		}
	}
}

// headsOf returns the targets that switches copy a packet to.
func (table *castTable) headsOf(f *frame) []int32 {
	c := &table.list[f.cast]
	return c.order[f.member:][:c.groupOf(f.member).heads]
}

// headAt returns the one of them that is taken to be at an end point.
func (table *castTable) headAt(f *frame, end int32) int32 {
	c, heads := &table.list[f.cast], table.headsOf(f)
	i, _ := slices.BinarySearchFunc(heads, end, func(head, end int32) int { return int(c.targets[head].end - end) })
	return heads[i]
}

// newCast returns the number of a new multicast.
func (table *castTable) newCast(to []rma.Address, how rma.Multicast, size int) uint32 {
	id := table.unused
	if id == 0 {
		if len(table.list) == 0 {
			table.list = append(table.list, cast{})
		}
		table.list = append(table.list, cast{})
		id = uint32(len(table.list) - 1)
	}
	c := &table.list[id]
	table.unused = c.next
	table.open++
	*c = cast{how: how, size: size, left: len(to) + 1, targets: c.targets[:0], groups: c.groups[:0], order: c.order[:0]}
	for i, at := range to {
		c.targets = append(c.targets, castTarget{at: at, end: none, hop: none, next: none})
		c.order = append(c.order, int32(i))
	}
	return id
}

// beginCast finds the addresses of a multicast, and what can go in one packet.
func (table *castTable) beginCast(c *cast) {
	for i := range c.targets {
		t := &c.targets[i]
		t.address = table.m.residents.processes[t.at.Rank].space.address(t.at.Segment, t.at.Offset)
	}
	chain := len(c.targets)
	if c.how.By == rma.Chain {
		c.alike = mbc.AreAlike(table.m.former.membersOf(c.targets, 0))
		payload := int(table.m.Machine.Packet.Payload)
		chain = min(table.m.Remote.Chain, mbc.LongestChain(payload, min(c.size, payload/4), c.alike))
	}
	c.divide(chain)
}

// piece returns how much of the data goes into the next packets: none of them crosses a page
// anywhere.
func (table *castTable) piece(c *cast) int {
	payload := int(table.m.Machine.Packet.Payload)
	n := min(payload, c.size-c.sent, leftInPage(int(c.base)+c.sent))
	if c.how.By == rma.Chain {
		longest := 0
		for _, g := range c.groups {
			longest = max(longest, g.behind-g.first)
		}
		n = min(n, mbc.ChainCapacity(payload, longest, c.alike))
	}
	if c.how.By == rma.Hierarchical || table.m.Remote.Convert {
		n = min(n, payload-table.m.trees.listRoom(c))
	}
	for i := range c.targets {
		n = min(n, leftInPage(int(c.targets[i].address)+c.sent))
	}
	return n
}
