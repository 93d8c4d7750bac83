package mpi_test

import (
	"errors"
	"strings"
	"testing"

	"musubi/mpi"
)

// mistakes are calls that differ between rank 1 and the others, and what rank 1 is told.
var mistakes = []struct {
	name  string
	call  func(c *mpi.Comm, wrong bool) error
	class mpi.ErrorClass
	says  string
}{
	{"types", func(c *mpi.Comm, wrong bool) error {
		if wrong {
			return mpi.Broadcast(c, 0, make([]int32, 6))
		}
		return mpi.Broadcast(c, 0, make([]float64, 3))
	}, mpi.ErrType, "Broadcast of 6 int32 with root 0; rank 0 has called Broadcast of 3 float64 with root 0: expected the same type of elements"},
	{"roots", func(c *mpi.Comm, wrong bool) error {
		return mpi.Broadcast(c, either(wrong, 2, 0), make([]int, 3))
	}, mpi.ErrRoot, "Broadcast of 3 int with root 2; rank 0 has called Broadcast of 3 int with root 0"},
	{"lengths", func(c *mpi.Comm, wrong bool) error {
		n := either(wrong, 5, 4)
		return mpi.AllReduce(c, make([]float64, n), make([]float64, n), mpi.Sum[float64]())
	}, mpi.ErrCount, "AllReduce of 5 float64 by Sum; rank 0 has called AllReduce of 4 float64 by Sum: expected the same number of elements"},
	{"reductions", func(c *mpi.Comm, wrong bool) error {
		op := mpi.Sum[int]()
		if wrong {
			op = mpi.Max[int]()
		}
		return mpi.Reduce(c, 0, make([]int, 1), make([]int, 1), op)
	}, mpi.ErrOp, "Reduce of 1 int by Max with root 0; rank 0 has called Reduce of 1 int by Sum with root 0: expected the same reduction"},
	{"operations", func(c *mpi.Comm, wrong bool) error {
		if wrong {
			return mpi.Barrier(c)
		}
		return mpi.Gather(c, 0, []int{1}, make([]int, c.Size()))
	}, mpi.ErrOp, "Barrier; rank 0 has called Gather of 1 int with root 0: expected the same operation"},
	{"parts", func(c *mpi.Comm, wrong bool) error {
		out := [][]byte{{0}, {0}, {0}}
		if wrong {
			out[2] = make([]byte, 2)
		}
		return mpi.AllGatherV(c, []byte{1}, out)
	}, mpi.ErrCount, "AllGatherV of 1+1+2 uint8; rank 0 has called AllGatherV of 1+1+1 uint8"},
	{"algorithms", func(c *mpi.Comm, wrong bool) error {
		if wrong {
			if err := c.SetAlgorithm("allgather", "ring"); err != nil {
				return err
			}
		}
		return mpi.AllGather(c, []int{1}, make([]int, 3))
	}, mpi.ErrOp, "AllGather of 1 int, algorithm ring; rank 0 has called AllGather of 1 int: expected the same algorithm"},
	{"started", func(c *mpi.Comm, wrong bool) error {
		if wrong {
			return mpi.Barrier(c)
		}
		r, err := mpi.IBarrier(c)
		if err == nil {
			_, err = r.Wait()
		}
		return err
	}, mpi.ErrOp, "Barrier; rank 0 has called IBarrier"},
	{"derived", func(c *mpi.Comm, wrong bool) error {
		if wrong {
			_, err := c.Dup()
			return err
		}
		_, err := c.Split(0, 0)
		return err
	}, mpi.ErrOp, "Dup; rank 0 has called Split"},
	{"forgotten barrier", func(c *mpi.Comm, wrong bool) error {
		if wrong {
			return c.Close()
		}
		return mpi.Barrier(c)
	}, mpi.ErrOp, "Close; rank 0 has called Barrier"},
}

func either(wrong bool, a, b int) int {
	if wrong {
		return a
	}
	return b
}

// Where calls of ranks do not fit together the rank that differs is told what it has called, and
// what another one has. Simulated ranks compare by the world, those between which messages are
// needed by messages.
func TestCheckFindsCallsThatDiffer(t *testing.T) {
	for _, m := range mistakes {
		for _, by := range []string{"world", "messages"} {
			t.Run(m.name+" by "+by, func(t *testing.T) {
				told := make([]error, 3)
				j := job{machine: "loggp", ranks: 3, noWitness: by == "messages", options: mpi.Options{Check: mpi.CheckOn}}
				err := j.run(func(c *mpi.Comm) error {
					err := m.call(c, c.Rank() == 1)
					told[c.Rank()] = err
					if by == "messages" { // all are told
						return nil
					}
					return err
				})
				if (err == nil) != (by == "messages") {
					t.Fatalf("the job ended with %v", err)
				}
				if wrong := told[1]; !errors.Is(wrong, m.class) || !strings.Contains(wrong.Error(), m.says) {
					t.Errorf("rank 1 got %v; expected %v with %q", wrong, m.class, m.says)
				}
				if by == "messages" && (told[0] == nil || !strings.Contains(told[0].Error(), "rank 1 has called")) {
					t.Errorf("rank 0 got %v; expected what rank 1 has called", told[0])
				}
			})
		}
	}
}

// A comparison takes no simulated time.
func TestCheckTakesNoSimulatedTime(t *testing.T) {
	ends := map[mpi.Check]string{}
	for _, check := range []mpi.Check{mpi.CheckOn, mpi.CheckOff} {
		j := job{machine: "ndr", ranks: 4, options: mpi.Options{Check: check}}
		err := j.run(func(c *mpi.Comm) error {
			for range 3 {
				if err := firstError(mpi.Barrier(c), mpi.AllReduce(c, []int{1}, []int{0}, mpi.Sum[int]())); err != nil {
					return err
				}
			}
			if c.Rank() == 0 {
				ends[check] = c.Process().Now().String()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if ends[mpi.CheckOn] != ends[mpi.CheckOff] {
		t.Errorf("with checks the program ends at %s, without at %s", ends[mpi.CheckOn], ends[mpi.CheckOff])
	}
}

// Calls from another goroutine than the one of New are refused.
func TestCheckFindsOtherGoroutines(t *testing.T) {
	onLogGP(t, 2, func(c *mpi.Comm) error {
		told := make(chan error)
		go func() {
			_, err := mpi.ISend(c, 1-c.Rank(), 0, []int{1})
			told <- err
		}()
		return refused(<-told, mpi.ErrOther, "a call from another goroutine than the one that called New")
	})
}
