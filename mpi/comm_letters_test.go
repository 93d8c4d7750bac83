package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/mpi"
)

// letter says which communicator it was sent in, by whom, and as which one.
type letter struct{ Comm, From, Number int32 }

// Ranks send letters with the same tag in many communicators, in an order of their
// own, and receive them in another, from anyone or somebody. Each comes out of the
// communicator that it was sent in, and those of one sender in their order.
func TestMessagesOfDifferentCommunicatorsNeverMatch(t *testing.T) {
	const ranks, letters = 6, 4
	for seed := range uint64(8) {
		onLogGP(t, ranks, func(world *mpi.Comm) error {
			comms, err := manyComms(world, rand.New(rand.NewPCG(seed, 0)))
			if err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(seed, uint64(1+world.Rank())))
			for _, i := range rng.Perm(len(comms)) {
				if err := sendLetters(comms[i], int32(i), letters); err != nil {
					return err
				}
			}
			for _, i := range rng.Perm(len(comms)) {
				if err := receiveLetters(comms[i], int32(i), letters, rng.IntN(2) == 0); err != nil {
					return fmt.Errorf("seed %d: %w", seed, err)
				}
			}
			return nil
		})
	}
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
func TestRanksInDifferentNumbersOfCommunicators(t *testing.T) {
	onLogGP(t, 5, func(world *mpi.Comm) error {
		comms := map[int]*mpi.Comm{5: world} // by the number in letters
		for size := 4; size > 0; size-- {
			part, err := world.Split((world.Rank()+size)/5-1, 0) // the last ranks, with color 0
			if err != nil {
				return err
			}
			if part != nil {
				comms[size] = part
			}
		}
		var err error
		if comms[6], err = world.Dup(); err != nil {
			return err
		}
		for i := 6; i > 0; i-- {
			if comms[i] == nil {
				continue
			}
			if err := sendLetters(comms[i], int32(i), 1); err != nil {
				return err
			}
		}
		for i := range 7 {
			if comms[i] == nil {
				continue
			}
			if err := receiveLetters(comms[i], int32(i), 1, true); err != nil {
				return err
			}
		}
		return nil
	})
}

// A receive from anyone, with any tag, does not take what collective operations send.
func TestCollectivesDoNotMeetOtherMessages(t *testing.T) {
	for _, ranks := range []int{2, 5} {
		onLogGP(t, ranks, func(c *mpi.Comm) error {
			got := make([]int, 1)
			open, err := mpi.IReceive(c, mpi.AnySource, mpi.AnyTag, got)
			if err != nil {
				return err
			}
			if err := allOperations(c, 3, 1); err != nil {
				return err
			}
			if _, done, err := open.Test(); done || err != nil {
				return fmt.Errorf("a receive is complete (%v) before anything has been sent to it", err)
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
			if err := mpi.Send(c, (c.Rank()+1)%ranks, 4, []int{42}); err != nil {
				return err
			}
			status, err := open.Wait()
			if from := (c.Rank() + ranks - 1) % ranks; err != nil || got[0] != 42 || status.From != from || status.Tag != 4 {
				return fmt.Errorf("got %d, status %+v (%v); expected 42 from rank %d with tag 4", got[0], status, err, from)
			}
			return nil
		})
	}
}
