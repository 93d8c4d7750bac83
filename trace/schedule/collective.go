package schedule

import (
	"fmt"
	"hash/maphash"
	"maps"
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

// digest stands for the collective operations of a rank in a group: other operations have another one.
type digest struct {
	count int
	hash  uint64
}

// checkCollectives fails if ranks of a group do not call the same operations.
func (s *Schedule) checkCollectives() error {
	digests := map[uint32]map[int]digest{} // of each group and rank
	seed := maphash.MakeSeed()
	for r := range s.Ranks {
		s.Used(len(s.Ranks[r].Ops))
		for i := range s.Ranks[r].Ops {
			op := &s.Ranks[r].Ops[i]
			if op.Kind != Collective {
				continue
			}
			if digests[op.Peer] == nil {
				digests[op.Peer] = map[int]digest{}
			}
			d, known := digests[op.Peer][r]
			if !known && op.Peer != Any && !slices.Contains(s.Groups[op.Peer], uint32(r)) {
				return fmt.Errorf("%s: rank %d is not in its group", s.Where(r, i), r)
			}
			digests[op.Peer][r] = digest{d.count + 1, maphash.Comparable(seed, [3]uint64{d.hash, uint64(op.Tag), op.Size})}
		}
	}
	for _, group := range slices.Sorted(maps.Keys(digests)) {
		members := s.Members(group)
		first := int(members[0])
		for _, member := range members[1:] {
			if digests[group][first] != digests[group][int(member)] {
				return s.compare(s.calls(group, first), s.calls(group, int(member)), first, int(member))
			}
		}
	}
	return nil
}

// calls returns the collective operations of a rank in a group.
func (s *Schedule) calls(group uint32, rank int) (all []int) {
	for i := range s.Ranks[rank].Ops {
		if op := &s.Ranks[rank].Ops[i]; op.Kind == Collective && op.Peer == group {
			all = append(all, i)
		}
	}
	return all
}

// compare fails if two ranks of a group call different operations.
func (s *Schedule) compare(a, b []int, rankA, rankB int) error {
	for i := range min(len(a), len(b)) {
		one, other := s.Ranks[rankA].Ops[a[i]], s.Ranks[rankB].Ops[b[i]]
		if one.Tag != other.Tag || one.Size != other.Size {
			return fmt.Errorf("%s: expected the same as %s", s.Where(rankB, b[i]), s.Where(rankA, a[i]))
		}
	}
	switch {
	case len(a) > len(b):
		return fmt.Errorf("%s: rank %d has no such operation", s.Where(rankA, a[len(b)]), rankB)
	case len(b) > len(a):
		return fmt.Errorf("%s: rank %d has no such operation", s.Where(rankB, b[len(a)]), rankA)
	}
	return nil
}
