package mpitest

import (
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
)

var commChecks = group{"communicators", []check{
	{name: "messages of different communicators", program: letters},
	{name: "ranks in different numbers of communicators", ranks: 4, program: unevenly},
	{name: "splits of splits", program: nested},
	{name: "each rank for itself", program: alone},
	{name: "receives beside all collective operations", program: undisturbed},
}}

// letter says which communicator it was sent in, by whom, and as which one.
type letter struct{ Comm, From, Number int32 }

// Ranks send letters with the same tag in many communicators, in an order of their
// own, and receive them in another, from anyone or somebody. Each comes out of the
// communicator that it was sent in, and those of one sender in their order.
func letters(world *mpi.Comm) error {
	const each = 4
	comms, err := manyComms(world, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, uint64(1+world.Rank())))
	for _, i := range rng.Perm(len(comms)) {
		if err := sendLetters(comms[i], int32(i), each); err != nil {
			return err
		}
	}
	for _, i := range rng.Perm(len(comms)) {
		if err := receiveLetters(comms[i], int32(i), each, rng.IntN(2) == 0); err != nil {
			return err
		}
	}
	for _, c := range comms[1:] {
		if err := c.Free(); err != nil {
			return err
		}
	}
	return nil
}

// manyComms returns duplicates and parts of the world and of each other. At each
// rank there are as many; colors are never negative.
func manyComms(world *mpi.Comm, rng *rand.Rand) ([]*mpi.Comm, error) {
	comms := []*mpi.Comm{world}
	for range 12 {
		from := comms[0]
		if rng.IntN(2) == 0 {
			from = comms[len(comms)-1]
		}
		var err error
		if rng.IntN(2) == 0 {
			from, err = from.Dup()
		} else {
			from, err = from.Split(from.Rank()%(1+rng.IntN(2)), rng.IntN(3)*from.Rank())
		}
		if err != nil {
			return nil, err
		}
		comms = append(comms, from)
	}
	return comms, nil
}

func sendLetters(c *mpi.Comm, comm int32, letters int) error {
	for n := range letters {
		for to := range c.Size() {
			if err := mpi.Send(c, to, 7, []letter{{comm, int32(c.Rank()), int32(n)}}); err != nil {
				return err
			}
		}
	}
	return nil
}

func receiveLetters(c *mpi.Comm, comm int32, letters int, anyone bool) error {
	next := make([]int32, c.Size())
	for i := range letters * c.Size() {
		from := mpi.AnySource
		if !anyone {
			from = i % c.Size()
		}
		var got [1]letter
		status, err := mpi.Receive(c, from, 7, got[:])
		if err != nil {
			return err
		}
		if want := (letter{comm, int32(status.From), next[status.From]}); got[0] != want {
			return fmt.Errorf("got %+v; expected %+v", got[0], want)
		}
		next[status.From]++
	}
	return nil
}

// Ranks that are in different numbers of communicators still agree on the number of a
// new one, and messages in it come out of no other.
func unevenly(world *mpi.Comm) error {
	comms := map[int]*mpi.Comm{4: world} // by the number in letters
	for size := 3; size > 0; size-- {
		part, err := world.Split((world.Rank()+size)/4-1, 0) // the last ranks, with color 0
		if err != nil {
			return err
		}
		if part != nil {
			comms[size] = part
		}
	}
	var err error
	if comms[5], err = world.Dup(); err != nil {
		return err
	}
	for i := 5; i > 0; i-- {
		if comms[i] == nil {
			continue
		}
		if err := sendLetters(comms[i], int32(i), 1); err != nil {
			return err
		}
	}
	for i := range 6 {
		if comms[i] == nil {
			continue
		}
		if err := receiveLetters(comms[i], int32(i), 1, true); err != nil {
			return err
		}
	}
	return nil
}

// Communicators are split again and again, until all ranks are alone; each does
// everything right.
func nested(c *mpi.Comm) error {
	for depth := uint64(0); c.Size() > 1; depth++ {
		half, err := c.Split(2*c.Rank()/c.Size(), -c.Rank())
		if err != nil {
			return err
		}
		if err := Collectives(half, depth, 1); err != nil {
			return fmt.Errorf("%d of %d ranks: %w", half.Size(), c.Size(), err)
		}
		c = half
	}
	return nil
}

// alone: a rank that is alone has number 0, and those whose color is negative are in
// no communicator.
func alone(c *mpi.Comm) error {
	single, err := c.Split(c.Rank(), 0)
	if err != nil {
		return err
	}
	if single.Rank() != 0 || single.Size() != 1 {
		return fmt.Errorf("rank %d of %d; expected 0 of 1", single.Rank(), single.Size())
	}
	none, err := c.Split(-1-c.Rank(), 0)
	if err == nil && none != nil {
		err = fmt.Errorf("a communicator of %d ranks for a negative color; expected nil", none.Size())
	}
	return err
}

// undisturbed: a receive from anyone, with any tag, does not take what collective
// operations send.
func undisturbed(c *mpi.Comm) error {
	got := make([]int, 1)
	open, err := mpi.IReceive(c, mpi.AnySource, mpi.AnyTag, got)
	if err != nil {
		return err
	}
	if err := Collectives(c, 3, 1); err != nil {
		return err
	}
	if _, complete, err := open.Test(); complete || err != nil {
		return fmt.Errorf("a receive is complete (%v) before anything has been sent to it", err)
	}
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	if err := mpi.Send(c, (c.Rank()+1)%c.Size(), 4, []int{42}); err != nil {
		return err
	}
	status, err := open.Wait()
	if from := (c.Rank() + c.Size() - 1) % c.Size(); err != nil || got[0] != 42 || status.From != from || status.Tag != 4 {
		return fmt.Errorf("got %d, status %+v (%v); expected 42 from rank %d with tag 4", got[0], status, err, from)
	}
	return nil
}
