package rank

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"musubi/mpi"
	"musubi/rma"
)

// Nonblocking operations on short data, many at once, between blocking ones and messages, have the results of blocking ones.
func TestNonblockingByNotes(t *testing.T) {
	for _, sleeps := range []bool{false, true} {
		for _, ranks := range []int{2, 3, 5} {
			err := inProcess(variant{ringBytes: 64 << 10, arenaBytes: 8 << 20, sleeps: sleeps}, ranks, func(p rma.Process) error {
				return mpi.Run(p, func(c *mpi.Comm) error {
					if err := mpi.Barrier(c); err != nil { // makes the shared barriers
						return err
					}
					s := queued{c: c, random: rand.New(rand.NewPCG(1, uint64(ranks))), own: rand.New(rand.NewPCG(2, uint64(c.Rank())))}
					for s.step = range 400 {
						if err := s.next(); err != nil {
							return fmt.Errorf("step %d: %w", s.step, err)
						}
					}
					if err := s.end(); err != nil {
						return err
					}
					if s.byNotes < 100 || s.otherwise < 5 {
						return fmt.Errorf("%d operations by notes and %d otherwise; want many by notes, and long ones otherwise", s.byNotes, s.otherwise)
					}
					return nil
				})
			})
			if err != nil {
				t.Errorf("sleeps %v, %d ranks: %v", sleeps, ranks, err)
			}
		}
	}
}

// queued is what a rank has started.
type queued struct {
	c                  *mpi.Comm
	random, own        *rand.Rand // the same at all ranks, and not
	step               int
	open               []*mpi.Request
	checks             []func() error // of those
	byNotes, otherwise int
}

// next takes a step: the same kind at all ranks.
func (s *queued) next() error {
	kind, n, root := s.random.IntN(8), []int{0, 1, 5, 129, 409, 410, 512, 513, 2000}[s.random.IntN(9)], s.random.IntN(s.c.Size())
	data := make([]int64, n)
	for i := range data {
		data[i] = int64(s.step*1000 + i + s.c.Rank())
	}
	switch kind {
	case 0, 1:
		r, err := mpi.IBarrier(s.c)
		return s.started(r, err, 0, false, func() error { return nil })
	case 2, 3:
		out := make([]int64, n)
		r, err := mpi.IAllReduce(s.c, data, out, mpi.Sum[int64]())
		ranks := s.c.Size()
		return s.started(r, err, n, false, s.wants(out, func(i int) int64 { return int64(ranks*(s.step*1000+i) + ranks*(ranks-1)/2) }))
	case 4:
		r, err := mpi.IBroadcast(s.c, root, data)
		return s.started(r, err, n, true, s.wants(data, func(i int) int64 { return int64(s.step*1000 + i + root) }))
	case 5:
		sum, err := mpi.AllReduceValue(s.c, s.c.Rank(), mpi.Sum)
		if want := s.c.Size() * (s.c.Size() - 1) / 2; err == nil && sum != want {
			err = fmt.Errorf("a sum of %d; want %d", sum, want)
		}
		return err
	case 6:
		to, from := (s.c.Rank()+1)%s.c.Size(), (s.c.Rank()+s.c.Size()-1)%s.c.Size()
		_, err := mpi.SendReceive(s.c, to, 1, data, from, 1, make([]int64, n))
		return err
	default:
		if s.own.IntN(4) == 0 {
			time.Sleep(time.Duration(s.own.IntN(300)) * time.Microsecond)
		}
		return s.end()
	}
}

// wants returns a check of a result of this step.
func (s *queued) wants(got []int64, want func(i int) int64) func() error {
	expected := make([]int64, len(got))
	for i := range expected {
		expected[i] = want(i)
	}
	return func() error {
		if !slices.Equal(got, expected) {
			return fmt.Errorf("a result of %v; want %v", got[:min(3, len(got))], expected[:min(3, len(got))])
		}
		return nil
	}
}

func (s *queued) started(r *mpi.Request, err error, n int, isBroadcast bool, check func() error) error {
	if err != nil {
		return err
	}
	byNotes, isShort := s.c.Chosen() == "notes", 8*n <= min(4<<10, 16<<10/s.c.Size()) // of five ranks 409 numbers, of fewer 512
	if byNotes {
		s.byNotes++
	} else {
		s.otherwise++
	}
	if byNotes != (isShort && !isBroadcast) {
		return fmt.Errorf("an operation on %d numbers by %s", n, s.c.Chosen())
	}
	s.open, s.checks = append(s.open, r), append(s.checks, check)
	return nil
}

// end waits for all that is open, in some order.
func (s *queued) end() error {
	for _, i := range s.own.Perm(len(s.open)) {
		if s.own.IntN(3) == 0 {
			for range s.own.IntN(20) {
				if _, _, err := s.open[i].Test(); err != nil {
					return err
				}
			}
		}
		if _, err := s.open[i].Wait(); err != nil {
			return err
		}
		if err := s.checks[i](); err != nil {
			return err
		}
	}
	s.open, s.checks = s.open[:0], s.checks[:0]
	return nil
}

// A nonblocking barrier is complete when all ranks have started it, and no sooner; and lengths that differ are errors.
func TestNonblockingNotesWait(t *testing.T) {
	for _, sleeps := range []bool{false, true} {
		started := make(chan struct{})
		err := inProcess(variant{ringBytes: 64 << 10, arenaBytes: 8 << 20, sleeps: sleeps}, 2, func(p rma.Process) error {
			return mpi.Run(p, func(c *mpi.Comm) error {
				if err := mpi.Barrier(c); err != nil {
					return err
				}
				if c.Rank() == 1 {
					<-started
				}
				r, err := mpi.IBarrier(c)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					for range 100 {
						if _, done, err := r.Test(); done || err != nil {
							return fmt.Errorf("the barrier is complete: %v, %v; rank 1 has not started it", done, err)
						}
					}
					close(started)
				}
				if _, err := r.Wait(); err != nil {
					return err
				}
				in, out := make([]int64, 1+c.Rank()), make([]int64, 1+c.Rank())
				if r, err = mpi.IAllReduce(c, in, out, mpi.Sum[int64]()); err == nil {
					_, err = r.Wait()
				}
				if !errors.Is(err, mpi.ErrCount) && !errors.Is(err, mpi.ErrTruncate) {
					return fmt.Errorf("an allreduce of different lengths: %v", err)
				}
				sum, err := mpi.AllReduceValue(c, 1, mpi.Sum)
				if err == nil && sum != 2 {
					err = fmt.Errorf("a sum of %d behind that", sum)
				}
				return err
			})
		})
		if err != nil {
			t.Errorf("sleeps %v: %v", sleeps, err)
		}
	}
}

// An operation with neighbours is none with all ranks, also where those go by notes.
func TestNeighboursGoWithoutNotes(t *testing.T) {
	err := inProcess(variant{ringBytes: 64 << 10, arenaBytes: 8 << 20}, 2, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			ring, err := c.Cart([]int{2}, []bool{true}, false)
			if err != nil {
				return err
			}
			if err := mpi.Barrier(ring.Comm); err != nil { // makes the shared barriers
				return err
			}
			before, err := mpi.IBarrier(ring.Comm)
			if err == nil {
				_, err = before.Wait()
			}
			if err != nil || ring.Chosen() != "notes" {
				return fmt.Errorf("a barrier by %s: %v; want one by notes", ring.Chosen(), err)
			}
			out := [][]int64{make([]int64, 1), make([]int64, 1)}
			r, err := mpi.INeighbourAllGather(ring, []int64{int64(7 + c.Rank())}, out)
			if err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
			if want := int64(8 - c.Rank()); out[0][0] != want || out[1][0] != want {
				return fmt.Errorf("the neighbours have given %v; want %d twice", out, want)
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}
