package memory

import (
	"slices"

	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/machine"
	"musubi/topology"
)

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

// arrange sorts targets of a multicast for the next packet of it that switches copy: heads in
// the order of their end points, those that follow them in chains, and what needs another
// packet. It returns how many these are.
func (m *memoryBased) arrange(from int32, c *cast, targets []int32) (heads, reached int) {
	slices.SortFunc(targets, func(i, j int32) int {
		if a, b := c.targets[i].end, c.targets[j].end; a != b {
			return int(a - b)
		}
		return int(i - j)
	})
	for k := range targets {
		if m.isHead(from, c, targets[:heads], targets[k]) {
			t := targets[k]
			copy(targets[heads+1:k+1], targets[heads:k])
			targets[heads] = t
			h := &c.targets[t]
			h.next, h.head, h.last, h.followers = none, t, t, 0
			heads++
		}
	}
	return heads, heads + m.follow(c, targets[:heads], targets[heads:])
}

// isHead reports whether a packet that switches copy to heads can get to a target as well,
// without parting where it cannot be copied.
func (m *memoryBased) isHead(from int32, c *cast, heads []int32, target int32) bool {
	end := c.targets[target].end
	if len(heads) > 0 && c.targets[heads[len(heads)-1]].end == end {
		return false // switches cannot tell them apart, where processes move
	}
	if m.copiesAll {
		return true
	}
	for _, head := range heads {
		if !m.copies[m.parting(from, c.targets[head].end, end)] {
			return false
		}
	}
	return true
}

// parting returns the switch at which the paths to two end points part.
func (m *memoryBased) parting(from, a, b int32) int {
	net := m.Net
	one, _ := m.Routes.Path(int(from), int(a))
	other, _ := m.Routes.Path(int(from), int(b))
	at := net.EndPoints[from].At.Switch
	for i := 0; i < len(one) && i < len(other) && one[i] == other[i]; i++ {
		at = net.To(one[i].Channel()).Switch
	}
	return at
}

// follow puts targets into the chains of heads at their switches, and in front of those for
// which there is none, or no room. It returns how many they are.
func (m *memoryBased) follow(c *cast, heads, targets []int32) (n int) {
	if m.copiesAll {
		return 0
	}
	words := 0
	for k, t := range targets {
		head := m.headFor(c, heads, c.targets[t].end)
		if head == none {
			continue
		}
		more := 1
		if c.targets[head].next == none {
			more = 3 // with the head, and the length of the list
		}
		if words+more > m.mostListed() {
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
func (m *memoryBased) headFor(c *cast, heads []int32, end int32) int32 {
	at := m.switchOf(end)
	for _, head := range heads {
		h := &c.targets[head]
		if m.switchOf(h.end) == at && !m.copies[at] && h.followers+1 < m.Remote.Chain {
			return head
		}
	}
	return none
}

func (m *memoryBased) switchOf(end int32) int { return m.Net.EndPoints[end].At.Switch }

// append lets a target follow at the end of the chain of a head.
func (c *cast) append(head, target int32) {
	h := &c.targets[head]
	c.targets[h.last].next = target
	c.targets[target].next, c.targets[target].head = none, head
	h.last = target
	h.followers++
}

// chainWords is how many words more than its list takes a copy has in front of its data when
// it is a chain: a tally of three, the number of members, and who has made it a chain; but
// neither the length nor the first node.
const chainWords = 3

// mostListed returns how many words lists in a packet can have, so that a quarter of it is
// left to data in either form.
func (m *memoryBased) mostListed() int {
	payload := int(m.Machine.Packet.Payload)
	return (payload-payload/4)/2 - chainWords
}

// listRoom returns how many bytes of each packet are kept for lists: with two targets or more
// in each, there are half as many lengths as targets.
func (m *memoryBased) listRoom(c *cast) int {
	if m.copiesAll {
		return 0
	}
	return 2 * (chainWords + min(len(c.targets)*3/2, m.mostListed()))
}

// lists returns the lists of those heads that have others to send on to.
func (m *memoryBased) lists(c *cast, heads []int32) mbc.NodeLists {
	m.listed = m.listed[:0]
	for _, head := range heads {
		if c.targets[head].next == none {
			continue
		}
		m.nodes = m.nodes[:0]
		for t := head; t != none; t = c.targets[t].next {
			m.nodes = append(m.nodes, uint16(c.targets[t].at.Rank))
		}
		m.listed = m.listed.Add(m.nodes...)
	}
	return m.listed
}

// chainBelow makes a copy the chain through those that it is to go on to, if there are any.
func (m *memoryBased) chainBelow(s *station, f *frame) {
	chain, ok, err := mbc.ChainForm(m.converted[:0], &f.h, f.data, uint16(s.end))
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	m.converted = chain
	if !ok {
		return
	}
	f.data = append(f.data[:0], chain...)
	f.below = true
	m.use.Chained++
}

// answerChainBelow answers a copy when all have answered that have it from its head.
func (m *memoryBased) answerChainBelow(f *frame) {
	tally, err := mbc.ParseTally(f.data)
	if err != nil {
		panic(err) // as for chainBelow
	}
	m.answerCopy(f, tally)
}
