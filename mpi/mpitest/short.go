package mpitest

import (
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
)

// Ranks that share memory post short data where others see it, and a rank that waits for nobody goes on
// at once. Parts of different lengths go that way as far as they are short, and by messages otherwise.

// lengths of parts, on both sides of every limit.
var lengths = []int{0, 1, 24, 1000, 1024, 1025, 5000, 20_000}

// shortAndLong does operations on parts of different lengths one after the other, with others between
// whose ranks do not wait for each other.
func shortAndLong(c *mpi.Comm) error {
	rng := rand.New(rand.NewPCG(7, 0)) // the same at all ranks
	for number := range 120 {
		x := lotOf{c: c, number: number, root: rng.IntN(c.Size()), of: make([][]int, c.Size())}
		most := 1 + rng.IntN(len(lengths)) // many lots have short parts only
		for from := range x.of {
			for range c.Size() {
				x.of[from] = append(x.of[from], lengths[rng.IntN(most)])
			}
		}
		operation := rng.IntN(5)
		if err := [...]func() error{x.gather, x.scatter, x.exchange, x.broadcast, x.allGather}[operation](); err != nil {
			return fmt.Errorf("number %d, operation %d: %w", number, operation, err)
		}
	}
	return nil
}

// lotOf is one operation: how many bytes each rank has for each.
type lotOf struct {
	c            *mpi.Comm
	number, root int
	of           [][]int
}

func (x *lotOf) data(from, to int) []byte { return text(x.of[from][to], x.number*100+from*10+to) }

// room returns memory for parts, and the parts that are expected there.
func (x *lotOf) room(part func(rank int) []byte) (got, want [][]byte) {
	for rank := range x.c.Size() {
		want = append(want, part(rank))
		got = append(got, make([]byte, len(want[rank])))
	}
	return got, want
}

func sameParts(got, want [][]byte) error {
	for rank := range want {
		if err := same(fmt.Sprintf("part of rank %d", rank), got[rank], want[rank]); err != nil {
			return err
		}
	}
	return nil
}

func (x *lotOf) gather() error {
	me := x.c.Rank()
	var got, want [][]byte
	if me == x.root {
		got, want = x.room(func(from int) []byte { return x.data(from, 0) })
	}
	return first(mpi.GatherV(x.c, x.root, x.data(me, 0), got), sameParts(got, want))
}

func (x *lotOf) scatter() error {
	me := x.c.Rank()
	var parts [][]byte
	if me == x.root {
		_, parts = x.room(func(to int) []byte { return x.data(me, to) })
	}
	want := x.data(x.root, me)
	got := make([]byte, len(want))
	return first(mpi.ScatterV(x.c, x.root, parts, got), same("part", got, want))
}

func (x *lotOf) exchange() error {
	me := x.c.Rank()
	got, want := x.room(func(from int) []byte { return x.data(from, me) })
	_, parts := x.room(func(to int) []byte { return x.data(me, to) })
	return first(mpi.AllToAllV(x.c, parts, got), sameParts(got, want))
}

func (x *lotOf) broadcast() error {
	want := x.data(x.root, 0)
	got := make([]byte, len(want))
	if x.c.Rank() == x.root {
		copy(got, want)
	}
	return first(mpi.Broadcast(x.c, x.root, got), same("data", got, want))
}

func (x *lotOf) allGather() error {
	got, want := x.room(func(from int) []byte { return x.data(from, 0) })
	return first(mpi.AllGatherV(x.c, x.data(x.c.Rank(), 0), got), sameParts(got, want))
}

// reductionsLikeTrees: short reductions have the brackets of a binomial tree, however they are made.
func reductionsLikeTrees(c *mpi.Comm) error {
	for root := range c.Size() {
		for _, n := range []int{0, 1, 50, 128, 129} {
			in := numbers(c.Rank(), n)
			usual, tree := make([]float64, n), make([]float64, n)
			if err := first(
				mpi.Reduce(c, root, in, usual, mpi.Sum[float64]()),
				c.SetAlgorithm("reduce", "binomial"),
				mpi.Reduce(c, root, in, tree, mpi.Sum[float64]()),
				c.SetAlgorithm("reduce", "auto"),
				same(fmt.Sprintf("sum of %d numbers at rank %d", n, root), usual, tree),
			); err != nil {
				return err
			}
		}
	}
	return nil
}

// aheadOfOthers lets roots broadcast and ranks give what they have, without waiting for each other,
// many times in a row.
func aheadOfOthers(c *mpi.Comm) error {
	for round := range 200 {
		root := round / 20 % c.Size()
		told, all := []int{round * root}, make([]int, c.Size())
		if c.Rank() != root {
			told[0] = -1
		}
		if err := first(
			mpi.Broadcast(c, root, told), same("what the root tells", told, []int{round * root}),
			mpi.Gather(c, root, []int{round + c.Rank()}, all),
		); err != nil {
			return err
		}
		for rank := range all {
			if c.Rank() == root && all[rank] != round+rank {
				return fmt.Errorf("round %d: %d from rank %d; expected %d", round, all[rank], rank, round+rank)
			}
		}
	}
	return nil
}
