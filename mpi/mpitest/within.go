package mpitest

import (
	"context"
	"errors"
	"fmt"

	"musubi/mpi"
	"musubi/units"
)

var withinChecks = group{"calls that wait no longer than to a time", []check{
	{name: "receives are taken back", program: interruptedReceive},
	{name: "requests go on", program: interruptedWait},
	{name: "messages that are looked for may still come", program: interruptedProbe},
	{name: "a send that nobody receives gives the communicator up", program: interruptedSend},
	{name: "a barrier gives the communicator up", program: interruptedIn(func(c *mpi.Comm) error { return mpi.Barrier(c) })},
	{name: "a short reduction gives the communicator up", program: interruptedIn(func(c *mpi.Comm) error {
		_, err := mpi.AllReduceValue(c, c.Rank(), mpi.Sum)
		return err
	})},
	{name: "a long exchange gives the communicator up", program: interruptedIn(func(c *mpi.Comm) error {
		const n = 10_000
		return mpi.AllGather(c, make([]int, n), make([]int, n*c.Size()))
	})},
	{name: "a communicator that is not made gives its parent up", program: interruptedIn(func(c *mpi.Comm) error {
		_, err := c.Split(0, 0)
		return err
	})},
	{name: "a fence gives the window up", program: interruptedFence},
	{name: "a lock that another rank holds gives the window up", program: interruptedLock},
	{name: "calls that come too late do nothing", program: tooLate},
}}

// soon is how long calls wait here, for what comes only afterwards.
const soon = 200 * units.Microsecond

// within returns the communicator for calls that wait until soon.
func within(c *mpi.Comm) *mpi.Comm { return c.WithDeadline(c.Process().Now() + soon) }

// interrupted fails unless an error is of a call that has not waited until its end.
func interrupted(what string, err error) error {
	if errors.Is(err, mpi.ErrInterrupted) && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("%s: error %v; expected ErrInterrupted by a deadline", what, err)
}

// givenUp fails unless an error is of a communicator or window that has been given up.
func givenUp(what string, err error) error {
	if errors.Is(err, mpi.ErrInterrupted) && !errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("%s afterwards: error %v; expected ErrInterrupted, which names the call before", what, err)
}

// untilGivenUp tries a call in vain until it has begun, and given up what look looks at: where time is real,
// that may be over before.
func untilGivenUp(what string, try, look func() error) error {
	for {
		if err := interrupted(what, try()); err != nil {
			return err
		}
		if err := look(); err != nil {
			return givenUp(what, err)
		}
	}
}

// inVainOrNot is untilGivenUp of a call that may succeed: the others may have come as far as that.
func inVainOrNot(try, look func() error) error {
	for {
		failed := try()
		if failed == nil {
			return nil
		}
		if err := interrupted("the call of the last rank", failed); err != nil || look() != nil {
			return err
		}
	}
}

// probed looks at a communicator.
func probed(c *mpi.Comm) func() error {
	return func() error {
		_, _, err := mpi.IProbe(c, mpi.AnySource, mpi.AnyTag)
		return err
	}
}

// afterwards lets the last rank answer with some bytes when rank 0 has tried something in vain.
func afterwards(c *mpi.Comm, bytes int, try func(from int) error, after func(from int) error) error {
	last := c.Size() - 1
	switch c.Rank() {
	case 0:
		return first(try(last), mpi.Send(c, last, 1, []byte{1}), after(last))
	case last:
		_, err := mpi.Receive(c, 0, 1, make([]byte, 1))
		return first(err, mpi.Send(c, 0, 2, text(bytes, 3)))
	}
	return nil
}

func interruptedReceive(c *mpi.Comm) error {
	for _, n := range []int{10, 100_000} {
		into := make([]byte, n)
		err := afterwards(c, n, func(from int) error {
			_, err := mpi.Receive(within(c), from, 2, into)
			return interrupted("Receive", err)
		}, func(from int) error {
			_, err := mpi.Receive(c.WithDeadline(c.Process().Now()+units.Second), from, 2, into)
			return first(err, same("what came", into, text(n, 3)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func interruptedWait(c *mpi.Comm) error {
	const n = 100_000
	into := make([]byte, n)
	var r *mpi.Request
	return afterwards(c, n, func(from int) error {
		var err error
		if r, err = mpi.IReceive(c, from, 2, into); err != nil {
			return err
		}
		r.Within(within(c)) // not the call before, for which it may be too late where time is real
		_, waited := r.Wait()
		_, some := mpi.WaitSome(r)
		_, _, one := mpi.WaitAny(r)
		return first(interrupted("Wait", waited), interrupted("WaitAll", mpi.WaitAll(nil, r)), interrupted("WaitSome", some), interrupted("WaitAny", one))
	}, func(int) error {
		_, err := r.Within(c).Wait()
		return first(err, same("what came", into, text(n, 3)))
	})
}

func interruptedProbe(c *mpi.Comm) error {
	into := make([]byte, 10)
	return afterwards(c, len(into), func(from int) error {
		_, probed := mpi.Probe(within(c), from, 2)
		_, matched := mpi.Match(within(c), mpi.AnySource, mpi.AnyTag)
		return first(interrupted("Probe", probed), interrupted("Match", matched))
	}, func(from int) error {
		m, err := mpi.Match(within(c).WithDeadline(0), from, 2)
		if err != nil {
			return err
		}
		_, err = mpi.ReceiveMatched(m, into)
		return first(err, same("what came", into, text(len(into), 3)))
	})
}

func interruptedSend(c *mpi.Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	long := text(longest, 5)
	err = afterwards(c, 10, func(from int) error {
		return first(untilGivenUp("Send", func() error { return mpi.Send(within(d), from, 3, long) }, probed(d)), givenUp("Send", mpi.Send(d, from, 2, []byte{1})),
			givenUp("Barrier", mpi.Barrier(d)), givenUp("Free", d.Free()))
	}, func(from int) error {
		_, err := mpi.Receive(c, from, 2, make([]byte, 10))
		return err
	})
	if c.Rank() == c.Size()-1 { // what has been sent may still be received
		into := make([]byte, len(long))
		_, received := mpi.Receive(d, 0, 3, into)
		err = first(err, received, same("what came", into, long))
	}
	return first(err, mpi.Barrier(c))
}

// interruptedIn returns a program in which all ranks but the last take part in a collective operation in vain.
// The last one does so afterwards.
func interruptedIn(try func(c *mpi.Comm) error) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		if last := c.Size() - 1; c.Rank() < last {
			err = first(untilGivenUp("the operation", func() error { return try(within(d)) }, probed(d)), givenUp("the operation", try(d)), mpi.Send(c, last, 1, []byte{1}))
		} else {
			for range last {
				if _, err := mpi.Receive(c, mpi.AnySource, 1, make([]byte, 1)); err != nil {
					return err
				}
			}
			err = inVainOrNot(func() error { return try(within(d)) }, probed(d))
		}
		return first(err, mpi.Barrier(c))
	}
}

func interruptedFence(c *mpi.Comm) error {
	w, err := mpi.AllocateWindow[int](c, 1)
	if err != nil {
		return err
	}
	if last := c.Size() - 1; c.Rank() < last {
		err = first(untilGivenUp("Fence", func() error { return w.Within(within(c)).Fence() }, func() error { return w.Within(c).Sync() }), givenUp("Fence", w.Fence()), givenUp("Put", w.Put(0, 0, []int{1})), mpi.Send(c, last, 1, []byte{1}))
	} else {
		for range last {
			if _, err := mpi.Receive(c, mpi.AnySource, 1, make([]byte, 1)); err != nil {
				return err
			}
		}
		look := func() error { return w.Within(c).Sync() }
		err = inVainOrNot(func() error { return w.Within(within(c)).Fence() }, look)
		if err == nil && look() == nil {
			err = untilGivenUp("Free", func() error { return w.Within(within(c)).Free() }, look)
		}
	}
	return first(err, mpi.Barrier(c))
}

func interruptedLock(c *mpi.Comm) error {
	w, err := mpi.AllocateWindow[int](c, 1)
	if err != nil {
		return err
	}
	last := c.Size() - 1
	if c.Rank() == last {
		err = w.Lock(0)
	}
	if err := first(err, mpi.Barrier(c)); err != nil {
		return err
	}
	if c.Rank() == 1 {
		err = first(untilGivenUp("Lock", func() error { return w.Within(within(c)).Lock(0) }, func() error { return w.Within(c).Sync() }), givenUp("Lock", w.Lock(0)), givenUp("Free", w.Free()))
	}
	if err := first(err, mpi.Barrier(c)); err != nil || c.Rank() == 1 {
		return err
	}
	if c.Rank() == last {
		err = first(w.Put(0, 0, []int{1}), w.Unlock(0))
	}
	// Free waits for all ranks, of which one has given the window up.
	return first(err, untilGivenUp("Free", func() error { return w.Within(within(c)).Free() }, func() error { return w.Within(c).Sync() }))
}

func tooLate(c *mpi.Comm) error {
	late := c.WithDeadline(1)
	for c.Process().Now() < 1 {
		c.Process().Compute(units.Nanosecond)
	}
	r, err := mpi.ISend(c, c.Rank(), 1, []byte{1})
	_, received := mpi.Receive(late, c.Rank(), 1, make([]byte, 1))
	if err := first(err, interrupted("Send", mpi.Send(late, 0, 1, []byte{1})), interrupted("Receive", received), interrupted("Barrier", mpi.Barrier(late))); err != nil {
		return err
	}
	_, err = mpi.Receive(c, c.Rank(), 1, make([]byte, 1))
	return first(err, complete(r, nil), mpi.Barrier(c))
}
