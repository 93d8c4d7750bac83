package schedule

import (
	"fmt"
	"slices"
)

// Collective is the kind of an operation of a group of ranks. Other formats than GOAL have them. Its Peer is the
// number of its group, Any for all ranks; its Tag is the Operation; and its Size is what a rank hands in: of
// AllReduce, Reduce and Broadcast the whole, of AllGather and Gather its part, of AllToAll, ReduceScatter
// and Scatter the parts for all. The root is the first rank of the group. Ranks do the operations of a group
// in the order in which they are listed.
const Collective Kind = 4

// Operation is a collective operation, by its number in Chakra.
type Operation uint32

// The operations.
const (
	AllReduce Operation = iota
	Reduce
	AllGather
	Gather
	Scatter
	Broadcast
	AllToAll
	ReduceScatter
	ReduceScatterBlock
	Barrier
	operations
)

var operationNames = [...]string{
	"all-reduce", "reduce", "all-gather", "gather", "scatter", "broadcast", "all-to-all", "reduce-scatter", "reduce-scatter of equal blocks", "barrier",
}

func (o Operation) String() string {
	if o < operations {
		return operationNames[o]
	}
	return fmt.Sprintf("operation %d", uint32(o))
}

// Valid reports whether there is such an operation.
func (o Operation) Valid() bool { return o < operations }

// Members returns the ranks of a group.
func (s *Schedule) Members(group uint32) []uint32 {
	if group != Any {
		return s.Groups[group]
	}
	all := make([]uint32, len(s.Ranks))
	for r := range all {
		all[r] = uint32(r)
	}
	return all
}

// call is a collective operation of a rank.
type call struct{ rank, op int }

// checkCollectives fails if ranks of a group do not call the same operations.
func (s *Schedule) checkCollectives() error {
	calls := map[uint32]map[int][]call{} // of each group and rank
	for r := range s.Ranks {
		for i := range s.Ranks[r].Ops {
			op := &s.Ranks[r].Ops[i]
			if op.Kind != Collective {
				continue
			}
			if calls[op.Peer] == nil {
				calls[op.Peer] = map[int][]call{}
			}
			calls[op.Peer][r] = append(calls[op.Peer][r], call{r, i})
		}
	}
	for group, of := range calls {
		members := s.Members(group)
		first := of[int(members[0])]
		for _, member := range members[1:] {
			if err := s.compare(first, of[int(member)], int(members[0]), int(member)); err != nil {
				return err
			}
		}
		for r, calls := range of {
			if !slices.Contains(members, uint32(r)) {
				return fmt.Errorf("%s: rank %d is not in its group", s.Where(r, calls[0].op), r)
			}
		}
	}
	return nil
}

// compare fails if two ranks of a group call different operations.
func (s *Schedule) compare(a, b []call, rankA, rankB int) error {
	for i := range min(len(a), len(b)) {
		one, other := s.Ranks[rankA].Ops[a[i].op], s.Ranks[rankB].Ops[b[i].op]
		if one.Tag != other.Tag || one.Size != other.Size {
			return fmt.Errorf("%s: expected the same as %s", s.Where(rankB, b[i].op), s.Where(rankA, a[i].op))
		}
	}
	switch {
	case len(a) > len(b):
		return fmt.Errorf("%s: rank %d has no such operation", s.Where(rankA, a[len(b)].op), rankB)
	case len(b) > len(a):
		return fmt.Errorf("%s: rank %d has no such operation", s.Where(rankB, b[len(a)].op), rankA)
	}
	return nil
}
