package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"musubi/mpi"
)

// onLogGP runs a program on some ranks of the simplest machine.
func onLogGP(t *testing.T, ranks int, program func(c *mpi.Comm) error) {
	t.Helper()
	if err := (job{machine: "loggp", ranks: ranks}).run(program); err != nil {
		t.Errorf("%d ranks: %v", ranks, err)
	}
}

// unchecked is onLogGP of programs whose ranks call operations differently.
func unchecked(t *testing.T, ranks int, program func(c *mpi.Comm) error) {
	t.Helper()
	if err := (job{machine: "loggp", ranks: ranks, options: mpi.Options{Check: mpi.CheckOff}}).run(program); err != nil {
		t.Errorf("%d ranks: %v", ranks, err)
	}
}

// refused fails unless err has a class and says something.
func refused(err error, class mpi.ErrorClass, says string) error {
	if !errors.Is(err, class) || !strings.Contains(err.Error(), says) {
		return fmt.Errorf("error %v; expected one of class %q with %q", err, class, says)
	}
	return nil
}

// firstError returns the first that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// worldRanks returns the ranks that the members of a communicator have in another.
func worldRanks(world, c *mpi.Comm) ([]int, error) {
	ranks := make([]int, c.Size())
	return ranks, mpi.AllGather(c, []int{world.Rank()}, ranks)
}

func TestSplitOrdersRanksByKeyAndThenByRank(t *testing.T) {
	for _, test := range []struct {
		name       string
		color, key func(rank int) int
		want       map[int][]int // members of each color, as ranks
	}{
		{"one color", func(int) int { return 3 }, func(int) int { return 0 }, map[int][]int{3: {0, 1, 2, 3, 4, 5, 6}}},
		{"reversed", func(int) int { return 0 }, func(r int) int { return -r }, map[int][]int{0: {6, 5, 4, 3, 2, 1, 0}}},
		{"even and odd", func(r int) int { return r % 2 }, func(r int) int { return r / 4 }, map[int][]int{0: {0, 2, 4, 6}, 1: {1, 3, 5}}},
		{"keys that are equal", func(int) int { return 0 }, func(r int) int { return r % 3 }, map[int][]int{0: {0, 3, 6, 1, 4, 2, 5}}},
		{"some in none", func(r int) int { return r%3 - 1 }, func(r int) int { return -r }, map[int][]int{0: {4, 1}, 1: {5, 2}}},
		{"each for itself", func(r int) int { return r }, func(int) int { return 0 },
			map[int][]int{0: {0}, 1: {1}, 2: {2}, 3: {3}, 4: {4}, 5: {5}, 6: {6}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onLogGP(t, 7, func(c *mpi.Comm) error {
				color := test.color(c.Rank())
				part, err := c.Split(color, test.key(c.Rank()))
				if err != nil {
					return err
				}
				if color < 0 {
					if part != nil {
						return fmt.Errorf("a communicator of %d ranks for a negative color; expected nil", part.Size())
					}
					return nil
				}
				got, err := worldRanks(c, part)
				if err != nil {
					return err
				}
				if want := test.want[color]; !slices.Equal(got, want) || got[part.Rank()] != c.Rank() {
					return fmt.Errorf("ranks %v, this one is number %d; expected %v", got, part.Rank(), want)
				}
				return nil
			})
		})
	}
}

// Keys that are equal leave many ranks in their order, too.
func TestSplitsOfManyRanks(t *testing.T) {
	const ranks = 60
	onLogGP(t, ranks, func(c *mpi.Comm) error {
		part, err := c.Split(0, c.Rank()%3)
		if err != nil {
			return err
		}
		if want := c.Rank()%3*ranks/3 + c.Rank()/3; part.Rank() != want {
			return fmt.Errorf("number %d; expected %d", part.Rank(), want)
		}
		return nil
	})
}

// A message that has come is not lost with its communicator.
func TestCommunicatorsWithMessagesAreNotFreed(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			return firstError(mpi.Send(d, 1, 4, make([]byte, short)), mpi.Barrier(c), d.Free())
		}
		const left = "not complete: a message of 100 bytes from rank 0 with tag 4, which has not been received"
		if err := firstError(mpi.Barrier(c), refused(d.Free(), mpi.ErrRequest, left)); err != nil {
			return err
		}
		m, err := mpi.Match(d, 0, 4)
		if err != nil {
			return err
		}
		if err := refused(d.Free(), mpi.ErrRequest, left); err != nil {
			return err
		}
		_, err = mpi.ReceiveMatched(m, make([]byte, short))
		return firstError(err, d.Free())
	})
}

// The communicator of a window lives as long as the window.
func TestCommunicatorsOfWindowsAreNotFreed(t *testing.T) {
	onLogGP(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int64](c, 4)
		if err != nil {
			return err
		}
		return firstError(refused(w.Comm().Free(), mpi.ErrComm, "the communicator of a window"), mpi.Barrier(w.Comm()), w.Free())
	})
}

func TestCommunicatorsAreFreed(t *testing.T) {
	onLogGP(t, 3, func(c *mpi.Comm) error {
		for i := range 5000 { // more than there can be at once
			d, err := c.Dup()
			if err != nil {
				return fmt.Errorf("number %d: %w", i, err)
			}
			if err := d.Free(); err != nil {
				return err
			}
			if i > 0 {
				continue
			}
			if err := firstError(
				refused(d.Free(), mpi.ErrComm, "has been freed"),
				refused(mpi.Barrier(d), mpi.ErrComm, "has been freed"),
				refused(mpi.Send(d, 0, 0, []int{1}), mpi.ErrComm, "has been freed"),
			); err != nil {
				return err
			}
		}
		return refused(c.Free(), mpi.ErrComm, "all processes")
	})
}

func TestCommunicatorsRunOut(t *testing.T) {
	onLogGP(t, 2, func(c *mpi.Comm) error {
		var last *mpi.Comm
		for i := range 4095 {
			d, err := c.Dup()
			if err != nil {
				return fmt.Errorf("number %d: %w", i, err)
			}
			last = d
		}
		if _, err := c.Dup(); err == nil {
			return errors.New("more communicators than there are numbers")
		}
		if err := last.Free(); err != nil {
			return err
		}
		_, err := c.Dup()
		return err
	})
}

func TestCollectivesOfNilCommunicators(t *testing.T) {
	var none *mpi.Comm
	var grid *mpi.Cart
	var graph *mpi.Graph
	_, dup := none.Dup()
	_, split := none.Split(0, 0)
	_, cart := none.Cart(nil, nil, false)
	_, made := none.Graph(nil, nil)
	_, at := grid.Coordinates(0)
	_, rank := grid.RankAt(0)
	_, _, shift := grid.Shift(0, 1)
	_, sub := grid.Sub(nil)
	for i, err := range []error{
		mpi.Barrier(none), mpi.Broadcast(none, 0, []int{1}), none.Free(), none.SetAlgorithm("barrier", "tree"),
		dup, split, cart, made, at, rank, shift, sub,
		mpi.NeighbourAllGather(grid, []int{1}, nil), mpi.NeighbourAllGather(graph, []int{1}, nil), mpi.NeighbourAllToAll[int](nil, nil, nil),
	} {
		if err := refused(err, mpi.ErrComm, "nil"); err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// A forced algorithm that a communicator's children cannot use does not keep them from making
// windows, whose memory the library exchanges by itself.
func TestForcedAlgorithmsDoNotReachWindowsOfChildren(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		if err := c.SetAlgorithm("allgather", "recursive-doubling"); err != nil {
			return err
		}
		three, err := c.Split(c.Rank()/3, 0)
		if err != nil {
			return err
		}
		w, err := mpi.AllocateWindow[int64](three, 1)
		if err != nil {
			return err
		}
		if err := mpi.AllGather(three, []int{1}, make([]int, three.Size())); three.Size() == 3 && !errors.Is(err, mpi.ErrOp) {
			return fmt.Errorf("AllGather of 3 ranks by recursive doubling, which the program has forced: %v", err)
		}
		return w.Free()
	})
}
