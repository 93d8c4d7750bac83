package workload

import (
	"errors"

	"musubi/mpi"
	"musubi/units"
)

// osuWord is the size in bytes of the words in the atomic tests.
const osuWord = 8

// osuWindowTests are the tests of one-sided communication: rank 0 accesses memory of rank 1, in an
// epoch of a shared lock, and flushes. Other ranks wait for these two.
var osuWindowTests = []osuTest{
	accessTest("put", "Put Latency", func(a *osuAccess[byte]) error { return a.w.Put(1, 0, a.data) }),
	accessTest("get", "Get latency", func(a *osuAccess[byte]) error { return a.w.Get(1, 0, a.data) }),
	accessTest("acc", "Accumulate latency", func(a *osuAccess[byte]) error { return a.w.Accumulate(1, 0, a.data, mpi.Sum[byte]()) }),
	accessTest("get_acc", "Get_accumulate latency", func(a *osuAccess[byte]) error { return a.w.GetAccumulate(1, 0, a.data, a.result, mpi.Sum[byte]()) }),
	wordTest("fop", "Fetch_and_op latency", func(a *osuAccess[int64]) error {
		_, err := a.w.FetchAndOp(1, 0, a.data[0], mpi.Sum[int64]())
		return err
	}),
	wordTest("cas", "Compare_and_swap latency", func(a *osuAccess[int64]) error {
		_, err := a.w.CompareAndSwap(1, 0, a.result[0], a.data[0])
		return err
	}),
	accessStreamTest("put_bw", "Put Bandwidth", (*osuAccessStream).put),
	accessStreamTest("get_bw", "Get Bandwidth", (*osuAccessStream).get),
	{OSUTest: oneSided("put_bibw", "Put Bi-directional Bandwidth"), most: osuMost, often: osuStreamOften, window: true, memory: windowsAt(4), start: startPutBothWays},
}

// osuAccess is a window, and buffers with equally many elements at the origin.
type osuAccess[T any] struct {
	w            *mpi.Window[T]
	data, result []T
}

// newOSUAccess makes a window of n elements at rank 1 for rank 0, and if both access
// it, also at rank 0 for rank 1.
func newOSUAccess[T any](o *osuRank, n int, both bool) (*osuAccess[T], error) {
	here, there := 0, 0
	if rank := o.c.Rank(); rank == 1 || rank == 0 && both {
		here = n
	}
	if rank := o.c.Rank(); rank == 0 || rank == 1 && both {
		there = n
	}
	w, err := mpi.AllocateWindow[T](o.c, here)
	return &osuAccess[T]{w: w, data: make([]T, there)}, err
}

func oneSided(name, title string) OSUTest {
	return OSUTest{Name: name, Title: "OSU MPI_" + title + " Test", OneSided: true}
}

func accessTest(name, title string, once func(*osuAccess[byte]) error) osuTest {
	return osuTest{OSUTest: oneSided(name, title), most: osuMost, often: osuLatencyOften, memory: parts(3), start: func(o *osuRank, _ int) osuMeasure {
		return func(size int, n osuRepeats, out *Rows) error { return accessLatency(o, size, size, n, out, once) }
	}}
}

// wordTest is a test of an operation on one word.
func wordTest(name, title string, once func(*osuAccess[int64]) error) osuTest {
	return osuTest{OSUTest: oneSided(name, title), most: osuWord, only: osuWord, often: osuLatencyOften, memory: parts(3), start: func(o *osuRank, _ int) osuMeasure {
		return func(size int, n osuRepeats, out *Rows) error { return accessLatency(o, size, 1, n, out, once) }
	}}
}

// parts returns the memory of a test with n buffers, which does not depend on the number of ranks.
func parts(n int) func(ranks, window int) int { return func(_, _ int) int { return n } }

// accessLatency measures an access to some elements, and its completion.
func accessLatency[T any](o *osuRank, size, elements int, n osuRepeats, out *Rows, once func(*osuAccess[T]) error) error {
	a, err := newOSUAccess[T](o, elements, false)
	if err != nil {
		return err
	}
	a.result = make([]T, len(a.data))
	took, err := a.time(o, n, func() error { return once(a) })
	if err == nil && o.c.Rank() == 0 {
		out.Add(Row{Metric: "latency", Unit: "us", Bytes: size, Value: took.Microseconds() / float64(n.iterations)})
	}
	return errors.Join(err, a.w.Free())
}

// time returns the time that rank 0 takes for something that it flushes each time.
func (a *osuAccess[T]) time(o *osuRank, n osuRepeats, once func() error) (units.Time, error) {
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

// osuAccessStream is a window of accesses, each to a part of its own.
type osuAccessStream struct {
	osuAccess[byte]
	size, window int
}

func newOSUAccessStream(o *osuRank, size int, both bool) (*osuAccessStream, error) {
	a, err := newOSUAccess[byte](o, size*o.window, both)
	return &osuAccessStream{*a, size, o.window}, err
}

func (s *osuAccessStream) put(to int) error {
	for i := range s.window {
		if err := s.w.Put(to, i*s.size, s.data[i*s.size:][:s.size]); err != nil {
			return err
		}
	}
	return nil
}

func (s *osuAccessStream) get(from int) error {
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

func accessStreamTest(name, title string, once func(s *osuAccessStream, rank int) error) osuTest {
	return osuTest{OSUTest: oneSided(name, title), most: osuMost, often: osuStreamOften, window: true, memory: windowsAt(2), start: func(o *osuRank, _ int) osuMeasure {
		return func(size int, n osuRepeats, out *Rows) error {
			s, err := newOSUAccessStream(o, size, false)
			if err != nil {
				return err
			}
			took, err := s.time(o, n, func() error { return once(s, 1) })
			if err == nil && o.c.Rank() == 0 {
				s.add(took, n, 1, out)
			}
			return errors.Join(err, s.w.Free())
		}
	}}
}

// add adds the rates in a number of directions.
func (s *osuAccessStream) add(took units.Time, n osuRepeats, directions int, out *Rows) {
	us := took.Microseconds() / float64(n.iterations*s.window*directions)
	for _, m := range []metric{bandwidthMetric, rateMetric} {
		out.Add(Row{Metric: m.name, Unit: m.unit, Bytes: s.size, Value: m.value(s.size, us)})
	}
}

// startPutBothWays: ranks 0 and 1 put windows of data to each other at once, in epochs that each
// grants the other.
func startPutBothWays(o *osuRank, _ int) osuMeasure {
	return func(size int, n osuRepeats, out *Rows) error {
		s, err := newOSUAccessStream(o, size, true)
		if err != nil {
			return err
		}
		if o.c.Rank() < 2 {
			took, failed := o.timed(n, func() error { return s.exchange(1 - o.c.Rank()) })
			if err = failed; err == nil && o.c.Rank() == 0 {
				s.add(took, n, 2, out)
			}
		}
		return errors.Join(err, s.w.Free())
	}
}

// exchange is an epoch in which this rank and another put to each other.
func (s *osuAccessStream) exchange(partner int) error {
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
