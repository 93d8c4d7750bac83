package mpi_test

import (
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/mpi/mpitest"
)

func TestCollectivesWithAnyNumberOfRanks(t *testing.T) {
	numbers := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17}
	switch { // some of the numbers, and 64, are for -long
	case underRace:
		numbers = []int{1, 7, 8}
	case *long:
		numbers = []int{10, 11, 13, 14, 64}
	}
	for _, ranks := range numbers {
		t.Run(fmt.Sprint(ranks, " ranks"), func(t *testing.T) {
			t.Parallel()
			times := 2
			if ranks > 17 {
				times = 1
			}
			err := job{machine: "loggp", ranks: ranks}.run(func(c *mpi.Comm) error {
				return mpitest.Collectives(c, uint64(ranks), times)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
