package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/units"
)

// The time of a context is not that of a simulated world, and nothing waits there for what is never done.
func TestContextsInSimulatedWorlds(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		limited := c.WithContext(ctx)
		if err := mpi.Barrier(limited); !errors.Is(err, mpi.ErrArgument) {
			return fmt.Errorf("Barrier with a context: error %v; expected ErrArgument", err)
		}
		if _, err := mpi.IReceive(limited, 0, 0, []int{0}); !errors.Is(err, mpi.ErrArgument) {
			return fmt.Errorf("IReceive with a context: error %v; expected ErrArgument", err)
		}
		return mpi.Barrier(c.WithContext(context.Background()))
	})
}

// A call ends at its deadline, to the picosecond where nothing else happens then.
func TestDeadlinesOfSimulatedTime(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		end := c.Process().Now() + 10*units.Millisecond
		_, err := mpi.Receive(c.WithDeadline(end), 1, 0, []int{0})
		if now := c.Process().Now(); !errors.Is(err, mpi.ErrInterrupted) || now < end || now > end+10*units.Microsecond {
			return fmt.Errorf("at %v: error %v; expected ErrInterrupted at %v", now, err, end)
		}
		return nil
	})
}

// Exchanges with neighbours and persistent operations have deadlines as well.
func TestDeadlinesOfNeighbours(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		grid, err := c.Cart([]int{2, 2}, []bool{false, false}, false)
		if err != nil {
			return err
		}
		in, out := []int{c.Rank()}, [][]int{nil, {0}, nil, {0}}
		if c.Rank() >= 2 {
			out = [][]int{{0}, nil, nil, {0}}
		}
		if c.Rank()%2 == 1 {
			out[2], out[3] = out[3], nil
		}
		if c.Rank() == 3 { // its neighbours wait in vain
			for range 2 {
				if _, err := mpi.Receive(c, mpi.AnySource, 0, []int{0}); err != nil {
					return err
				}
			}
			return mpi.NeighbourAllGather(grid, in, out)
		}
		end := c.Process().Now() + units.Millisecond
		err = mpi.NeighbourAllGather(grid.WithDeadline(end), in, out)
		if c.Rank() == 0 {
			return err
		}
		if !errors.Is(err, mpi.ErrInterrupted) {
			return fmt.Errorf("error %v; expected ErrInterrupted", err)
		}
		return mpi.Send(c, 3, 0, []int{0})
	})
}

func TestNoCommunicatorWithAContext(t *testing.T) {
	var c *mpi.Comm
	if err := mpi.Barrier(c.WithContext(context.Background()).WithDeadline(1)); !errors.Is(err, mpi.ErrComm) {
		t.Errorf("error %v; expected ErrComm", err)
	}
}
