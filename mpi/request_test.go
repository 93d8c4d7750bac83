package mpi_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

// Requests that are released are used again, one for each call: those that are not
// complete, and those of persistent sends, stay as they are.
func TestRelease(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		partner, into := 1-c.Rank(), make([]int, 3)
		open, err := mpi.IReceive(c, partner, 9, into[2:])
		if err != nil {
			return err
		}
		persistent, err := mpi.SendInit(c, partner, 0, []int{1})
		if err != nil {
			return err
		}
		for i := range 10 {
			list, err := startBoth(c, partner, i, into, persistent)
			if err != nil {
				return err
			}
			if err := mpi.WaitAll(list...); err != nil {
				return err
			}
			list = append(list, open)
			mpi.Release(list...)
			if n := len(list) - 1; list[n] != open || slices.ContainsFunc(list[:n], func(r *mpi.Request) bool { return r != nil }) {
				return fmt.Errorf("requests are %v after Release; expected nil and one that is not complete", list)
			}
			if into[0] != 1 || into[1] != i {
				return fmt.Errorf("received %v; expected 1 and %d", into, i)
			}
		}
		if err := mpi.Send(c, partner, 9, []int{7}); err != nil {
			return err
		}
		if status, err := open.Wait(); err != nil || status.Tag != 9 || into[2] != 7 {
			return fmt.Errorf("%+v, %v and %d; expected tag 9 and 7", status, err, into[2])
		}
		return nil
	})
}

// startBoth starts to exchange two messages, one of which is persistent.
func startBoth(c *mpi.Comm, partner, i int, into []int, persistent *mpi.Persistent) ([]*mpi.Request, error) {
	if err := persistent.Start(); err != nil {
		return nil, err
	}
	send, err := mpi.ISend(c, partner, 1, []int{i})
	if err != nil {
		return nil, err
	}
	second, err := mpi.IReceive(c, partner, 1, into[1:2])
	if err != nil {
		return nil, err
	}
	first, err := mpi.IReceive(c, partner, 0, into[:1])
	return []*mpi.Request{send, second, first, persistent.Request()}, err
}

// Calls that do not block allocate nothing either if their requests are released.
func TestReleasedRequestsAreNotAllocated(t *testing.T) {
	err := job{machine: "loggp", ranks: 1}.run(func(c *mpi.Comm) error {
		data := make([]float64, 100)
		list := make([]*mpi.Request, 2)
		allocations := testing.AllocsPerRun(100, func() {
			var err, failed error
			list[0], err = mpi.ISend(c, 0, 0, data)
			list[1], failed = mpi.IReceive(c, 0, 0, data)
			if err := cmp.Or(err, failed, mpi.WaitAll(list...)); err != nil {
				t.Error(err)
			}
			mpi.Release(list...)
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
