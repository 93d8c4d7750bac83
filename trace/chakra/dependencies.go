package chakra

import "musubi/trace/schedule"

// mostInherited is how many nodes are named again by those that start behind another one. Where there are more, a
// node without time stands for all.
const mostInherited = 4

// graph is what operations of a rank wait for, by ends only: whoever waits for a start waits for all that the other one
// waits for.
type graph struct {
	rank  *schedule.Rank
	order []uint32   // of operations, such that each is behind those that it waits for
	deps  [][]uint32 // of each operation; numbers beyond the operations are joins
	joins [][]uint32 // what each join waits for
	after []uint32   // the operation before which a join is written
}

// dependencies finds what waits for what. Operations that wait for each other are left out of order.
func dependencies(rank *schedule.Rank) *graph {
	n := len(rank.Ops)
	g := &graph{rank: rank, deps: make([][]uint32, n)}
	waits := make([]uint32, n)
	for i := range rank.Ops {
		waits[i] = rank.Ops[i].Waits
		if waits[i] == 0 {
			g.order = append(g.order, uint32(i))
		}
	}
	for k := 0; k < len(g.order); k++ {
		i := int(g.order[k])
		release := func(list []uint32, give []uint32) {
			for _, to := range list {
				g.deps[to] = append(g.deps[to], give...)
				if waits[to]--; waits[to] == 0 {
					g.order = append(g.order, to)
				}
			}
		}
		if len(g.deps[i]) > mostInherited && len(rank.Starts(i)) > 0 {
			join := uint32(n + len(g.joins))
			g.joins, g.after = append(g.joins, g.deps[i]), append(g.after, uint32(i))
			g.deps[i] = []uint32{join}
		}
		release(rank.Requires(i), []uint32{uint32(i)})
		release(rank.Starts(i), g.deps[i])
	}
	return g
}
