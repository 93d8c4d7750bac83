package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// spread spreads small numbers over words.
const spread = 0x5851f42d4c957f2d

// All ranks change all words of all at the same time, in all ways that do not depend on the
// order: one word or many, with and without asking what was there, contiguous or not.
func TestConcurrentChangesOfWords(t *testing.T) {
	n, rounds := 40, scaled(4)
	everywhere(t, 4, func(c *mpi.Comm) error {
		if err := changeTogether[int64](c, n, rounds, mpi.Sum[int64]()); err != nil {
			return err
		}
		if err := changeTogether[uint64](c, n, rounds, mpi.Sum[uint64]()); err != nil {
			return err
		}
		if err := changeTogether[int](c, n, rounds, mpi.Product[int]()); err != nil {
			return err
		}
		return errors.Join(
			changeTogether[uint64](c, n, rounds, mpi.Max[uint64]()), changeTogether[int64](c, n, rounds, mpi.Min[int64]()),
			changeTogether[uint](c, n, rounds, mpi.Xor[uint]()), changeTogether[int64](c, n, rounds, mpi.And[int64]()))
	})
}

// changeTogether does so with one operation.
func changeTogether[T mpi.Integer](c *mpi.Comm, n, rounds int, op mpi.Op[T]) error {
	w, err := mpi.AllocateWindow[T](c, n)
	if err != nil {
		return err
	}
	for i := range w.Memory() {
		w.Memory()[i] = 1
	}
	operand := func(rank, round int) []T {
		data := make([]T, n)
		for i := range data {
			data[i] = T(spread * uint64(rank*31+round*7+i))
		}
		return data
	}
	if err := w.Fence(); err != nil {
		return err
	}
	was, odd := make([]T, n), mpi.Vector(n/2, 1, 2)
	for round := range rounds {
		for to := range c.Size() {
			data := operand(c.Rank(), round)
			even, uneven := make([]T, 0, n/2), make([]T, 0, n/2)
			for i := range n / 2 {
				even, uneven = append(even, data[2*i]), append(uneven, data[2*i+1])
			}
			switch (round + c.Rank()) % 4 {
			case 0:
				err = w.Accumulate(to, 0, data, op)
			case 1:
				err = w.GetAccumulate(to, 0, data, was, op)
			case 2:
				for i := range data {
					_, failed := w.FetchAndOp(to, i, data[i], op)
					err = errors.Join(err, failed)
				}
			default:
				here := mpi.Vector(1, n/2, n/2)
				err = errors.Join(w.AccumulateLayout(to, 1, mpi.Vector(n/2, 1, 2), uneven, here, op),
					w.GetAccumulateLayout(to, 0, odd, even, here, make([]T, n/2), here, op))
			}
			if err != nil {
				return err
			}
		}
	}
	if err := w.Fence(); err != nil {
		return err
	}
	want := make([]T, n)
	for i := range want {
		want[i] = 1
	}
	for rank := range c.Size() {
		for round := range rounds {
			op.Apply(operand(rank, round), want)
		}
	}
	for i := range want {
		if w.Memory()[i] != want[i] {
			return fmt.Errorf("word %d is %d; expected %d", i, w.Memory()[i], want[i])
		}
	}
	return w.Free()
}

// What one rank does to a word takes effect in the order of the calls, in whatever way.
func TestChangesOfAWordByOneRankKeepTheirOrder(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[uint64](c, 300)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		for _, to := range []int{0, 1} {
			at, two, ten := 150*c.Rank(), make([]uint64, 150), make([]uint64, 150)
			for i := range two {
				two[i], ten[i] = 2, 10
			}
			was := make([]uint64, 150)
			err := errors.Join(
				w.Accumulate(to, at, ten, mpi.Replace[uint64]()), w.Accumulate(to, at, two, mpi.Product[uint64]()),
				w.Accumulate(to, at, two, mpi.Sum[uint64]()), w.GetAccumulate(to, at, two, was, mpi.Max[uint64]()),
				w.Accumulate(to, at, two, mpi.Replace[uint64]()))
			last, failed := w.FetchAndOp(to, at+149, 1, mpi.Sum[uint64]())
			if err = errors.Join(err, failed, w.Flush(to)); err != nil {
				return err
			}
			if was[0] != 22 || was[149] != 22 || last != 2 {
				return fmt.Errorf("words were %d and %d, and %d at last; expected 22 and 2", was[0], was[149], last)
			}
		}
		return errors.Join(w.UnlockAll(), w.Free())
	})
}

// Where interfaces change words the target need not call anything.
func TestTargetOfWordsIsLeftAlone(t *testing.T) {
	for _, machine := range []string{"ndr", "tofu2", "ssscore"} {
		err := job{machine: machine, ranks: 2}.run(func(c *mpi.Comm) error {
			w, err := mpi.AllocateWindow[int64](c, 20)
			if err != nil {
				return err
			}
			if err := w.Fence(); err != nil {
				return err
			}
			if c.Rank() == 1 {
				c.Process().Compute(units.Second)
				return errors.Join(w.Fence(), w.Free())
			}
			begin := c.Process().Now()
			r, err := w.RGetAccumulate(1, 0, make([]int64, 20), make([]int64, 20), mpi.Sum[int64]())
			if err != nil {
				return err
			}
			_, waited := r.Wait()
			_, fetched := w.FetchAndOp(1, 3, 5, mpi.Sum[int64]())
			was, swapped := w.CompareAndSwap(1, 3, 5, 6)
			if took := c.Process().Now() - begin; took > units.Millisecond || was != 5 {
				return fmt.Errorf("%d was there, after %v", was, took)
			}
			return errors.Join(waited, fetched, swapped, w.Fence(), w.Free())
		})
		if err != nil {
			t.Errorf("%s: %v", machine, err)
		}
	}
}

// A rank that tries again and again to change a word of another does meanwhile what others want
// of it: here, to read a long message.
func TestWhoTriesInVainReceivesMeanwhile(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int64](c, 1)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		if c.Rank() == 0 {
			if err := mpi.SendSync(c, 1, 0, make([]byte, large)); err != nil {
				return err
			}
			_, err := w.CompareAndSwap(0, 0, 0, 1)
			return errors.Join(err, w.UnlockAll(), w.Free())
		}
		r, err := mpi.IReceive(c, 0, 0, make([]byte, large))
		for was, tries := int64(0), 0; err == nil && was != 1; tries++ {
			if tries == 1e6 {
				return errors.New("it tries without success for too long")
			}
			was, err = w.CompareAndSwap(0, 0, 1, 2)
		}
		if err != nil {
			return err
		}
		_, err = r.Wait()
		return errors.Join(err, w.UnlockAll(), w.Free())
	})
}

// startsOfWords counts changes of words, and rows of them, in which nothing is waited for.
type startsOfWords struct {
	rma.Atomics
	changes, rows int
	inRow         bool
}

func (s *startsOfWords) FetchOp(at rma.Address, r rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	if s.changes++; !s.inRow {
		s.rows++
	}
	s.inRow = true
	return s.Atomics.FetchOp(at, r, operand, was)
}

func (s *startsOfWords) Await(ops ...rma.Op) error {
	s.inRow = false
	return s.Atomics.Await(ops...)
}

// However many words are changed, many changes are started in a row, so that an interface can
// send them together.
func TestManyChangesGoTogether(t *testing.T) {
	const words = 1000
	_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "ndr", Ranks: 2}, func(p rma.Process) error {
		starts := startsOfWords{Atomics: p.(rma.Atomics)}
		return mpi.Run(&starts, func(c *mpi.Comm) error {
			w, err := mpi.AllocateWindow[int64](c, words)
			if err != nil {
				return err
			}
			to := 1 - c.Rank()
			err = errors.Join(w.Fence(), w.Accumulate(to, 0, make([]int64, words), mpi.Sum[int64]()), w.Fence(), w.Free())
			if starts.changes != words || starts.rows > words/100 {
				t.Errorf("%d words are changed by %d operations in %d rows; expected as many, in long rows", words, starts.changes, starts.rows)
			}
			return err
		})
	})
	if err != nil {
		t.Error(err)
	}
}
