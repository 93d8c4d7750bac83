package mpi

import (
	"fmt"
	"slices"

	"musubi/mpi/internal/fault"
)

// Group is some processes of a job in an order, which gives them ranks. It is a value, which nothing changes;
// the zero value has no processes. Processes are named by their ranks in the communicator of New.
type Group struct{ processes []int }

// GroupOf returns the group of some processes, in their order. It fails with ErrGroup if one is named twice
// or negative.
func GroupOf(processes ...int) (Group, error) {
	for i, p := range processes {
		if p < 0 || slices.Contains(processes[:i], p) {
			return Group{}, groupError("GroupOf", fault.Group, "process %d, negative or twice; expected each once", p)
		}
	}
	return Group{slices.Clone(processes)}, nil
}

// Group returns the processes of the communicator.
func (c *Comm) Group() Group {
	if c == nil {
		return Group{}
	}
	all := make([]int, c.Size())
	for rank := range all {
		all[rank] = int(c.comm.Process(rank))
	}
	return Group{all}
}

// Size returns how many processes there are.
func (g Group) Size() int { return len(g.processes) }

// Processes returns the processes in the order of their ranks.
func (g Group) Processes() []int { return slices.Clone(g.processes) }

// RankOf returns the rank of a process, -1 if it is not in the group.
func (g Group) RankOf(process int) int { return slices.Index(g.processes, process) }

// Include returns the group of some ranks of this one, in their order. It fails with ErrRank if one does not
// exist or is named twice.
func (g Group) Include(ranks ...int) (Group, error) {
	if err := g.check("Include", ranks); err != nil {
		return Group{}, err
	}
	some := make([]int, len(ranks))
	for i, rank := range ranks {
		some[i] = g.processes[rank]
	}
	return Group{some}, nil
}

// Exclude returns the group without some ranks. It fails with ErrRank if one does not exist or is named twice.
func (g Group) Exclude(ranks ...int) (Group, error) {
	if err := g.check("Exclude", ranks); err != nil {
		return Group{}, err
	}
	var rest []int
	for rank, process := range g.processes {
		if !slices.Contains(ranks, rank) {
			rest = append(rest, process)
		}
	}
	return Group{rest}, nil
}

func (g Group) check(call string, ranks []int) error {
	for i, rank := range ranks {
		if rank < 0 || rank >= len(g.processes) || slices.Contains(ranks[:i], rank) {
			return groupError(call, fault.Rank, "rank %d, twice or not in a group of %d; expected each once", rank, len(g.processes))
		}
	}
	return nil
}

func groupError(call string, class ErrorClass, format string, args ...any) error {
	return &Error{Class: class, Call: call, Rank: -1, Err: fmt.Errorf(format, args...)}
}

// Union returns the processes of this group, and behind them those of another one that it does not have.
func (g Group) Union(other Group) Group {
	return Group{slices.Concat(g.processes, other.Difference(g).processes)}
}

// Intersection returns the processes that another group has as well.
func (g Group) Intersection(other Group) Group {
	return g.those(func(process int) bool { return other.RankOf(process) >= 0 })
}

// Difference returns the processes that another group does not have.
func (g Group) Difference(other Group) Group {
	return g.those(func(process int) bool { return other.RankOf(process) < 0 })
}

func (g Group) those(want func(process int) bool) Group {
	var some []int
	for _, process := range g.processes {
		if want(process) {
			some = append(some, process)
		}
	}
	return Group{some}
}

// Equal reports whether another group has the same processes with the same ranks.
func (g Group) Equal(other Group) bool { return slices.Equal(g.processes, other.processes) }

// IsSimilar reports whether another group has the same processes, in any order.
func (g Group) IsSimilar(other Group) bool {
	return g.Size() == other.Size() && g.Difference(other).Size() == 0
}

// Translate returns the ranks that ranks of this group have in another one, -1 where they have none. It fails
// with ErrRank if a rank does not exist.
func (g Group) Translate(ranks []int, to Group) ([]int, error) {
	there := make([]int, len(ranks))
	for i, rank := range ranks {
		if rank < 0 || rank >= len(g.processes) {
			return nil, groupError("Translate", fault.Rank, "rank %d in a group of %d", rank, len(g.processes))
		}
		there[i] = to.RankOf(g.processes[rank])
	}
	return there, nil
}

// CommCreate makes a communicator of a group, whose members are ranks of this one. All ranks of this one call
// it; those that are not in the group get nil. Several groups that have no rank in common may be made at
// once: each rank gives its own, or an empty one.
//
// It fails with ErrGroup if this rank gives a group with processes that are not in this communicator, and at
// members that do not give the same group.
func (c *Comm) CommCreate(g Group) (*Comm, error) {
	const call = "CommCreate"
	defer c.enter(call).Leave()
	comm := c.inner()
	if err := comm.Check(call); err != nil {
		return nil, err
	}
	color, key := -1, g.RankOf(comm.Engine.Rank)
	_, wrong := c.ranksOf(call, g)
	if key >= 0 && wrong == nil {
		color = g.processes[0]
	}
	made, err := commOf(comm.Split(call, color, key)) // also with a wrong group, as the others wait
	switch {
	case wrong != nil:
		return nil, wrong
	case made != nil && !made.Group().Equal(g):
		return nil, comm.Failf(fault.Group, call, "processes %v, but the members that give such a group are %v; expected the same group at all members", g.processes, made.Group().processes)
	}
	return made, err
}

// CommCreateGroup makes a communicator of a group, which only its members call, this rank among them, with
// the same tag. Groups that have a rank in common and are made at once need different tags.
func (c *Comm) CommCreateGroup(g Group, tag int) (*Comm, error) {
	const call = "CommCreateGroup"
	defer c.enter(call).Leave()
	comm := c.inner()
	if err := comm.Check(call); err != nil {
		return nil, err
	}
	ranks, err := c.ranksOf(call, g)
	switch {
	case err != nil:
		return nil, err
	case g.RankOf(comm.Engine.Rank) < 0:
		return nil, comm.Failf(fault.Group, call, "a group that this rank is not in; expected its members only")
	case tag < 0 || tag > mostCreateTag:
		return nil, comm.Failf(fault.Tag, call, "tag %d; expected 0 to %d", tag, mostCreateTag)
	}
	return commOf(comm.Create(call, ranks, tag))
}

// mostCreateTag is the largest tag of CommCreateGroup.
const mostCreateTag = 1<<20 - 1

// ranksOf returns the ranks that processes have in the communicator.
func (c *Comm) ranksOf(call string, g Group) ([]int, error) {
	ranks := make([]int, len(g.processes))
	for i, process := range g.processes {
		if process >= c.comm.Engine.Size || c.comm.RankOf(int32(process)) < 0 {
			return nil, c.inner().Failf(fault.Group, call, "process %d, which is not in the communicator", process)
		}
		ranks[i] = c.comm.RankOf(int32(process))
	}
	return ranks, nil
}
