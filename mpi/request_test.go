package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
	"musubi/units"
)

// Receives are posted in another order than that of the sends, and all are open at
// once.
func TestManyOutstandingRequests(t *testing.T) {
	const many = 1000
	everywhere(t, 2, func(c *mpi.Comm) error {
		size := func(i int) int { return []int{8, 8, 8, 9000}[i%4] }
		var requests []*mpi.Request
		into := make([][]byte, many)
		for i := range many {
			tag := many - 1 - i
			into[tag] = make([]byte, size(tag))
			in, err := mpi.IReceive(c, 1-c.Rank(), tag, into[tag])
			if err != nil {
				return err
			}
			out, err := mpi.ISend(c, 1-c.Rank(), i, text(size(i), i))
			if err != nil {
				return err
			}
			requests = append(requests, in, out)
		}
		if err := mpi.WaitAll(requests...); err != nil {
			return err
		}
		for i, got := range into {
			if !slices.Equal(got, text(size(i), i)) {
				return fmt.Errorf("message %d is not what was sent", i)
			}
		}
		return nil
	})
}

// WaitAny tells of each request once, in the order in which they are complete, and
// then that there is none.
func TestWaitAny(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		if c.Rank() > 0 {
			c.Process().Compute(units.Time(3-c.Rank()) * units.Millisecond)
			return mpi.Send(c, 0, 0, text(large, c.Rank()))
		}
		requests := make([]*mpi.Request, 4) // two of them nil
		for from := 1; from <= 2; from++ {
			var err error
			if requests[from], err = mpi.IReceive(c, from, 0, make([]byte, large)); err != nil {
				return err
			}
		}
		for _, want := range []int{2, 1} {
			i, status, err := mpi.WaitAny(requests...)
			if err != nil || i != want || status.From != want {
				return fmt.Errorf("request %d, status %+v, %v; expected request %d", i, status, err, want)
			}
		}
		tested, err := mpi.IReceive(c, mpi.None, 0, []byte{})
		if err != nil {
			return err
		}
		if _, complete, err := tested.Test(); !complete || err != nil {
			return fmt.Errorf("complete %v, %v", complete, err)
		}
		if i, _, err := mpi.WaitAny(append(requests, tested)...); i != -1 || err != nil {
			return fmt.Errorf("request %d, %v; expected none", i, err)
		}
		return nil
	})
}

func TestTestAndTestAll(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		const late = units.Millisecond
		if c.Rank() == 1 {
			c.Process().Compute(late)
			return errors.Join(mpi.Send(c, 0, 0, text(short, 0)), mpi.Send(c, 0, 1, text(large, 0)))
		}
		a, err := mpi.IReceive(c, 1, 0, make([]byte, short))
		if err != nil {
			return err
		}
		b, err := mpi.IReceive(c, 1, 1, make([]byte, large))
		if err != nil {
			return err
		}
		for {
			all, err := mpi.TestAll(a, nil, b)
			if err != nil {
				return err
			}
			if all {
				break
			}
		}
		for _, r := range []*mpi.Request{a, b} {
			if status, complete, err := r.Test(); !complete || err != nil || status.From != 1 {
				return fmt.Errorf("after TestAll: %+v, %v, %v", status, complete, err)
			}
		}
		if c.Process().Now() < late {
			return fmt.Errorf("complete at %v, before anything was sent", c.Process().Now())
		}
		return nil
	})
}

// A receive can be taken back until a message matches it; the message goes to the
// next then.
func TestCancel(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			if _, err := mpi.Receive(c, 1, 1, []byte{}); err != nil { // 1 has cancelled
				return err
			}
			out, err := mpi.ISend(c, 1, 0, text(large, 0))
			if err != nil {
				return err
			}
			if err := out.Cancel(); !errors.Is(err, mpi.ErrRequest) {
				return fmt.Errorf("cancelling a send: error %v; expected ErrRequest", err)
			}
			_, err = out.Wait()
			return err
		}
		first, second := make([]byte, large), make([]byte, large)
		a, err := mpi.IReceive(c, mpi.AnySource, 0, first)
		if err != nil {
			return err
		}
		b, err := mpi.IReceive(c, 0, mpi.AnyTag, second)
		if err != nil {
			return err
		}
		if err := a.Cancel(); err != nil {
			return err
		}
		if status, err := a.Wait(); err != nil || !status.Cancelled {
			return fmt.Errorf("cancelled: %+v, %v", status, err)
		}
		if err := mpi.Send(c, 0, 1, []byte{}); err != nil {
			return err
		}
		status, err := b.Wait()
		if err != nil || status.Cancelled || !slices.Equal(second, text(large, 0)) || first[1] != 0 {
			return fmt.Errorf("the other receive: %+v, %v", status, err)
		}
		if err := b.Cancel(); err != nil {
			return fmt.Errorf("cancelling what is complete: %w", err)
		}
		if again, err := b.Wait(); err != nil || again != status {
			return fmt.Errorf("waited again: %+v, %v; expected %+v", again, err, status)
		}
		return nil
	})
}

// Persistent requests take what the slice has at each start.
func TestPersistentRequests(t *testing.T) {
	for _, n := range []int{0, short, large} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			everywhere(t, 2, func(c *mpi.Comm) error {
				out, in := make([]byte, n), make([]byte, n)
				send, err := mpi.SendInit(c, 1-c.Rank(), 0, out)
				if err != nil {
					return err
				}
				sync, err := mpi.SendSyncInit(c, 1-c.Rank(), 1, out)
				if err != nil {
					return err
				}
				receive, err := mpi.ReceiveInit(c, 1-c.Rank(), mpi.AnyTag, in)
				if err != nil {
					return err
				}
				for round := range 10 {
					copy(out, text(n, c.Rank()+round))
					use := send
					if round%2 == 1 {
						use = sync
					}
					if err := mpi.StartAll(receive, use); err != nil {
						return err
					}
					if err := mpi.WaitAll(use.Request(), receive.Request()); err != nil {
						return err
					}
					if !slices.Equal(in, text(n, 1-c.Rank()+round)) {
						return fmt.Errorf("round %d: wrong data", round)
					}
				}
				return nil
			})
		})
	}
}

func TestPersistentRequestsCannotBeStartedTwice(t *testing.T) {
	everywhere(t, 1, func(c *mpi.Comm) error {
		p, err := mpi.ReceiveInit(c, 0, 0, make([]byte, 1))
		if err != nil {
			return err
		}
		if _, err := p.Wait(); !errors.Is(err, mpi.ErrRequest) {
			return fmt.Errorf("Wait before Start: error %v; expected ErrRequest", err)
		}
		if err := p.Start(); err != nil {
			return err
		}
		if err := p.Start(); !errors.Is(err, mpi.ErrRequest) {
			return fmt.Errorf("second Start: error %v; expected ErrRequest", err)
		}
		if _, complete, err := p.Test(); complete || err != nil {
			return fmt.Errorf("complete %v, %v", complete, err)
		}
		if err := mpi.Send(c, 0, 0, []byte{5}); err != nil {
			return err
		}
		if _, err := p.Wait(); err != nil {
			return err
		}
		if err := p.Start(); err != nil {
			return fmt.Errorf("Start after Wait: %w", err)
		}
		return p.Request().Cancel()
	})
}

// Long messages leave no segment behind, whatever becomes of them.
func TestSegmentsAreWithdrawn(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		before := c.Process().Expose(make([]byte, 1))
		for i := range 40 {
			into := make([]byte, large*(i%3)/2) // nothing, half of it, or all
			_, err := mpi.SendReceive(c, 1-c.Rank(), 0, text(large, i), 1-c.Rank(), 0, into)
			if (err != nil) != (len(into) < large) || err != nil && !errors.Is(err, mpi.ErrTruncate) {
				return fmt.Errorf("%d bytes into %d: %v", large, len(into), err)
			}
		}
		// A pool of buffers to send from may have been exposed meanwhile.
		if after := c.Process().Expose(make([]byte, 1)); after > before+4 {
			return fmt.Errorf("segment %d is the next after 40 messages; it was %d before", after, before)
		}
		return nil
	})
}

// Sends and receives that block allocate nothing once their buffers are there.
func TestBlockingCallsDoNotAllocate(t *testing.T) {
	err := job{machine: "loggp", ranks: 1}.run(func(c *mpi.Comm) error {
		data := make([]float64, 100)
		allocations := testing.AllocsPerRun(100, func() {
			err := mpi.Send(c, 0, 0, data)
			if _, failed := mpi.Receive(c, 0, 0, data); err != nil || failed != nil {
				t.Error(err, failed)
			}
		})
		if allocations > 0 {
			t.Errorf("%v allocations for a message; expected none", allocations)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
