package mpi_test

import (
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
)

func TestGridsCountAlongTheLastDimensionFirst(t *testing.T) {
	onLogGP(t, 7, func(c *mpi.Comm) error {
		grid, err := c.Cart([]int{2, 3}, []bool{false, true}, true)
		if err != nil {
			return err
		}
		if c.Rank() == 6 {
			if grid != nil {
				return fmt.Errorf("the seventh rank is in a grid of six")
			}
			return nil
		}
		for rank, want := range [][]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}} {
			at, err := grid.Coordinates(rank)
			if err != nil || !slices.Equal(at, want) {
				return fmt.Errorf("rank %d at %v (%v); expected %v", rank, at, err, want)
			}
			back, err := grid.RankAt(want[0], want[1]-3)
			if err != nil || back != rank {
				return fmt.Errorf("at %v, once round: rank %d (%v); expected %d", want, back, err, rank)
			}
		}
		_, outside := grid.RankAt(2, 0)
		_, few := grid.RankAt(1)
		_, nobody := grid.Coordinates(6)
		_, _, dim := grid.Shift(2, 1)
		_, sub := grid.Sub([]bool{true})
		return firstError(
			refused(outside, mpi.ErrDims, "[2 0]"), refused(few, mpi.ErrDims, "1 coordinates"), refused(nobody, mpi.ErrRank, "rank 6"),
			refused(dim, mpi.ErrDims, "dimension 2; expected 0 to 1"), refused(sub, mpi.ErrDims, "1 dimensions; expected 2"))
	})
}

func TestShifts(t *testing.T) {
	const dims0, dims1 = 3, 4
	none := mpi.None
	for _, test := range []struct {
		rank, dim, steps int
		from, to         int
	}{
		// Dimension 0 is not periodic, dimension 1 is.
		{0, 0, 1, none, 4}, {4, 0, 1, 0, 8}, {8, 0, 1, 4, none}, {8, 0, -1, none, 4}, {0, 0, 2, none, 8}, {0, 0, 3, none, none},
		{5, 0, 0, 5, 5}, {0, 1, 1, 3, 1}, {3, 1, 1, 2, 0}, {4, 1, -1, 5, 7}, {6, 1, 6, 4, 4}, {6, 1, -9, 7, 5}, {9, 1, 4, 9, 9},
	} {
		onLogGP(t, dims0*dims1, func(c *mpi.Comm) error {
			grid, err := c.Cart([]int{dims0, dims1}, []bool{false, true}, false)
			if err != nil || c.Rank() != test.rank {
				return err
			}
			from, to, err := grid.Shift(test.dim, test.steps)
			if err != nil || from != test.from || to != test.to {
				return fmt.Errorf("%d steps along %d: from %d to %d (%v); expected %d and %d", test.steps, test.dim, from, to, err, test.from, test.to)
			}
			return nil
		})
	}
}

func TestGridsThatDoNotFit(t *testing.T) {
	onLogGP(t, 4, func(c *mpi.Comm) error {
		for _, test := range []struct {
			dims     []int
			periodic []bool
			says     string
		}{
			{[]int{2, 3}, []bool{true, true}, "a grid of [2 3] ranks; there are 4"},
			{[]int{1 << 62, 1 << 62}, []bool{true, true}, "there are 4"},
			{[]int{2, 0}, []bool{true, true}, "dimension 1 of 0 ranks"},
			{[]int{-2, -2}, []bool{true, true}, "dimension 0 of -2 ranks"},
			{[]int{2, 2}, []bool{true}, "2 dimensions, and 1 that are periodic or not"},
		} {
			_, err := c.Cart(test.dims, test.periodic, false)
			if err := refused(err, mpi.ErrDims, test.says); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestRowsAndColumnsOfGrids(t *testing.T) {
	onLogGP(t, 12, func(c *mpi.Comm) error {
		grid, err := c.Cart([]int{2, 3, 2}, []bool{true, false, true}, false)
		if err != nil {
			return err
		}
		at, err := grid.Coordinates(c.Rank())
		if err != nil {
			return err
		}
		plane, err := grid.Sub([]bool{false, true, true})
		if err != nil {
			return err
		}
		got, err := plane.Coordinates(plane.Rank())
		if err != nil || !slices.Equal(got, at[1:]) || !slices.Equal(plane.Dims(), []int{3, 2}) || !slices.Equal(plane.Periodic(), []bool{false, true}) {
			return fmt.Errorf("at %v of %v, periodic %v (%v); expected %v of 3 x 2", got, plane.Dims(), plane.Periodic(), err, at[1:])
		}
		sum := []int{at[0]}
		if err := mpi.AllReduce(plane.Comm, sum, sum, mpi.Sum[int]()); err != nil {
			return err
		}
		if sum[0] != 6*at[0] {
			return fmt.Errorf("the first coordinates of a plane add up to %d; expected six times %d", sum[0], at[0])
		}
		return nil
	})
}

func TestGraphsThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		name                  string
		sources, destinations []int // of rank 1 out of 3; the others have none
		here, elsewhere       string
	}{
		{"no such source", []int{3}, nil, "source 3; there are ranks 0 to 2", "another rank"},
		{"no such destination", nil, []int{-1}, "destination -1", "another rank"},
		{"source that does not send", []int{1}, nil, "1 sources that are rank 1, which has 0 such destinations", "another rank"},
		{"destination that does not receive", nil, []int{1}, "0 sources that are rank 1, which has 1", "another rank"},
		{"an edge too few", []int{1, 1}, []int{1}, "2 sources that are rank 1, which has 1", "another rank"},
	} {
		t.Run(test.name, func(t *testing.T) {
			onLogGP(t, 3, func(c *mpi.Comm) error {
				if c.Rank() != 1 {
					_, err := c.Graph(nil, nil)
					return refused(err, mpi.ErrTopology, test.elsewhere)
				}
				_, err := c.Graph(test.sources, test.destinations)
				return refused(err, mpi.ErrTopology, test.here)
			})
		})
	}
}
