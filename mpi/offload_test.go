package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// onTofu2 runs a program on some ranks of a machine whose interfaces do reductions.
func onTofu2(t *testing.T, ranks int, program func(c *mpi.Comm) error) {
	t.Helper()
	err := job{machine: "tofu2", ranks: ranks, options: mpi.Options{Check: mpi.CheckOff}}.run(func(c *mpi.Comm) error {
		if err := program(c); err != nil {
			return err
		}
		return c.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// sameAsByMessages reduces by the interfaces and by messages.
func sameAsByMessages[T mpi.Integer](c *mpi.Comm, own T, ops ...mpi.Op[T]) error {
	for i, op := range ops {
		var offloaded, doubled [1]T
		if err := firstError(
			c.SetAlgorithm("allreduce", mpi.Offload),
			mpi.AllReduce(c, []T{own}, offloaded[:], op),
			c.SetAlgorithm("allreduce", "recursive-doubling"),
			mpi.AllReduce(c, []T{own}, doubled[:], op),
		); err != nil {
			return err
		}
		if offloaded != doubled {
			return fmt.Errorf("operation %d on %T: %v by the interfaces, %v by messages", i, own, offloaded, doubled)
		}
	}
	return nil
}

func allOps[T mpi.Integer]() []mpi.Op[T] {
	return []mpi.Op[T]{mpi.Sum[T](), mpi.Min[T](), mpi.Max[T](), mpi.And[T](), mpi.Or[T](), mpi.Xor[T]()}
}

type temperature int64

func TestOffloadedReductionsHaveTheSameBits(t *testing.T) {
	step := 1
	if underRace {
		step = 6
	}
	for ranks := 1; ranks <= 13; ranks += step {
		onTofu2(t, ranks, func(c *mpi.Comm) error {
			rng := rand.New(rand.NewPCG(uint64(c.Rank()), 9))
			for range scaled(5) {
				x := rng.Uint64()
				if rng.IntN(4) == 0 {
					x = []uint64{0, 1 << 63, math.MaxInt64, math.MaxUint64}[rng.IntN(4)]
				}
				if err := firstError(
					sameAsByMessages(c, x, allOps[uint64]()...), sameAsByMessages(c, int64(x), allOps[int64]()...),
					sameAsByMessages(c, int(x), allOps[int]()...), sameAsByMessages(c, uint(x), allOps[uint]()...),
					sameAsByMessages(c, temperature(x), allOps[temperature]()...),
				); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// Several that have been started are complete in any order of waiting, beside messages,
// persistent operations and exchanges with neighbours.
func TestOffloadedOperationsThatAreStarted(t *testing.T) {
	for _, ranks := range []int{2, 5, 12} {
		onTofu2(t, ranks, func(c *mpi.Comm) error {
			own := rand.New(rand.NewPCG(uint64(c.Rank()), 3))
			shared := rand.New(rand.NewPCG(uint64(ranks), 4))
			ring, err := c.Cart([]int{ranks}, []bool{true}, false)
			if err != nil {
				return err
			}
			parts := func() [][]int { return [][]int{make([]int, 100), make([]int, 100)} }
			exchange, err := mpi.NeighbourAllToAllInit(ring, parts(), parts())
			if err != nil {
				return err
			}
			prepared, err := mpi.BarrierInit(c)
			if err != nil {
				return err
			}
			for round := range 10 {
				var requests []*mpi.Request
				sums := make([]int, 1+shared.IntN(4))
				for i := range sums {
					r, err := mpi.IAllReduce(c, []int{c.Rank() + i}, sums[i:i+1], mpi.Sum[int]())
					barrier, failed := mpi.IBarrier([]*mpi.Comm{c, ring.Comm}[shared.IntN(2)])
					if err := firstError(err, failed); err != nil {
						return err
					}
					requests = append(requests, r, barrier)
				}
				if err := mpi.StartAll(exchange, prepared); err != nil {
					return err
				}
				requests = append(requests, exchange.Request(), prepared.Request())
				c.Process().Compute(units.Time(own.IntN(10)) * units.Microsecond)
				own.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
				for _, r := range requests {
					if _, err := r.Wait(); err != nil {
						return err
					}
				}
				for i, sum := range sums {
					if want := ranks*(ranks-1)/2 + i*ranks; sum != want {
						return fmt.Errorf("round %d: sum %d is %d, want %d", round, i, sum, want)
					}
				}
				if err := mpi.Barrier(c); err != nil {
					return err
				}
			}
			return firstError(exchange.Free(), prepared.Free(), ring.Free())
		})
	}
}

// Communicators for which interfaces have no room do without, and those that are freed give
// room to others.
func TestMoreCommunicatorsThanGroups(t *testing.T) {
	onTofu2(t, 6, func(c *mpi.Comm) error {
		for range 3 {
			var comms []*mpi.Comm
			for i := range 12 {
				d, err := c.Split(c.Rank()/2*(i%2), 0)
				if err != nil {
					return err
				}
				comms = append(comms, d)
				for range 3 {
					sum := []int64{1}
					if err := firstError(mpi.AllReduce(d, sum, sum, mpi.Sum[int64]()), mpi.Barrier(d)); err != nil {
						return err
					}
					if int(sum[0]) != d.Size() {
						return fmt.Errorf("communicator %d of %d: sum %d", i, d.Size(), sum[0])
					}
				}
			}
			last := comms[len(comms)-1]
			if err := firstError(
				last.SetAlgorithm("barrier", mpi.Offload),
				refused(mpi.Barrier(last), mpi.ErrOther, "not all interfaces have room"),
			); err != nil {
				return err
			}
			for _, d := range comms {
				if err := d.Free(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func TestWhatCannotBeOffloadedIsRefused(t *testing.T) {
	onTofu2(t, 3, func(c *mpi.Comm) error {
		if err := c.SetAlgorithm("allreduce", mpi.Offload); err != nil {
			return err
		}
		const says = "algorithm offload with other operations or elements; expected Sum"
		return firstError(
			refused(mpi.AllReduce(c, []int{1, 2}, make([]int, 2), mpi.Sum[int]()), mpi.ErrOp, says),
			refused(mpi.AllReduce(c, []int32{1}, make([]int32, 1), mpi.Sum[int32]()), mpi.ErrOp, says),
			refused(mpi.AllReduce(c, []float64{1}, make([]float64, 1), mpi.Sum[float64]()), mpi.ErrOp, says),
			refused(mpi.AllReduce(c, []int{1}, make([]int, 1), mpi.Product[int]()), mpi.ErrOp, says),
			refused(c.SetAlgorithm("broadcast", mpi.Offload), mpi.ErrOp, `unknown algorithm "offload"`),
		)
	})
	onLogGP(t, 2, func(c *mpi.Comm) error {
		return refused(c.SetAlgorithm("barrier", mpi.Offload), mpi.ErrOp, "a machine whose interfaces do none")
	})
}

// Ranks that do different operations at the same time find out.
func TestOffloadedOperationsThatDiffer(t *testing.T) {
	onTofu2(t, 7, func(c *mpi.Comm) error {
		for range 2 {
			if err := mpi.Barrier(c); err != nil {
				return err
			}
		}
		op, out := mpi.Sum[int](), make([]int, 1)
		if c.Rank() == 5 {
			op = mpi.Max[int]()
		}
		if err := mpi.AllReduce(c, []int{1}, out, op); !errors.Is(err, rma.ErrConflict) || !errors.Is(err, mpi.ErrOp) {
			return fmt.Errorf("error %v; expected a conflict", err)
		}
		return mpi.Barrier(c)
	})
}

// A communicator cannot be freed while the interfaces do something for it.
func TestFreeBeforeAnOffloadedBarrierEnds(t *testing.T) {
	onTofu2(t, 3, func(c *mpi.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		if err := firstError(mpi.Barrier(d), mpi.Barrier(d)); err != nil {
			return err
		}
		first, err := mpi.IBarrier(d)
		second, failed := mpi.IBarrier(d)
		if err := firstError(err, failed, refused(d.Free(), mpi.ErrRequest, "not complete: IBarrier")); err != nil {
			return err
		}
		for _, r := range []*mpi.Request{second, first} {
			if _, err := r.Wait(); err != nil {
				return err
			}
		}
		return d.Free()
	})
}

// A barrier that a rank does not come to is named.
func TestOffloadedBarrierThatOneDoesNotCall(t *testing.T) {
	err := job{machine: "tofu2", ranks: 4}.run(func(c *mpi.Comm) error {
		for i := range 4 {
			if c.Rank() == 2 && i == 3 {
				return nil
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
		}
		return nil
	})
	if says := "(barrier) of a group of 4 ranks, which rank 2 has not started"; err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v; expected %q", err, says)
	}
}
