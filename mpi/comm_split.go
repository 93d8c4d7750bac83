package mpi

import (
	"cmp"
	"slices"
)

// chosen is what a rank says in a Split.
type chosen struct{ Color, Key int }

// Split makes a communicator of the ranks that give the same color, for each color.
// Its ranks are in the order of their keys, and of their ranks in this one where
// keys are equal. A rank whose color is negative is in none of them and gets nil. All
// ranks call it.
func (c *Comm) Split(color, key int) (*Comm, error) {
	const call = "Split"
	if err := c.check(call); err != nil {
		return nil, err
	}
	all := make([]chosen, c.Size())
	id, err := c.agree(call, func() error {
		return AllGather(c, []chosen{{color, key}}, all)
	})
	if err != nil || color < 0 {
		return nil, err
	}
	return c.made(c.processes(group(all, color)), id), nil
}

// group returns the ranks that have chosen a color, in their new order.
func group(all []chosen, color int) []int {
	var ranks []int
	for rank, x := range all {
		if x.Color == color {
			ranks = append(ranks, rank)
		}
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(all[a].Key, all[b].Key) })
	return ranks
}

// processes returns the processes of some ranks.
func (c *Comm) processes(ranks []int) []int32 {
	list := make([]int32, len(ranks))
	for i, rank := range ranks {
		list[i] = c.process(rank)
	}
	return list
}
