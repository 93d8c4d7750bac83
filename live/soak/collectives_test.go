//go:build linux

package soak

import (
	"fmt"
	"slices"

	"musubi/mpi"
)

// collective is an operation that is about to be called.
type collective struct {
	block func() error
	start func() (*mpi.Request, error)
	check func() error
}

// kinds of collective operations, each prepared with what the plan draws.
var kinds = []func(s *soaker, number int) collective{
	(*soaker).barrier, (*soaker).broadcast, (*soaker).allReduce, (*soaker).allToAll, (*soaker).allGather,
	(*soaker).gather, (*soaker).scatter, (*soaker).scan, (*soaker).allGatherV, (*soaker).allToAllV,
}

// collectives calls one operation, or starts some at once and waits for them in an
// order of its own.
func (s *soaker) collectives() error {
	if s.plan.IntN(2) == 0 {
		k := kinds[s.plan.IntN(len(kinds))](s, 0)
		if err := k.block(); err != nil {
			return err
		}
		return k.check()
	}
	var open []*mpi.Request
	var all []collective
	for i := range 1 + s.plan.IntN(4) {
		k := kinds[s.plan.IntN(len(kinds))](s, i)
		r, err := k.start()
		if err != nil {
			return err
		}
		open, all = append(open, r), append(all, k)
	}
	for _, i := range s.own.Perm(len(open)) {
		if _, err := open[i].Wait(); err != nil {
			return err
		}
		if err := all[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// part draws how many bytes a rank has for each.
func (s *soaker) part() int { return s.length() / 4 }

func (s *soaker) barrier(int) collective {
	return collective{
		func() error { return mpi.Barrier(s.c) },
		func() (*mpi.Request, error) { return mpi.IBarrier(s.c) },
		func() error { return nil },
	}
}

func (s *soaker) broadcast(number int) collective {
	root, data := s.plan.IntN(s.c.Size()), make([]byte, s.length())
	if s.c.Rank() == root {
		data = pattern(len(data), s.round, number)
	}
	return collective{
		func() error { return mpi.Broadcast(s.c, root, data) },
		func() (*mpi.Request, error) { return mpi.IBroadcast(s.c, root, data) },
		func() error { return compare(data, s.round, number) },
	}
}

// numbers are those of a rank for sums.
func (s *soaker) numbers(n, rank int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(s.round+1) * int64(rank*rank+i)
	}
	return all
}

// sums compares sums of the numbers of ranks.
func (s *soaker) sums(got []int64, ranks int) error {
	want := make([]int64, len(got))
	for rank := range ranks {
		for i, v := range s.numbers(len(got), rank) {
			want[i] += v
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("wrong data: %d sums over %d ranks", len(got), ranks)
	}
	return nil
}

func (s *soaker) allReduce(int) collective {
	n := s.length() / 8
	in, out := s.numbers(n, s.c.Rank()), make([]int64, n)
	return collective{
		func() error { return mpi.AllReduce(s.c, in, out, mpi.Sum[int64]()) },
		func() (*mpi.Request, error) { return mpi.IAllReduce(s.c, in, out, mpi.Sum[int64]()) },
		func() error { return s.sums(out, s.c.Size()) },
	}
}

func (s *soaker) scan(int) collective {
	n := s.part() / 8
	in, out := s.numbers(n, s.c.Rank()), make([]int64, n)
	return collective{
		func() error { return mpi.Scan(s.c, in, out, mpi.Sum[int64]()) },
		func() (*mpi.Request, error) { return mpi.IScan(s.c, in, out, mpi.Sum[int64]()) },
		func() error { return s.sums(out, s.c.Rank()+1) },
	}
}

// parts compares what has come from each rank.
func (s *soaker) parts(out []byte, n, number, to int) error {
	for from := range s.c.Size() {
		if err := compare(out[from*n:][:n], s.round, number, from, to); err != nil {
			return err
		}
	}
	return nil
}

// everybody is the receiver of what all get.
const everybody = -1

func (s *soaker) allToAll(number int) collective {
	n, me, size := s.part(), s.c.Rank(), s.c.Size()
	var in []byte
	for to := range size {
		in = append(in, pattern(n, s.round, number, me, to)...)
	}
	out := make([]byte, n*size)
	return collective{
		func() error { return mpi.AllToAll(s.c, in, out) },
		func() (*mpi.Request, error) { return mpi.IAllToAll(s.c, in, out) },
		func() error { return s.parts(out, n, number, me) },
	}
}

func (s *soaker) allGather(number int) collective {
	n := s.part()
	in, out := pattern(n, s.round, number, s.c.Rank(), everybody), make([]byte, n*s.c.Size())
	return collective{
		func() error { return mpi.AllGather(s.c, in, out) },
		func() (*mpi.Request, error) { return mpi.IAllGather(s.c, in, out) },
		func() error { return s.parts(out, n, number, everybody) },
	}
}

func (s *soaker) gather(number int) collective {
	n, root := s.part(), s.plan.IntN(s.c.Size())
	in, out := pattern(n, s.round, number, s.c.Rank(), root), make([]byte, n*s.c.Size())
	return collective{
		func() error { return mpi.Gather(s.c, root, in, out) },
		func() (*mpi.Request, error) { return mpi.IGather(s.c, root, in, out) },
		func() error {
			if s.c.Rank() != root {
				return nil
			}
			return s.parts(out, n, number, root)
		},
	}
}

func (s *soaker) scatter(number int) collective {
	n, root := s.part(), s.plan.IntN(s.c.Size())
	var in []byte
	for to := range s.c.Size() {
		in = append(in, pattern(n, s.round, number, root, to)...)
	}
	out := make([]byte, n)
	return collective{
		func() error { return mpi.Scatter(s.c, root, in, out) },
		func() (*mpi.Request, error) { return mpi.IScatter(s.c, root, in, out) },
		func() error { return compare(out, s.round, number, root, s.c.Rank()) },
	}
}

// lengths draws one for each rank.
func (s *soaker) lengths() []int {
	var all []int
	for range s.c.Size() {
		all = append(all, s.part())
	}
	return all
}

func (s *soaker) allGatherV(number int) collective {
	lengths := s.lengths()
	in := pattern(lengths[s.c.Rank()], s.round, number, s.c.Rank())
	var out [][]byte
	for _, n := range lengths {
		out = append(out, make([]byte, n))
	}
	return collective{
		func() error { return mpi.AllGatherV(s.c, in, out) },
		func() (*mpi.Request, error) { return mpi.IAllGatherV(s.c, in, out) },
		func() error {
			for from := range out {
				if err := compare(out[from], s.round, number, from); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (s *soaker) allToAllV(number int) collective {
	me := s.c.Rank()
	var in, out [][]byte
	for from := range s.c.Size() {
		for to, n := range s.lengths() {
			if from == me {
				in = append(in, pattern(n, s.round, number, me, to))
			}
			if to == me {
				out = append(out, make([]byte, n))
			}
		}
	}
	return collective{
		func() error { return mpi.AllToAllV(s.c, in, out) },
		func() (*mpi.Request, error) { return mpi.IAllToAllV(s.c, in, out) },
		func() error {
			for from := range out {
				if err := compare(out[from], s.round, number, from, me); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
