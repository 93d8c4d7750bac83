package dma

import (
	"fmt"

	"musubi/nic/barrier"
	"musubi/rma"
	"musubi/sim/host"
)

// collector is a rank of a machine whose interfaces also do barriers and reductions of one
// word.
type collector struct {
	*commander
	groups *groups
}

var (
	_ rma.Collector   = (*collector)(nil)
	_ rma.QueueCoster = (*collector)(nil)
)

// NewGroup implements rma.Collector.
func (r *collector) NewGroup() rma.Group {
	if ch := r.groups.open(r.Process); ch != nil {
		return ch
	}
	return nil
}

// membership is what the interface of a rank has for its part in a group.
type membership struct {
	g         *groups
	r         *host.Process
	number    uint32   // among the channels of all nodes
	members   []uint32 // channels of all members; nil before Join
	state     barrier.Channel
	started   int // operations
	reduction rma.Reduction
	firing    bool // evFired is pending
	open      bool // an operation has been started whose result has not been taken
	told      bool // it can be
}

// Part implements rma.Group.
func (ch *membership) Part() uint64 { return uint64(ch.number) % uint64(ch.g.Barrier.Channels) }

// Join implements rma.Group.
func (ch *membership) Join(ranks []int, parts []uint64) error {
	if len(ranks) != len(parts) || ch.members != nil {
		return fmt.Errorf("rma: Join of rank %d to a group with %d ranks and %d parts; expected as many, once", ch.r.Rank(), len(ranks), len(parts))
	}
	own, members := -1, make([]uint32, len(ranks))
	for i, rank := range ranks {
		if rank < 0 || rank >= len(ch.g.Ranks) {
			return fmt.Errorf("rma: group with rank %d; there are ranks 0 to %d", rank, len(ch.g.Ranks)-1)
		}
		other := ch.g.find(rank, parts[i])
		if other == nil {
			return fmt.Errorf("rma: group with part %d of rank %d, which has none of that number", parts[i], rank)
		}
		if members[i] = other.number; other == ch {
			own = i
		}
	}
	if own < 0 {
		return fmt.Errorf("rma: Join of rank %d to a group that its part is not in", ch.r.Rank())
	}
	ch.members = members
	ch.state.Join(own, len(members))
	return nil
}

// Start implements rma.Group.
func (ch *membership) Start(reduction rma.Reduction, word int64) error {
	switch {
	case ch.members == nil:
		return fmt.Errorf("rma: Start of a group that rank %d has not joined", ch.r.Rank())
	case reduction > rma.Xor:
		return fmt.Errorf("rma: Start of %v; expected %v to %v", reduction, rma.NoOp, rma.Xor)
	case ch.open:
		return fmt.Errorf("rma: Start of a group at rank %d, which has not taken the result of the operation before", ch.r.Rank())
	}
	ch.r.Sleep(ch.g.Machine.Host.Post)
	ch.open, ch.reduction = true, reduction
	ch.started++
	ch.state.Start(barrier.Word{Reduction: reduction, Value: word})
	ch.g.passGate(ch)
	return nil
}

// HasResult implements rma.Group.
func (ch *membership) HasResult() bool { return ch.told }

// Result implements rma.Group.
func (ch *membership) Result() (int64, bool, error) {
	ch.r.Sleep(ch.g.Machine.Host.Poll)
	if !ch.told {
		return 0, false, nil
	}
	word, _ := ch.state.Result()
	ch.open, ch.told = false, false
	if word.Reduction == barrier.Conflict {
		return 0, true, fmt.Errorf("rma: %v at rank %d: %w", ch.reduction, ch.r.Rank(), rma.ErrConflict)
	}
	return word.Value, true, nil
}

// Leave implements rma.Group. A channel that is in use stays open.
func (ch *membership) Leave() {
	if !ch.open && ch.g.channels[ch.number] == ch {
		ch.g.channels[ch.number] = nil
	}
}

// late returns the first member that has not started the present operation; -1 if all have.
func (ch *membership) late() int {
	for _, number := range ch.members {
		if other := ch.g.channels[number]; other.started < ch.started {
			return other.r.Rank()
		}
	}
	return -1
}
