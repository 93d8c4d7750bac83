package mpi

import (
	"cmp"
	"slices"
)

// choice is what a rank says in a Split.
type choice struct{ Color, Key, Rank int }

// Split makes a communicator of the ranks that give the same color, for each color.
// Its ranks are in the order of their keys, and of their ranks in this one where
// keys are equal. A rank whose color is negative is in none of them and gets nil. All
// ranks call it.
func (c *Comm) Split(color, key int) (*Comm, error) {
	const call = "Split"
	if err := c.check(call); err != nil {
		return nil, err
	}
	choices := make([]choice, c.Size())
	if err := AllGather(c, []choice{{color, key, c.rank}}, choices); err != nil {
		return nil, err
	}
	id, err := c.agree(call)
	if err != nil || color < 0 {
		return nil, err
	}
	return c.made(c.processes(group(choices, color)), id), nil
}

// group returns the ranks that have chosen a color, in their new order.
func group(choices []choice, color int) []int {
	chosen := slices.DeleteFunc(slices.Clone(choices), func(x choice) bool { return x.Color != color })
	slices.SortFunc(chosen, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Rank, b.Rank))
	})
	ranks := make([]int, len(chosen))
	for i, x := range chosen {
		ranks[i] = x.Rank
	}
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
