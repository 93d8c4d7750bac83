package mpi_test

import (
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
)

// A communicator tells by which algorithm its last operation went, forced or not.
func TestChosen(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		if name := c.Chosen(); name != "" {
			return fmt.Errorf("%q before all operations; expected none", name)
		}
		known, err := mpi.AlgorithmsFor("alltoall", c.Size())
		if err != nil {
			return err
		}
		for _, forced := range append(known, "auto") {
			if err := firstError(
				c.SetAlgorithm("alltoall", forced),
				mpi.AllToAll(c, []int32{1, 2, 3}, make([]int32, 3)),
			); err != nil {
				return err
			}
			if name := c.Chosen(); name != forced && (forced != "auto" || !slices.Contains(known, name)) {
				return fmt.Errorf("%q by %s; expected one of %v", name, forced, known)
			}
		}
		return nil
	})
}
