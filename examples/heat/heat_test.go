package main

import (
	"context"
	"fmt"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

// The temperatures are those of one rank, bit for bit, whatever the ranks and machines.
func TestPlateDoesNotDependOnRanks(t *testing.T) {
	const size, steps = 13, 40
	want := plateOf(t, "ndr", 1, size, steps)
	for _, machine := range []string{"ndr", "dimmnet2", "tofu2"} {
		for _, ranks := range []int{2, 3, 4, 6} {
			if got := plateOf(t, machine, ranks, size, steps); got != want {
				t.Errorf("%d ranks of %s: %s; expected %s", ranks, machine, got, want)
			}
		}
	}
}

func plateOf(t *testing.T, machine string, ranks, size, steps int) (text string) {
	t.Helper()
	_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: machine, Ranks: ranks}, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			b, err := newBlock(c, size)
			if err != nil {
				return err
			}
			if _, err := b.spread(steps); err != nil {
				return err
			}
			plate, err := b.gather()
			if c.Rank() == 0 {
				text = fmt.Sprint(plate)
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
