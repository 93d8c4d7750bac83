package groups

import (
	"encoding/binary"
	"math/bits"

	"musubi/rma"
	"musubi/workload/internal/ranks"
)

// unicast: the root pushes to one rank after the other.
func (r *multicastRank) unicast() error {
	if !r.isRoot() {
		return r.awaitUnacknowledged()
	}
	for position := 1; position < r.p.Size(); position++ {
		if err := r.pushTo(position); err != nil {
			return err
		}
	}
	if r.trial.acks {
		return r.settle()
	}
	return nil
}

// byNetwork: the root's interface gets the list of all ranks, and the network does the rest.
func (r *multicastRank) byNetwork(m rma.MulticastMethod) error {
	if !r.isRoot() {
		return r.awaitUnacknowledged()
	}
	var to []rma.Address
	for position := 1; position < r.p.Size(); position++ {
		to = append(to, r.address(position))
	}
	op, err := r.p.(rma.Multicaster).MulticastPush(to, r.place(), rma.Multicast{By: m, Unacknowledged: !r.trial.acks})
	if err != nil || !r.trial.acks {
		r.open = append(r.open, op)
		return err
	}
	return r.p.Wait(op)
}

// awaitUnacknowledged waits for data whose arrival nobody reports to the root. If it is
// acknowledged, this rank need not look.
func (r *multicastRank) awaitUnacknowledged() error {
	if r.trial.acks {
		return nil
	}
	return r.await()
}

// passOn: each rank that has the data pushes it to its children. In a tree a rank acknowledges when
// all of its children have; in a chain only the last rank does, to the root.
func (r *multicastRank) passOn() error {
	if !r.isRoot() {
		if err := r.await(); err != nil {
			return err
		}
	}
	children := r.children()
	for _, child := range children {
		if err := r.pushTo(child); err != nil {
			return err
		}
	}
	if !r.trial.acks {
		return nil
	}
	if r.trial.method == chainMethod {
		return r.acknowledgeChain()
	}
	for _, child := range children {
		if err := r.awaitWord(stepTo(child)); err != nil {
			return err
		}
	}
	if r.isRoot() {
		return nil
	}
	return r.acknowledge(r.position&(r.position-1), stepTo(r.position))
}

// acknowledgeChain sends the acknowledgement of the last rank of a chain to the root.
func (r *multicastRank) acknowledgeChain() error {
	switch {
	case r.isRoot():
		return r.awaitWord(0)
	case r.position == r.p.Size()-1:
		return r.acknowledge(0, 0)
	}
	return nil
}

// children returns the positions that this one pushes to. In a tree the parent of a position is the
// position without its lowest binary digit that is 1. So the child with the largest subtree comes
// first, and subtrees are contiguous.
func (r *multicastRank) children() []int {
	n := r.p.Size()
	if r.trial.method == chainMethod {
		if r.position == n-1 {
			return nil
		}
		return []int{r.position + 1}
	}
	var list []int
	below := 1 << bits.Len(uint(n-1))
	if !r.isRoot() {
		below = 1 << stepTo(r.position)
	}
	for below /= 2; below > 0; below /= 2 {
		if child := r.position + below; child < n {
			list = append(list, child)
		}
	}
	return list
}

// stepTo returns the step of a tree in which a position is served; the last step is 0.
func stepTo(position int) int { return bits.TrailingZeros(uint(position)) }

func (r *multicastRank) address(position int) rma.Address {
	return rma.Address{Rank: r.rank(position), Segment: r.data.Number, Offset: r.offset()}
}

// pushTo starts to push the data to a position.
func (r *multicastRank) pushTo(position int) error {
	op, err := r.p.Push(r.address(position), r.place(), rma.DMA)
	r.open = append(r.open, op)
	return err
}

// acknowledge writes the number of the multicast to a word of a position.
func (r *multicastRank) acknowledge(position, word int) error {
	data := binary.LittleEndian.AppendUint64(nil, uint64(r.count))
	op, err := r.p.Push(rma.Address{Rank: r.rank(position), Segment: r.marked.Number, Offset: ranks.WordSize * word}, data, rma.DMA)
	r.open = append(r.open, op)
	return err
}

// awaitWord waits until somebody has acknowledged this multicast in a word.
func (r *multicastRank) awaitWord(word int) error {
	memory := r.marked.Memory[ranks.WordSize*word:]
	return r.p.WaitUntil(func() bool { return binary.LittleEndian.Uint64(memory) == uint64(r.count) })
}
