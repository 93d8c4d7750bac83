package communicators

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

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
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Group_size": func(c *abi.Call) error {
			g, err := c.Group(0)
			if err == nil {
				c.PutInt(c.Words[1], len(g.Processes))
			}
			return err
		},
		"MPI_Group_rank": func(c *abi.Call) error {
			g, err := c.Group(0)
			if err == nil {
				c.PutInt(c.Words[1], orUndefined(g.RankOf(int32(c.Engine.Rank))))
			}
			return err
		},
		"MPI_Group_free": func(c *abi.Call) error {
			if _, err := c.GroupAt(c.Word(c.Words[0])); err != nil {
				return err
			}
			c.Groups.Remove(c.Word(c.Words[0]))
			c.PutWord(c.Words[0], standard.GroupNull)
			return nil
		},
		"MPI_Group_incl":            func(c *abi.Call) error { return pick(c, true) },
		"MPI_Group_excl":            func(c *abi.Call) error { return pick(c, false) },
		"MPI_Group_range_incl":      func(c *abi.Call) error { return pickRanges(c, true) },
		"MPI_Group_range_excl":      func(c *abi.Call) error { return pickRanges(c, false) },
		"MPI_Group_compare":         groupCompare,
		"MPI_Group_translate_ranks": groupTranslate,
		"MPI_Group_union": func(c *abi.Call) error {
			return combineGroups(c, func(a, b *abi.Group) []int32 {
				all := slices.Clone(a.Processes)
				for _, x := range b.Processes {
					if a.RankOf(x) < 0 {
						all = append(all, x)
					}
				}
				return all
			})
		},
		"MPI_Group_intersection": func(c *abi.Call) error {
			return combineGroups(c, func(a, b *abi.Group) []int32 { return a.Those(func(x int32) bool { return b.RankOf(x) >= 0 }) })
		},
		"MPI_Group_difference": func(c *abi.Call) error {
			return combineGroups(c, func(a, b *abi.Group) []int32 { return a.Those(func(x int32) bool { return b.RankOf(x) < 0 }) })
		},
	})
}

func orUndefined(rank int) int {
	if rank < 0 {
		return standard.Undefined
	}
	return rank
}

func combineGroups(c *abi.Call, combine func(a, b *abi.Group) []int32) error {
	a, err := c.Group(0)
	if err != nil {
		return err
	}
	b, err := c.Group(1)
	if err == nil {
		c.PutWord(c.Words[2], c.NewGroup(combine(a, b)))
	}
	return err
}

func pick(c *abi.Call, include bool) error {
	g, err := c.Group(0)
	if err != nil {
		return err
	}
	if c.At(1) < 0 {
		return abi.Wrong(standard.ErrArg, "%d ranks; expected at least 0", c.At(1))
	}
	return putPicked(c, g, c.Ints(c.Words[2], c.At(1), false), include)
}

func pickRanges(c *abi.Call, include bool) error {
	g, err := c.Group(0)
	if err != nil {
		return err
	}
	var ranks []int
	triples := c.Ints(c.Words[2], 3*c.At(1), false)
	for i := 0; i+2 < len(triples); i += 3 {
		first, last, step := triples[i], triples[i+1], triples[i+2]
		if step == 0 || first < 0 || last < 0 || first >= len(g.Processes) || last >= len(g.Processes) && step > 0 {
			return abi.Wrong(standard.ErrArg, "range %v in a group of %d", triples[i:i+3], len(g.Processes))
		}
		for r := first; step > 0 && r <= last || step < 0 && r >= last; r += step {
			ranks = append(ranks, r)
		}
	}
	return putPicked(c, g, ranks, include)
}

func putPicked(c *abi.Call, g *abi.Group, ranks []int, include bool) error {
	seen := make([]bool, len(g.Processes))
	var list []int32
	for _, r := range ranks {
		if r < 0 || r >= len(g.Processes) {
			return abi.Wrong(standard.ErrRank, "rank %d in a group of %d", r, len(g.Processes))
		}
		if seen[r] {
			return abi.Wrong(standard.ErrRank, "rank %d is given twice", r)
		}
		seen[r] = true
		list = append(list, g.Processes[r])
	}
	if !include {
		list = g.Those(func(x int32) bool { return !slices.Contains(list, x) })
	}
	c.PutWord(c.Words[3], c.NewGroup(list))
	return nil
}

func groupCompare(c *abi.Call) error {
	a, err := c.Group(0)
	if err != nil {
		return err
	}
	b, err := c.Group(1)
	if err == nil {
		c.PutInt(c.Words[2], compareProcesses(a.Processes, b.Processes))
	}
	return err
}

func groupTranslate(c *abi.Call) error {
	a, err := c.Group(0)
	if err != nil {
		return err
	}
	b, err := c.Group(3)
	if err != nil {
		return err
	}
	ranks := c.Ints(c.Words[2], c.At(1), false)
	for i, r := range ranks {
		switch {
		case r == standard.ProcNull:
		case r < 0 || r >= len(a.Processes):
			return abi.Wrong(standard.ErrRank, "rank %d in a group of %d", r, len(a.Processes))
		default:
			ranks[i] = orUndefined(b.RankOf(a.Processes[r]))
		}
	}
	c.PutInts(c.Words[4], ranks, false)
	return nil
}
