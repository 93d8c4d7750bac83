package abi

import (
	"slices"

	"musubi/mpi/abi/standard"
)

// group is some processes in an order.
type group struct{ processes []int32 }

var emptyGroup = &group{}

// newGroup makes a group of processes and returns its handle.
func (p *Process) newGroup(processes []int32) int64 {
	if len(processes) == 0 {
		return standard.GroupEmpty
	}
	return p.groups.Add(&group{processes})
}

func (c *call) group(i int) (*group, error) { return c.groupAt(c.a[i]) }

func (c *call) groupAt(h int64) (*group, error) {
	if h == standard.GroupEmpty {
		return emptyGroup, nil
	}
	if g := c.groups.Get(h); g != nil {
		return g, nil
	}
	return nil, wrong(standard.ErrGroup, "%#x is no group", h)
}

func (g *group) rankOf(process int32) int { return slices.Index(g.processes, process) }

func compareProcesses(a, b []int32) int {
	if slices.Equal(a, b) {
		return standard.Ident
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	if slices.Equal(a, b) {
		return standard.Similar
	}
	return standard.Unequal
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Group_size": func(c *call) error {
			g, err := c.group(0)
			if err == nil {
				c.putInt(c.a[1], len(g.processes))
			}
			return err
		},
		"MPI_Group_rank": func(c *call) error {
			g, err := c.group(0)
			if err == nil {
				c.putInt(c.a[1], orUndefined(g.rankOf(int32(c.engine.Rank))))
			}
			return err
		},
		"MPI_Group_free": func(c *call) error {
			if _, err := c.groupAt(c.word(c.a[0])); err != nil {
				return err
			}
			c.groups.Remove(c.word(c.a[0]))
			c.putWord(c.a[0], standard.GroupNull)
			return nil
		},
		"MPI_Group_incl":            func(c *call) error { return c.pick(true) },
		"MPI_Group_excl":            func(c *call) error { return c.pick(false) },
		"MPI_Group_range_incl":      func(c *call) error { return c.pickRanges(true) },
		"MPI_Group_range_excl":      func(c *call) error { return c.pickRanges(false) },
		"MPI_Group_compare":         (*call).groupCompare,
		"MPI_Group_translate_ranks": (*call).groupTranslate,
		"MPI_Group_union": func(c *call) error {
			return c.combineGroups(func(a, b *group) []int32 {
				all := slices.Clone(a.processes)
				for _, x := range b.processes {
					if a.rankOf(x) < 0 {
						all = append(all, x)
					}
				}
				return all
			})
		},
		"MPI_Group_intersection": func(c *call) error {
			return c.combineGroups(func(a, b *group) []int32 { return a.those(func(x int32) bool { return b.rankOf(x) >= 0 }) })
		},
		"MPI_Group_difference": func(c *call) error {
			return c.combineGroups(func(a, b *group) []int32 { return a.those(func(x int32) bool { return b.rankOf(x) < 0 }) })
		},
	})
}

func orUndefined(rank int) int {
	if rank < 0 {
		return standard.Undefined
	}
	return rank
}

func (g *group) those(want func(process int32) bool) (list []int32) {
	for _, x := range g.processes {
		if want(x) {
			list = append(list, x)
		}
	}
	return list
}

func (c *call) combineGroups(combine func(a, b *group) []int32) error {
	a, err := c.group(0)
	if err != nil {
		return err
	}
	b, err := c.group(1)
	if err == nil {
		c.putWord(c.a[2], c.newGroup(combine(a, b)))
	}
	return err
}

func (c *call) pick(include bool) error {
	g, err := c.group(0)
	if err != nil {
		return err
	}
	return c.putPicked(g, c.ints(c.a[2], c.at(1), false), include)
}

func (c *call) pickRanges(include bool) error {
	g, err := c.group(0)
	if err != nil {
		return err
	}
	var ranks []int
	triples := c.ints(c.a[2], 3*c.at(1), false)
	for i := 0; i+2 < len(triples); i += 3 {
		first, last, step := triples[i], triples[i+1], triples[i+2]
		if step == 0 || first < 0 || last < 0 || first >= len(g.processes) || last >= len(g.processes) && step > 0 {
			return wrong(standard.ErrArg, "range %v in a group of %d", triples[i:i+3], len(g.processes))
		}
		for r := first; step > 0 && r <= last || step < 0 && r >= last; r += step {
			ranks = append(ranks, r)
		}
	}
	return c.putPicked(g, ranks, include)
}

func (c *call) putPicked(g *group, ranks []int, include bool) error {
	seen := make([]bool, len(g.processes))
	var list []int32
	for _, r := range ranks {
		if r < 0 || r >= len(g.processes) {
			return wrong(standard.ErrRank, "rank %d in a group of %d", r, len(g.processes))
		}
		if seen[r] {
			return wrong(standard.ErrRank, "rank %d is given twice", r)
		}
		seen[r] = true
		list = append(list, g.processes[r])
	}
	if !include {
		list = g.those(func(x int32) bool { return !slices.Contains(list, x) })
	}
	c.putWord(c.a[3], c.newGroup(list))
	return nil
}

func (c *call) groupCompare() error {
	a, err := c.group(0)
	if err != nil {
		return err
	}
	b, err := c.group(1)
	if err == nil {
		c.putInt(c.a[2], compareProcesses(a.processes, b.processes))
	}
	return err
}

func (c *call) groupTranslate() error {
	a, err := c.group(0)
	if err != nil {
		return err
	}
	b, err := c.group(3)
	if err != nil {
		return err
	}
	ranks := c.ints(c.a[2], c.at(1), false)
	for i, r := range ranks {
		switch {
		case r == standard.ProcNull:
		case r < 0 || r >= len(a.processes):
			return wrong(standard.ErrRank, "rank %d in a group of %d", r, len(a.processes))
		default:
			ranks[i] = orUndefined(b.rankOf(a.processes[r]))
		}
	}
	c.putInts(c.a[4], ranks, false)
	return nil
}
