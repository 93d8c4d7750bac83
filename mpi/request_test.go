package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"musubi/mpi"
)

// Long messages leave no segment behind, whatever becomes of them.
func TestSegmentsAreWithdrawn(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		before := c.Process().Expose(make([]byte, 1))
		for i := range 40 {
			into := make([]byte, large*(i%3)/2) // nothing, half of it, or all
			_, err := mpi.SendReceive(c, 1-c.Rank(), 0, text(large, i), 1-c.Rank(), 0, into)
			if (err != nil) != (len(into) < large) || err != nil && !errors.Is(err, mpi.ErrTruncate) {
				return fmt.Errorf("%d bytes into %d: %v", large, len(into), err)
			}
		}
		// A pool of buffers to send from may have been exposed meanwhile.
		if after := c.Process().Expose(make([]byte, 1)); after > before+4 {
			return fmt.Errorf("segment %d is the next after 40 messages; it was %d before", after, before)
		}
		return nil
	})
}

// Sends and receives that block allocate nothing once their buffers are there.
func TestBlockingCallsDoNotAllocate(t *testing.T) {
	err := job{machine: "loggp", ranks: 1}.run(func(c *mpi.Comm) error {
		data := make([]float64, 100)
		allocations := testing.AllocsPerRun(100, func() {
			err := mpi.Send(c, 0, 0, data)
			if _, failed := mpi.Receive(c, 0, 0, data); err != nil || failed != nil {
				t.Error(err, failed)
			}
		})
		if allocations > 0 {
			t.Errorf("%v allocations for a message; expected none", allocations)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
