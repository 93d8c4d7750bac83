package rank

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Accumulates of package mpi change very many elements of all ranks at the same time, by
// few requests, with and without layouts.
func TestAccumulatesOfWindowsMeet(t *testing.T) {
	const rounds = 1
	n := 20_000 // longer than a frame
	if *long {
		n = 70_000
	}
	onWorlds(t, 4, func(p rma.Process) error {
		counted := &countsRequests{counted: p.(*Rank)}
		return mpi.Run(counted, func(c *mpi.Comm) error {
			w, err := mpi.AllocateWindow[int64](c, n)
			if err != nil {
				return err
			}
			whole := mpi.Indexed(mpi.Block{At: 0, Count: 10}, mpi.Block{At: 10, Count: n - 10})
			ones, was := slices.Repeat([]int64{1}, n), make([]int64, n)
			if err := w.Fence(); err != nil {
				return err
			}
			for range rounds {
				for to := range c.Size() {
					err := errors.Join(
						w.Accumulate(to, 0, ones, mpi.Sum[int64]()), w.GetAccumulate(to, 0, ones, was, mpi.Sum[int64]()),
						w.GetAccumulateLayout(to, 0, whole, ones, mpi.Vector(1, n, n), was, mpi.Vector(1, n, n), mpi.NoOp[int64]()),
						w.AccumulateLayout(to, 0, whole, ones, mpi.Vector(1, n, n), mpi.Sum[int64]()), w.GetAccumulate(to, 0, nil, was, mpi.NoOp[int64]()))
					if err != nil {
						return err
					}
				}
			}
			if err := w.Fence(); err != nil {
				return err
			}
			want := int64(rounds * c.Size() * 3)
			if i := slices.IndexFunc(w.Memory(), func(v int64) bool { return v != want }); i >= 0 {
				return fmt.Errorf("element %d is %d; expected %d", i, w.Memory()[i], want)
			}
			if most := rounds * c.Size() * 5 * 4; counted.requests == 0 || counted.requests > most {
				return fmt.Errorf("%d accumulates of %d elements took %d requests; expected at most %d", rounds*c.Size()*5, n, counted.requests, most)
			}
			return w.Free()
		})
	})
}

// countsRequests counts requests to change words.
type countsRequests struct {
	*counted
	requests int
}

func (c *countsRequests) Accumulate(at rma.Address, by rma.Reduction, operands, was []int64) (rma.Op, error) {
	c.requests++
	return c.counted.Accumulate(at, by, operands, was)
}

func (c *countsRequests) FetchOp(at rma.Address, by rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	c.requests++
	return c.counted.FetchOp(at, by, operand, was)
}

// counted is Rank by a name that none of its methods has.
type counted = Rank
