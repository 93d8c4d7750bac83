package mpi_test

import (
	"bytes"
	"fmt"
	"testing"

	"musubi/mpi"
)

// The multicast buffers of communicators and persistent operations lie at the same place of all ranks, as
// long as these make and free them in the same order: switches copy to one address only.
func TestMulticastBuffersLieAlike(t *testing.T) {
	err := withMulticast("loggp", 3, allMethods, func(c *mpi.Comm, p *multicasting) error {
		p.Expose(make([]byte, 8*(1+c.Rank())))
		for range c.Rank() {
			p.Expose(nil)
		}
		other, err := c.Dup()
		if err != nil {
			return err
		}
		var free []*mpi.Persistent
		for _, bytes := range []int{0, 8, 1000, 250, 10_000} {
			again, err := mpi.BroadcastInit(other, 1, make([]byte, bytes))
			if err != nil {
				return err
			}
			if err := firstError(again.Start(), mpi.WaitAll(again.Request())); err != nil {
				return err
			}
			if free = append(free, again); bytes == 1000 {
				if err := free[0].Free(); err != nil {
					return err
				}
			}
		}
		if err := firstError(mpi.Broadcast(other, 1, make([]byte, 1)), mpi.Broadcast(other, 1, make([]byte, 1))); err != nil {
			return err
		}
		if p.different > 0 {
			return fmt.Errorf("%d of %d multicasts go to different addresses", p.different, p.multicasts)
		}
		return other.Free()
	})
	if err != nil {
		t.Error(err)
	}
}

// Where there is no room left for buffers that lie alike, they lie anywhere.
func TestMoreMulticastBuffersThanThePoolHasRoomFor(t *testing.T) {
	err := withMulticast("loggp", 3, allMethods, func(c *mpi.Comm, _ *multicasting) error {
		var all []*mpi.Persistent
		data := make([][]byte, 9)
		for i := range data {
			data[i] = make([]byte, 5000)
			again, err := mpi.BroadcastInit(c, i%3, data[i])
			if err != nil {
				return err
			}
			all = append(all, again)
		}
		for round := range 3 {
			for i := range data {
				if clear(data[i]); c.Rank() == i%3 {
					copy(data[i], text(5000, round+i))
				}
			}
			if err := mpi.StartAll(all...); err != nil {
				return err
			}
			for i, again := range all {
				if err := mpi.WaitAll(again.Request()); err != nil || !bytes.Equal(data[i], text(5000, round+i)) {
					return fmt.Errorf("broadcast %d brings something else, or fails: %w", i, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
