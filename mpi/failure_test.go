package mpi_test

import (
	"context"
	"errors"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

var errBroken = errors.New("the interface is broken")

// faulty is a process whose machine fails: one of its methods, from some call on.
type faulty struct {
	rma.Process
	method string
	after  int // calls
}

func (f *faulty) fails(method string) error {
	if method != f.method {
		return nil
	}
	if f.after--; f.after >= 0 {
		return nil
	}
	return errBroken
}

func (f *faulty) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := f.fails("IPush"); err != nil {
		return 0, err
	}
	return f.Process.IPush(to, data, by)
}

func (f *faulty) Pull(from rma.Address, into []byte) (rma.Op, error) {
	if err := f.fails("Pull"); err != nil {
		return 0, err
	}
	return f.Process.Pull(from, into)
}

func (f *faulty) Test(op rma.Op) (bool, error) {
	if err := f.fails("Test"); err != nil {
		return false, err
	}
	return f.Process.Test(op)
}

func (f *faulty) Await(ops ...rma.Op) error {
	if err := f.fails("Await"); err != nil {
		return err
	}
	return f.Process.Await(ops...)
}

func (f *faulty) Poll() (bool, error) {
	if err := f.fails("Poll"); err != nil {
		return false, err
	}
	return f.Process.Poll()
}

func (f *faulty) Next() (rma.Arrival, error) {
	if err := f.fails("Next"); err != nil {
		return rma.Arrival{}, err
	}
	return f.Process.Next()
}

func (f *faulty) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	if err := f.fails("Take"); err != nil {
		return err
	}
	return f.Process.Take(a, into, as)
}

func (f *faulty) Withdraw(segment int) error {
	if err := f.fails("Withdraw"); err != nil {
		return err
	}
	return f.Process.Withdraw(segment)
}

// everything communicates in all ways with the one other rank.
func everything(c *mpi.Comm) error {
	other := 1 - c.Rank()
	for _, n := range []int{short, large} {
		into := make([]byte, n)
		if _, err := mpi.SendReceive(c, other, 0, text(n, 0), other, 0, into); err != nil {
			return err
		}
		in, err := mpi.IReceive(c, other, 1, into)
		if err != nil {
			return err
		}
		out, err := mpi.ISendSync(c, other, 1, text(n, 0))
		if err != nil {
			return err
		}
		for complete := false; !complete; {
			if complete, err = mpi.TestAll(in, out); err != nil {
				return err
			}
		}
		if out, err = mpi.ISend(c, other, 2, text(n, 0)); err != nil {
			return err
		}
		var m *mpi.Message
		for m == nil {
			if m, err = mpi.IMatch(c, other, 2); err != nil {
				return err
			}
		}
		if _, err := mpi.ReceiveMatched(m, into); err != nil {
			return err
		}
		if _, err := out.Wait(); err != nil {
			return err
		}
		sum, err := mpi.IAllReduce(c, into, make([]byte, n), mpi.Sum[byte]())
		if err != nil {
			return err
		}
		barrier, err := mpi.IBarrier(c)
		if err != nil {
			return err
		}
		if err := mpi.WaitAll(barrier, sum); err != nil {
			return err
		}
	}
	return nil
}

// start runs everything on a process.
func start(p rma.Process) error {
	c, err := mpi.New(p, mpi.Options{Check: mpi.CheckOff})
	if err != nil {
		return err
	}
	return everything(c)
}

// A failure of the machine, whenever it comes, is an error of class ErrOther of a
// call of this package, which says what the machine said; nothing hangs.
func TestFailuresOfTheMachine(t *testing.T) {
	for _, method := range []string{"IPush", "Pull", "Test", "Await", "Poll", "Next", "Take", "Withdraw"} {
		t.Run(method, func(t *testing.T) {
			for after := range 2 {
				var got error // at the process whose machine fails
				s := musubi.Scenario{Machine: "loggp", Ranks: 2}
				_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
					if p.Rank() == 1 {
						_ = start(p) // it may learn of the failure, or wait until the run ends
						return nil
					}
					got = start(&faulty{Process: p, method: method, after: after})
					return got
				})
				if !errors.Is(got, errBroken) || !errors.Is(got, mpi.ErrOther) || err == nil {
					t.Errorf("failing after %d calls: error %v; expected ErrOther with %q", after, got, errBroken)
				}
			}
		})
	}
}
