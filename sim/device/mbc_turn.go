package device

import (
	"fmt"
	"slices"

	"musubi/nic"
	"musubi/sim/engine"
)

// A chain can be turned on its way: the interface of its first member, when it has stored the
// data, lets switches copy it to all others. Their acknowledgement comes back to that
// interface, which adds its own and sends it on to the source. So a source that only lists
// members has most of what switches can do.

// mayTurn reports whether a chain that is sent on can go on as what switches copy.
func (m *memoryBased) mayTurn(f *frame) bool {
	if !m.m.Remote.Convert {
		return false
	}
	done, err := nic.ChainTally(&f.h, f.data)
	return err == nil && done.Answered == 1 && nic.CanBeCopied(&f.h, f.data)
}

// ends returns the numbers of the targets from the first one of a chain that is turned on,
// in the order of their end points, which are known.
func (c *cast) ends(first int) []int32 {
	for i := len(c.byEnd); i < len(c.targets); i++ {
		c.byEnd = append(c.byEnd, int32(i))
	}
	return c.byEnd[first:][:len(c.groupOf(first))]
}

// shareEnd sorts the targets of a chain by their end points, and reports whether some are
// taken to be at the same one, as can be where processes move. Switches cannot tell them
// apart.
func (c *cast) shareEnd(first int) bool {
	ends := c.ends(first)
	slices.SortFunc(ends, func(i, j int32) int { return int(c.targets[i].end - c.targets[j].end) })
	for k := range ends[1:] {
		if c.targets[ends[k]].end == c.targets[ends[k+1]].end {
			return true
		}
	}
	return false
}

// memberAt returns the target at an end point, of a chain that was turned.
func (c *cast) memberAt(first int, end int32) int {
	ends := c.ends(first)
	k, _ := slices.BinarySearchFunc(ends, end, func(i, end int32) int { return int(c.targets[i].end - end) })
	return int(ends[k])
}

// turn sends a chain on as what switches copy to the members that are left.
func (m *memoryBased) turn(s *station, number uint32, members []castTarget) {
	f := m.frames.list[number]
	payload, done, err := nic.HierarchicalForm(&f.h, f.data)
	if err != nil {
		panic(err) // it was looked at before
	}
	f.data = append(f.data[:0], payload...)
	f.h.Flags &^= nic.Refused // that the member here has is in the tally
	f.turned, f.answers = true, done
	m.use.Turned++
	m.routeAll(f, members)
	m.measure(f)
	m.queueOn(s, number)
}

// turner returns the member whose interface has turned a chain, of which all others have now
// answered.
func (m *memoryBased) turner(f *frame) (rank int) {
	c := &m.casts[f.cast]
	if members := 1 + len(c.groupOf(f.member)); int(f.answers.Answered) != members {
		m.fail(fmt.Errorf("device: a chain of %d that was turned is acknowledged when %d have answered", members, f.answers.Answered))
	}
	return c.targets[f.member-1].at.Rank
}

// answerChain lets the source of a chain that was turned know what all of its members have
// answered.
func (m *memoryBased) answerChain(f *frame) {
	number, answer := m.back(f, nic.MemoryCombinedAck, tallyBytes)
	answer.data = f.answers.Append(answer.data)
	m.q.Push(engine.Event{At: m.q.Now() + m.m.NIC.Reply, Kind: evReply, A: number})
}
