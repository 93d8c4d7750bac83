package osu

import (
	"errors"

	"musubi/mpi"
	"musubi/units"
)

// wordBytes is the size in bytes of the words in the atomic tests.
const wordBytes = 8

// How an access is completed.
const (
	Flush     = "flush"     // in an epoch of one shared lock for all
	Lock      = "lock"      // in an epoch of its own, of a shared lock, as the programs have it
	Exclusive = "exclusive" // in an epoch of its own, of an exclusive lock
)

// Synchronizations lists the ways, the usual one first.
func Synchronizations() []string { return []string{Flush, Lock, Exclusive} }

// windowTests are the tests of one-sided communication: rank 0 accesses memory of rank 1. Other ranks
// wait for these two.
var windowTests = []Test{
	accessTest("put", "Put Latency", func(a *access[byte]) error { return a.w.Put(1, 0, a.data) }),
	accessTest("get", "Get latency", func(a *access[byte]) error { return a.w.Get(1, 0, a.data) }),
	accessTest("acc", "Accumulate latency", func(a *access[byte]) error { return a.w.Accumulate(1, 0, a.data, mpi.Sum[byte]()) }),
	accessTest("get_acc", "Get_accumulate latency", func(a *access[byte]) error { return a.w.GetAccumulate(1, 0, a.data, a.result, mpi.Sum[byte]()) }),
	wordTest("fop", "Fetch_and_op latency", func(a *access[int64]) error {
		_, err := a.w.FetchAndOp(1, 0, a.data[0], mpi.Sum[int64]())
		return err
	}),
	wordTest("cas", "Compare_and_swap latency", func(a *access[int64]) error {
		_, err := a.w.CompareAndSwap(1, 0, a.result[0], a.data[0])
		return err
	}),
	accessStreamTest("put_bw", "Put Bandwidth", (*accessStream).put),
	accessStreamTest("get_bw", "Get Bandwidth", (*accessStream).get),
	oneSided(Test{Most: mostBytes, Window: true, often: streamOften, memory: windowsAt(4), start: startPutBothWays}, "put_bibw", "Put Bi-directional Bandwidth"),
}

// access is a window, and buffers with equally many elements at the origin.
type access[T any] struct {
	w            *mpi.Window[T]
	data, result []T
}

// newAccess makes a window of n elements at rank 1 for rank 0, and if both access
// it, also at rank 0 for rank 1.
func newAccess[T any](o *rank, n int, both bool) (*access[T], error) {
	here, there := 0, 0
	if rank := o.c.Rank(); rank == 1 || rank == 0 && both {
		here = n
	}
	if rank := o.c.Rank(); rank == 0 || rank == 1 && both {
		there = n
	}
	w, err := mpi.AllocateWindow[T](o.c, here)
	return &access[T]{w: w, data: make([]T, there)}, err
}

func oneSided(t Test, name, title string) Test {
	t.Name, t.Title, t.OneSided = name, "OSU MPI_"+title+" Test", true
	return t
}

func accessTest(name, title string, once func(*access[byte]) error) Test {
	return oneSided(Test{Most: mostBytes, Locks: true, often: latencyOften, memory: parts(3), start: func(o *rank, _ int) measure {
		return func(size int, n repeats, add func(Result)) error { return accessLatency(o, size, size, n, add, once) }
	}}, name, title)
}

// wordTest is a test of an operation on one word.
func wordTest(name, title string, once func(*access[int64]) error) Test {
	return oneSided(Test{Most: wordBytes, Only: wordBytes, Locks: true, often: latencyOften, memory: parts(3), start: func(o *rank, _ int) measure {
		return func(size int, n repeats, add func(Result)) error { return accessLatency(o, size, 1, n, add, once) }
	}}, name, title)
}

// parts returns the memory of a test with n buffers, which does not depend on the number of ranks.
func parts(n int) func(ranks, window int) int { return func(_, _ int) int { return n } }

// accessLatency measures an access to some elements, and its completion.
func accessLatency[T any](o *rank, size, elements int, n repeats, add func(Result), once func(*access[T]) error) error {
	a, err := newAccess[T](o, elements, false)
	if err != nil {
		return err
	}
	a.result = make([]T, len(a.data))
	took, err := a.latency(o, n, func() error { return once(a) })
	if err == nil && o.c.Rank() == 0 {
		add(Result{Metric: "latency", Unit: "us", Bytes: size, Value: took.Microseconds() / float64(n.iterations)})
	}
	return errors.Join(err, a.w.Free())
}

// latency returns the time that rank 0 takes for something that it completes each time.
func (a *access[T]) latency(o *rank, n repeats, once func() error) (units.Time, error) {
	lock := a.w.LockShared
	switch o.synchronization {
	case Flush:
		return a.time(o, n, once)
	case Exclusive:
		lock = a.w.Lock
	}
	if o.c.Rank() != 0 {
		return 0, nil
	}
	return o.timed(n, func() error {
		if err := lock(1); err != nil {
			return err
		}
		if err := once(); err != nil {
			return err
		}
		return a.w.Unlock(1)
	})
}

// time returns the time that rank 0 takes for something that it flushes each time.
func (a *access[T]) time(o *rank, n repeats, once func() error) (units.Time, error) {
	if o.c.Rank() != 0 {
		return 0, nil
	}
	if err := a.w.LockShared(1); err != nil {
		return 0, err
	}
	took, err := o.timed(n, func() error {
		if err := once(); err != nil {
			return err
		}
		return a.w.Flush(1)
	})
	if err != nil {
		return 0, err
	}
	return took, a.w.Unlock(1)
}

// accessStream is a window of accesses, each to a part of its own.
type accessStream struct {
	access[byte]
	size, window int
}

func newAccessStream(o *rank, size int, both bool) (*accessStream, error) {
	a, err := newAccess[byte](o, size*o.window, both)
	return &accessStream{*a, size, o.window}, err
}

func (s *accessStream) put(to int) error {
	for i := range s.window {
		if err := s.w.Put(to, i*s.size, s.data[i*s.size:][:s.size]); err != nil {
			return err
		}
	}
	return nil
}

func (s *accessStream) get(from int) error {
	for i := range s.window {
		if err := s.w.Get(from, i*s.size, s.data[i*s.size:][:s.size]); err != nil {
			return err
		}
	}
	return nil
}

// windowsAt returns the memory of a test with buffers for windows of transfers at n ranks.
func windowsAt(n int) func(ranks, window int) int {
	return func(_, window int) int { return n * window }
}

func accessStreamTest(name, title string, once func(s *accessStream, rank int) error) Test {
	return oneSided(Test{Most: mostBytes, often: streamOften, Window: true, memory: windowsAt(2), start: func(o *rank, _ int) measure {
		return func(size int, n repeats, add func(Result)) error {
			s, err := newAccessStream(o, size, false)
			if err != nil {
				return err
			}
			took, err := s.time(o, n, func() error { return once(s, 1) })
			if err == nil && o.c.Rank() == 0 {
				s.add(took, n, 1, add)
			}
			return errors.Join(err, s.w.Free())
		}
	}}, name, title)
}

// add adds the rates in a number of directions.
func (s *accessStream) add(took units.Time, n repeats, directions int, add func(Result)) {
	us := took.Microseconds() / float64(n.iterations*s.window*directions)
	addRates(s.size, us, add)
}

// startPutBothWays: ranks 0 and 1 put windows of data to each other at once, in epochs that each
// grants the other.
func startPutBothWays(o *rank, _ int) measure {
	return func(size int, n repeats, add func(Result)) error {
		s, err := newAccessStream(o, size, true)
		if err != nil {
			return err
		}
		if o.c.Rank() < 2 {
			took, failed := o.timed(n, func() error { return s.exchange(1 - o.c.Rank()) })
			if err = failed; err == nil && o.c.Rank() == 0 {
				s.add(took, n, 2, add)
			}
		}
		return errors.Join(err, s.w.Free())
	}
}

// exchange is an epoch in which this rank and another put to each other.
func (s *accessStream) exchange(partner int) error {
	if err := s.w.Post(partner); err != nil {
		return err
	}
	if err := s.w.Start(partner); err != nil {
		return err
	}
	if err := s.put(partner); err != nil {
		return err
	}
	if err := s.w.Complete(); err != nil {
		return err
	}
	return s.w.Wait()
}
