package memory

import (
	"slices"

	"musubi/nic/mbc"
	"musubi/rma"
)

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

// append lets a target follow at the end of the chain of a head.
func (c *cast) append(head, target int32) {
	h := &c.targets[head]
	c.targets[h.last].next = target
	c.targets[target].next, c.targets[target].head = none, head
	h.last = target
	h.followers++
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

// place returns where at a target a byte of the data goes.
func (t *castTarget) place(offset int) rma.Address {
	at := t.at
	at.Offset += offset
	return at
}
