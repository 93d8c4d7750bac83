package mpi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

// whimsical is a process that takes another algorithm to be the fastest each time it is asked, and so others
// than the processes of other ranks do.
type whimsical struct {
	rma.Process
	rng *rand.Rand
}

func (w whimsical) Tune(func(operation string, ranks, bytes int) []string, bool) {}

func (w whimsical) Fastest(operation string, ranks, _ int) []string {
	names, err := mpi.AlgorithmsFor(operation, ranks)
	if err != nil || operation != "alltoallv" && operation != "alltoallw" {
		return nil
	}
	w.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

func (w whimsical) Reorders() bool { return false }

// Ranks know only their own lengths in AllToAllV and AllToAllW. Each chooses its algorithm by them, and so ranks
// may carry out one operation by different ones, with short messages and with long ones. 16 ranks take most of the time,
// and are on one machine without -long.
func TestRanksMayExchangePartsByDifferentAlgorithms(t *testing.T) {
	for i, machine := range machines {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			numbers := []int{2, 3, 7}
			switch {
			case *long:
				numbers = []int{16}
			case i == 0:
				numbers = append(numbers, 16)
			}
			for _, ranks := range numbers {
				_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: machine, Ranks: ranks}, func(p rma.Process) error {
					return mpi.Run(whimsical{p, rand.New(rand.NewPCG(uint64(p.Rank()), 1))}, exchangeManyParts)
				})
				if err != nil {
					t.Errorf("%d ranks: %v", ranks, err)
				}
			}
		})
	}
}

// exchangeManyParts exchanges parts of other lengths each time, by blocking operations and by two at once.
func exchangeManyParts(c *mpi.Comm) error {
	for round := range scaled(6) {
		parts, layouts := newParts(c, 2*round), newParts(c, 2*round+1)
		if err := mpi.AllToAllV(c, parts.ins, parts.outs); err != nil {
			return err
		}
		if err := parts.check(); err != nil {
			return err
		}
		parts.clear()
		first, err := mpi.IAllToAllV(c, parts.ins, parts.outs)
		if err != nil {
			return err
		}
		second, err := mpi.IAllToAllW(c, layouts.in, layouts.to, layouts.out, layouts.from)
		if err != nil {
			return err
		}
		for _, r := range []*mpi.Request{second, first} {
			if _, err := r.Wait(); err != nil {
				return err
			}
		}
		for _, p := range []parted{parts, layouts} {
			if err := p.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// parted is what a rank gives to each other one and gets from it.
type parted struct {
	c         *mpi.Comm
	round     int
	in, out   []byte
	ins, outs [][]byte
	to, from  []mpi.Layout
}

// partOf returns what a rank has for another one: a few bytes or none, or too many for an eager message.
func partOf(round, from, to int) []byte {
	rng := rand.New(rand.NewPCG(uint64(round), uint64(from)<<32|uint64(to)))
	part := make([]byte, []int{0, rng.IntN(100), 20_000 + rng.IntN(100)}[rng.IntN(3)])
	for i := range part {
		part[i] = byte(round + 3*from + 5*to + i)
	}
	return part
}

func newParts(c *mpi.Comm, round int) parted {
	p := parted{c: c, round: round}
	for rank := range c.Size() {
		in, out := partOf(round, c.Rank(), rank), make([]byte, len(partOf(round, rank, c.Rank())))
		p.to, p.from = append(p.to, mpi.Indexed(mpi.Block{At: len(p.in), Count: len(in)})), append(p.from, mpi.Indexed(mpi.Block{At: len(p.out), Count: len(out)}))
		p.in, p.out = append(p.in, in...), append(p.out, out...)
		p.ins = append(p.ins, in)
	}
	at := 0
	for rank := range c.Size() {
		n := len(partOf(round, rank, c.Rank()))
		p.outs = append(p.outs, p.out[at:][:n:n])
		at += n
	}
	return p
}

func (p parted) clear() { clear(p.out) }

// check compares what has come, which lies one after the other in out.
func (p parted) check() error {
	at := 0
	for rank := range p.c.Size() {
		for i, want := range partOf(p.round, rank, p.c.Rank()) {
			if p.out[at] != want {
				return fmt.Errorf("round %d: byte %d from rank %d is %d; expected %d", p.round, i, rank, p.out[at], want)
			}
			at++
		}
	}
	return nil
}
