package mpitest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
)

var startedChecks = group{"operations that are started", []check{
	{name: "many at once", program: func(c *mpi.Comm) error { return manyAtOnce(c, 1, 8) }},
	{name: "many at once with three ranks", ranks: 3, program: func(c *mpi.Comm) error { return manyAtOnce(c, 2, 4) }},
	{name: "many at once with one rank", ranks: 1, program: func(c *mpi.Comm) error { return manyAtOnce(c, 3, 2) }},
	{name: "beside operations that wait", program: besideOthers},
	{name: "a barrier waits for the last", program: lateBarrier},
	{name: "they go on in any call", program: anyCall},
	{name: "they cannot be cancelled", program: notCancelled},
	{name: "a communicator is not freed with one under way", program: freedTooEarly},
}}

// manyAtOnce starts operations in two communicators at once, in the same order at all
// ranks, and completes them in another order at each.
func manyAtOnce(c *mpi.Comm, seed uint64, rounds int) error {
	other, err := c.Split(0, -c.Rank())
	if err != nil {
		return err
	}
	alike, own := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, uint64(1+c.Rank())))
	for round := range rounds {
		var calls []collectiveCall
		var trials []trial
		requests := make([]*mpi.Request, 1+alike.IntN(10))
		for i := range requests {
			operations := mpi.Operations()
			x := draw([]*mpi.Comm{c, other}[alike.IntN(2)], operations[alike.IntN(len(operations))], alike)
			d := x.collectiveCall()
			if requests[i], err = d.start(); err != nil {
				return err
			}
			calls, trials = append(calls, d), append(trials, x)
		}
		if err := completeAll(requests, own); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		for i := range calls {
			if err := calls[i].check(); err != nil {
				return fmt.Errorf("round %d, %s, number %d of %d, count %d: %w", round, trials[i].operation, i, len(calls), trials[i].count, err)
			}
		}
	}
	return other.Free()
}

// completeAll waits for requests in one of many ways.
func completeAll(requests []*mpi.Request, rng *rand.Rand) error {
	switch rng.IntN(4) {
	case 0:
		return mpi.WaitAll(requests...)
	case 1:
		for range requests {
			if i, _, err := mpi.WaitAny(requests...); err != nil || i < 0 {
				return fmt.Errorf("WaitAny tells of request %d, %w", i, err)
			}
		}
		return nil
	case 2:
		for {
			if all, err := mpi.TestAll(requests...); all || err != nil {
				return err
			}
		}
	}
	for _, i := range rng.Perm(len(requests)) {
		if _, err := requests[i].Wait(); err != nil {
			return err
		}
	}
	return nil
}

// Operations that wait do not wait for those that have been started before, nor meet
// their messages.
func besideOthers(c *mpi.Comm) error {
	rng := rand.New(rand.NewPCG(4, 0))
	for _, operation := range mpi.Operations() {
		started, waits := draw(c, operation, rng), draw(c, operation, rng)
		a, b := started.collectiveCall(), waits.collectiveCall()
		r, err := a.start()
		if err != nil {
			return err
		}
		if err := first(b.call(), b.check()); err != nil {
			return fmt.Errorf("%s beside another: %w", operation, err)
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
		if err := a.check(); err != nil {
			return fmt.Errorf("%s before another: %w", operation, err)
		}
	}
	return nil
}

// A barrier is complete nowhere before the last rank has started it.
func lateBarrier(c *mpi.Comm) error {
	last := c.Size() - 1
	if c.Rank() == last {
		for rank := range last {
			if err := awaitSignal(c, rank); err != nil {
				return err
			}
		}
		return complete(mpi.IBarrier(c))
	}
	r, err := mpi.IBarrier(c)
	if err != nil {
		return err
	}
	for range 50 {
		if _, complete, err := r.Test(); complete || err != nil {
			return fmt.Errorf("a barrier is complete before rank %d has come (%v)", last, err)
		}
	}
	if err := signal(c, last); err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// An operation goes on while its rank waits for something else.
func anyCall(c *mpi.Comm) error {
	const n = 3000
	in, out := text(n, 1), make([]byte, n)
	if c.Rank() == c.Size()-1 {
		copy(out, in)
	}
	r, err := mpi.IBroadcast(c, c.Size()-1, out)
	if err != nil {
		return err
	}
	if c.Rank() > 0 {
		// Some of them pass on to others what they get, but do not wait for it yet.
		if _, err := r.Wait(); err != nil {
			return err
		}
		return first(same("broadcast", out, in), signal(c, 0), awaitSignal(c, 0))
	}
	for rank := 1; rank < c.Size(); rank++ {
		if err := awaitSignal(c, rank); err != nil {
			return err
		}
	}
	for rank := 1; rank < c.Size(); rank++ {
		if err := signal(c, rank); err != nil {
			return err
		}
	}
	if _, err := r.Wait(); err != nil {
		return err
	}
	return same("broadcast", out, in)
}

func notCancelled(c *mpi.Comm) error {
	r, err := mpi.IBarrier(c)
	if err != nil {
		return err
	}
	if err := r.Cancel(); !errors.Is(err, mpi.ErrRequest) {
		return fmt.Errorf("cancelled: error %v; expected ErrRequest", err)
	}
	_, err = r.Wait()
	return err
}

func freedTooEarly(c *mpi.Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		r, err := mpi.IBarrier(d)
		if err != nil {
			return err
		}
		if err := d.Free(); !errors.Is(err, mpi.ErrRequest) {
			return fmt.Errorf("call of Free with a barrier under way: error %v; expected ErrRequest", err)
		}
		for rank := 1; rank < c.Size(); rank++ {
			if err := signal(c, rank); err != nil {
				return err
			}
		}
		_, err = r.Wait()
		return first(err, d.Free())
	}
	return first(awaitSignal(c, 0), complete(mpi.IBarrier(d)), d.Free())
}

// complete waits for what has been started.
func complete(r *mpi.Request, err error) error {
	if err == nil {
		_, err = r.Wait()
	}
	return err
}
