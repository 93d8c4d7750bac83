package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/mpi"
	"musubi/units"
)

// On command queues no rank leaves a barrier before all have started it, whatever they compute
// before, and all have the sum of an allreduce. Of the sizes, powers of two use the queues.
func TestTriggeredBarriers(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 8, 16, 32} {
		started := make([][]units.Time, 10)
		onTofu2(t, ranks, func(c *mpi.Comm) error {
			rng := rand.New(rand.NewPCG(3, uint64(c.Rank())))
			p, err := mpi.BarrierInit(c, mpi.ExchangeOptions{})
			if err != nil {
				return err
			}
			steps := map[int]int{2: 1, 4: 2, 8: 3, 16: 4, 32: 5}[ranks]
			if got := p.Plan(); got.Queues != steps {
				return fmt.Errorf("%d ranks: plan %+v; expected %d queues", ranks, got, steps)
			}
			for round := range started {
				c.Process().Compute(units.Time(rng.IntN(8)) * units.Microsecond)
				started[round] = append(started[round], c.Process().Now())
				if err := p.Start(); err != nil {
					return err
				}
				if _, err := p.Wait(); err != nil {
					return err
				}
				if len(started[round]) < ranks {
					return fmt.Errorf("%d ranks: rank %d leaves a barrier that %d have started", ranks, c.Rank(), len(started[round]))
				}
			}
			return p.Free()
		})
	}
}

// An allreduce on command queues goes on while all ranks compute: afterwards little is left to be
// waited for. By messages nothing happens before Wait.
func TestTriggeredAllReducesNeedNoProcessor(t *testing.T) {
	after := func(options ...mpi.ExchangeOptions) (longest units.Time) {
		onTofu2(t, 16, func(c *mpi.Comm) error {
			data := make([]float64, 8)
			p, err := mpi.AllReduceInit(c, data, data, mpi.Sum[float64](), options...)
			for round := 0; err == nil && round < 3; round++ {
				if err = mpi.Barrier(c); err != nil {
					break
				}
				if err = p.Start(); err != nil {
					break
				}
				c.Process().Compute(50 * units.Microsecond)
				begin := c.Process().Now()
				_, err = p.Wait()
				longest = max(longest, c.Process().Now()-begin)
			}
			return err
		})
		return longest
	}
	queues, messages := after(mpi.ExchangeOptions{}), after()
	if queues > units.Time(1500)*units.Nanosecond || messages < 2*queues {
		t.Errorf("after a computation, %v to wait with command queues, %v without; expected only completions to be taken with them", queues, messages)
	}
	t.Logf("%v and %v", queues, messages)
}

// Where queues run out, all ranks go by messages alike.
func TestTriggeredBarriersWithoutQueues(t *testing.T) {
	onTofu2(t, 4, func(c *mpi.Comm) error {
		most := 0
		if c.Rank() == 2 {
			most = 1 // of the two that it takes
		}
		p, err := mpi.BarrierInit(c, mpi.ExchangeOptions{Queues: most})
		if err != nil {
			return err
		}
		if got := p.Plan(); got.Queues != 0 {
			return fmt.Errorf("rank %d has plan %+v; expected messages", c.Rank(), got)
		}
		for range 3 {
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(); err != nil {
				return err
			}
		}
		return p.Free()
	})
}
