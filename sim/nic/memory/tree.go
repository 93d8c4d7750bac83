package memory

import (
	"slices"

	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/machine"
	"musubi/topology"
)

// treePlan arranges targets.
type treePlan struct {
	m         *memoryBased
	copies    []bool // by switch: it copies packets
	copiesAll bool
	nodes     []uint16      // of a list that is being formed
	listed    mbc.NodeLists // of the packet that is being formed
}

// Not all switches copy packets (remote.copies). Targets at one that does not are a branch of
// their own: one of them, its head, gets the copy, and its interface goes on as a chain through
// the others. The last one acknowledges to that interface, which answers for all of them. So
// switches combine what heads answer, as everywhere. On its way to the heads a packet parts
// only in switches that copy it; targets that it cannot reach so get another packet.

// multicasts reports whether interfaces of model "memory-based" know a manner of multicasts on
// a network.
func multicasts(m *machine.Machine, net *topology.Network, by rma.MulticastMethod) bool {
	return by == rma.Chain || by == rma.Hierarchical && slices.Contains(copying(m, net), true)
}

// copying returns which switches copy packets.
func copying(m *machine.Machine, net *topology.Network) []bool {
	copies := make([]bool, len(net.Switches))
	for sw := range copies {
		copies[sw] = sectionOf(m).Remote.Copies != "none"
	}
	if sectionOf(m).Remote.Copies == "inner" {
		for i := range net.EndPoints {
			copies[net.EndPoints[i].At.Switch] = false
		}
	}
	return copies
}

// chainWords is how many words more than its list takes a copy has in front of its data when
// it is a chain: a tally of three, the number of members, and who has made it a chain; but
// neither the length nor the first node.
const chainWords = 3

// arrange sorts targets of a multicast for the next packet of it that switches copy: heads in
// the order of their end points, those that follow them in chains, and what needs another
// packet. It returns how many these are.
func (plan *treePlan) arrange(from int32, c *cast, targets []int32) (heads, reached int) {
	slices.SortFunc(targets, func(i, j int32) int {
		if a, b := c.targets[i].end, c.targets[j].end; a != b {
			return int(a - b)
		}
		return int(i - j)
	})
	for k := range targets {
		if plan.isHead(from, c, targets[:heads], targets[k]) {
			t := targets[k]
			copy(targets[heads+1:k+1], targets[heads:k])
			targets[heads] = t
			h := &c.targets[t]
			h.next, h.head, h.last, h.followers = none, t, t, 0
			heads++
		}
	}
	return heads, heads + plan.follow(c, targets[:heads], targets[heads:])
}

// isHead reports whether a packet that switches copy to heads can get to a target as well,
// without parting where it cannot be copied.
func (plan *treePlan) isHead(from int32, c *cast, heads []int32, target int32) bool {
	end := c.targets[target].end
	if len(heads) > 0 && c.targets[heads[len(heads)-1]].end == end {
		return false // switches cannot tell them apart, where processes move
	}
	if plan.copiesAll {
		return true
	}
	for _, head := range heads {
		if !plan.copies[plan.m.paths.parting(from, c.targets[head].end, end)] {
			return false
		}
	}
	return true
}

// follow puts targets into the chains of heads at their switches, and in front of those for
// which there is none, or no room. It returns how many they are.
func (plan *treePlan) follow(c *cast, heads, targets []int32) (n int) {
	if plan.copiesAll {
		return 0
	}
	words := 0
	for k, t := range targets {
		head := plan.headFor(c, heads, c.targets[t].end)
		if head == none {
			continue
		}
		more := 1
		if c.targets[head].next == none {
			more = 3 // with the head, and the length of the list
		}
		if words+more > plan.mostListed() {
			continue
		}
		words += more
		c.append(head, t)
		copy(targets[n+1:k+1], targets[n:k])
		targets[n] = t
		n++
	}
	return n
}

// headFor returns the head whose chain a target at an end point can join, none if there is
// none.
func (plan *treePlan) headFor(c *cast, heads []int32, end int32) int32 {
	at := plan.m.paths.switchOf(end)
	for _, head := range heads {
		h := &c.targets[head]
		if plan.m.paths.switchOf(h.end) == at && !plan.copies[at] && h.followers+1 < plan.m.Remote.Chain {
			return head
		}
	}
	return none
}

// mostListed returns how many words lists in a packet can have, so that a quarter of it is
// left to data in either form.
func (plan *treePlan) mostListed() int {
	payload := int(plan.m.Machine.Packet.Payload)
	return (payload-payload/4)/2 - chainWords
}

// listRoom returns how many bytes of each packet are kept for lists: with two targets or more
// in each, there are half as many lengths as targets.
func (plan *treePlan) listRoom(c *cast) int {
	if plan.copiesAll {
		return 0
	}
	return 2 * (chainWords + min(len(c.targets)*3/2, plan.mostListed()))
}

// lists returns the lists of those heads that have others to send on to.
func (plan *treePlan) lists(c *cast, heads []int32) mbc.NodeLists {
	plan.listed = plan.listed[:0]
	for _, head := range heads {
		if c.targets[head].next == none {
			continue
		}
		plan.nodes = plan.nodes[:0]
		for t := head; t != none; t = c.targets[t].next {
			plan.nodes = append(plan.nodes, uint16(c.targets[t].at.Rank))
		}
		plan.listed = plan.listed.Add(plan.nodes...)
	}
	return plan.listed
}

// part arranges the targets of the group that is sent next, of which those that one packet
// does not get to become the next group.
func (plan *treePlan) part(from int32, c *cast) {
	g := &c.groups[c.group]
	heads, reached := plan.arrange(from, c, c.order[g.first:g.behind])
	g.heads = heads
	if behind := (castGroup{first: g.first + reached, behind: g.behind}); behind.first < behind.behind {
		g.behind = behind.first
		c.groups = slices.Insert(c.groups, c.group+1, behind)
	}
}
