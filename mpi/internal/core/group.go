package core

// Group is some processes of a job in an order, which gives them ranks. The zero value is all
// processes, with their own numbers as ranks.
type Group struct {
	members []int32 // process of each rank; nil: they are numbered alike
	ranks   []int32 // rank of each process, -1 if it is not a member; nil: they are numbered alike
}

// newGroup returns the group of some out of a number of processes, in the order of their ranks.
func newGroup(members []int32, processes int) Group {
	ranks := make([]int32, processes)
	for process := range ranks {
		ranks[process] = -1
	}
	for rank, process := range members {
		ranks[process] = int32(rank)
	}
	return Group{members, ranks}
}

// GroupOf returns the group of some out of a number of processes, in their order.
func GroupOf(members []int32, processes int) Group { return newGroup(members, processes) }

// Include returns the group of some ranks of a group, in their order.
func (g *Group) Include(ranks []int, processes int) Group {
	members := make([]int32, len(ranks))
	for i, rank := range ranks {
		members[i] = g.Process(rank)
	}
	return newGroup(members, processes)
}

// count returns how many ranks a group out of a number of processes has.
func (g *Group) count(processes int) int {
	if g.members == nil {
		return processes
	}
	return len(g.members)
}

// Process returns the number in the job of a rank.
func (g *Group) Process(rank int) int32 {
	if g.members == nil {
		return int32(rank)
	}
	return g.members[rank]
}

// RankOf returns the rank of a process, -1 if it has none.
func (g *Group) RankOf(process int32) int {
	if g.ranks == nil {
		return int(process)
	}
	return int(g.ranks[process])
}

// Across returns a communicator whose ranks are some processes, which need not include this one: the
// remote group of an intercommunicator. It has the contexts of a communicator of the local group.
func Across(c *Comm, remote []int32) *Comm {
	return &Comm{Engine: c.Engine, Group: newGroup(remote, c.Engine.Size), rank: c.rank, size: len(remote), Point: c.Point, Collective: c.Collective}
}
