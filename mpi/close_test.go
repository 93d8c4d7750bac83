package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Close names what has been left undone at the rank that has done that, and lets the
// others end.
func TestCloseNamesWhatIsLeft(t *testing.T) {
	for _, test := range []struct {
		says  string // at rank 0
		leave func(c *mpi.Comm) error
	}{
		{"", func(c *mpi.Comm) error { return nil }},
		{"not complete: IReceive from rank 1 with tag 7", func(c *mpi.Comm) error {
			_, err := mpi.IReceive(c, 1, 7, make([]byte, 8))
			return err
		}},
		{"not complete: ReceiveInit from any rank with any tag", func(c *mpi.Comm) error {
			p, err := mpi.ReceiveInit(c, mpi.AnySource, mpi.AnyTag, make([]byte, 8))
			if err != nil {
				return err
			}
			return p.Start()
		}},
		{"not complete: ISend of 20000 bytes to rank 2 with tag 3", func(c *mpi.Comm) error {
			_, err := mpi.ISend(c, 2, 3, make([]byte, large))
			return err
		}},
		{"not complete: IBarrier for rank 2", func(c *mpi.Comm) error {
			_, err := mpi.IBarrier(c)
			return err
		}},
		{"IReceive from rank 1 with tag 3, and 2 more", func(c *mpi.Comm) error {
			for tag := range 6 {
				if _, err := mpi.IReceive(c, 1, tag, make([]byte, 8)); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		onLogGP(t, 3, func(c *mpi.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				if err := test.leave(d); err != nil {
					return err
				}
			}
			err = c.Close()
			if c.Rank() == 0 && test.says != "" {
				return refused(err, mpi.ErrRequest, test.says)
			}
			if test.says != "" && errors.Is(err, mpi.ErrRequest) { // what rank 0 has sent
				return nil
			}
			return err
		})
	}
}

func TestCloseNamesWindowsThatAreNotFreed(t *testing.T) {
	onLogGP(t, 3, func(c *mpi.Comm) error {
		freed, err := mpi.AllocateWindow[byte](c, 4)
		if err != nil {
			return err
		}
		if _, err := mpi.AllocateWindow[int64](c, 8); err != nil {
			return err
		}
		if err := freed.Free(); err != nil {
			return err
		}
		return refused(c.Close(), mpi.ErrRequest, "not complete: a window of 64 bytes, which has not been freed")
	})
}

// A message that nobody receives is told of where it has come.
func TestCloseNamesMessagesThatHaveNotBeenReceived(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			return firstError(mpi.Send(c, 1, 4, make([]byte, short)), c.Close())
		}
		return refused(c.Close(), mpi.ErrRequest, "a message of 100 bytes from rank 0 with tag 4, which has not been received")
	})
}

// Nor is one lost that has been matched, and it is not received later.
func TestCloseNamesMessagesThatHaveOnlyBeenMatched(t *testing.T) {
	onLogGP(t, 1, func(c *mpi.Comm) error {
		if err := mpi.Send(c, 0, 4, make([]byte, short)); err != nil {
			return err
		}
		m, err := mpi.Match(c, 0, 4)
		if err != nil {
			return err
		}
		err = refused(c.Close(), mpi.ErrRequest, "a message of 100 bytes from rank 0 with tag 4, which has not been received")
		_, late := mpi.ReceiveMatched(m, make([]byte, short))
		return firstError(err, refused(late, mpi.ErrComm, "has been closed"))
	})
}

// What has come of a collective operation is not named by a tag, as the program has given none.
func TestCloseNamesCollectiveOperationsThatRanksCallDifferently(t *testing.T) {
	unchecked(t, 2, func(c *mpi.Comm) error {
		return firstError(
			mpi.Broadcast(c, c.Rank(), make([]byte, short)),
			refused(c.Close(), mpi.ErrRequest, fmt.Sprintf("a message of 100 bytes from rank %d of a collective operation that this rank has not called alike", 1-c.Rank())),
		)
	})
}

// Who waits in an operation for a rank that has come to its end learns that.
func TestOperationsTellOfRanksThatHaveClosed(t *testing.T) {
	unchecked(t, 2, func(c *mpi.Comm) error {
		if c.Rank() == 1 {
			return refused(c.Close(), mpi.ErrTruncate, "8 bytes from rank 0; expected 0")
		}
		sum := []int{1}
		return refused(mpi.AllReduce(c, sum, sum, mpi.Sum[int]()), mpi.ErrCount, "0 bytes from rank 1, as Barrier, Close, empty slices and operations that have failed send; expected 8")
	})
}

func TestNothingIsDoneAfterClose(t *testing.T) {
	onLogGP(t, 2, func(c *mpi.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		if err := firstError(refused(d.Close(), mpi.ErrComm, "expected that of New"), c.Close()); err != nil {
			return err
		}
		_, dup := c.Dup()
		return firstError(
			refused(mpi.Send(d, 0, 0, []int{1}), mpi.ErrComm, "has been closed"),
			refused(mpi.Barrier(c), mpi.ErrComm, "has been closed"),
			refused(dup, mpi.ErrComm, "has been closed"),
			refused(c.Close(), mpi.ErrComm, "has been closed"),
		)
	})
}

// lossy is a process whose machine loses one message, which its sender gets to know
// when it looks for it.
type lossy struct {
	rma.Process
	lost rma.Op
	left int // messages until then
}

var errLost = errors.New("lost")

func (l *lossy) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	op, err := l.Process.IPush(to, data, by)
	if l.left--; l.left == 0 {
		l.lost = op
	}
	return op, err
}

func (l *lossy) Test(op rma.Op) (bool, error) {
	done, err := l.Process.Test(op)
	if done && err == nil && op == l.lost {
		err = errLost
	}
	return done, err
}

// That a short message has not come is noticed by Close, though its send has returned.
func TestCloseTellsThatTheLastMessageHasNotCome(t *testing.T) {
	system, err := job{machine: "loggp", ranks: 2}.system()
	if err != nil {
		t.Fatal(err)
	}
	_, err = system.Run(t.Context(), func(p rma.Process) error {
		if p.Rank() == 0 {
			p = &lossy{Process: p, left: 3}
		}
		return mpi.Run(p, func(c *mpi.Comm) error {
			for range 3 {
				if c.Rank() == 0 {
					if err := mpi.Send(c, 1, 0, []int{1}); err != nil {
						return fmt.Errorf("the send has waited: %w", err)
					}
				} else if _, err := mpi.Receive(c, 0, 0, make([]int, 1)); err != nil {
					return err
				}
			}
			return nil
		}, mpi.Options{Check: mpi.CheckOff})
	})
	var e *mpi.Error
	if !errors.Is(err, errLost) || !errors.As(err, &e) || e.Call != "Close" || e.Rank != 0 {
		t.Errorf("the program ends with %v; expected an error of Close at rank 0", err)
	}
}
