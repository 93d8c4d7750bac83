package main

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

// All numbers are counted once, whoever counts them, and all ranks take part.
func TestCount(t *testing.T) {
	const n, piece = 20_000, 500
	want, _ := examine(1, n)
	for _, machine := range []string{"loggp", "ndr"} {
		for _, ranks := range []int{1, 2, 6} {
			s := musubi.Scenario{Machine: machine, Ranks: ranks}
			_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
				return mpi.Run(p, func(c *mpi.Comm) error {
					histogram, pieces, err := count(c, n, piece)
					if err != nil {
						return err
					}
					if c.Rank() == 0 && !slices.Equal(histogram, want) {
						return fmt.Errorf("histogram %v; expected %v", histogram, want)
					}
					if most := n / piece; pieces == 0 || ranks > 1 && pieces == most {
						return fmt.Errorf("rank %d has done %d pieces of %d", c.Rank(), pieces, most)
					}
					return nil
				})
			})
			if err != nil {
				t.Errorf("%d ranks of %s: %v", ranks, machine, err)
			}
		}
	}
}

func TestSteps(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 1, 3: 7, 27: 111} {
		if got := steps(n); got != want {
			t.Errorf("%d steps from %d; expected %d", got, n, want)
		}
	}
}
