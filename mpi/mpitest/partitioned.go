package mpitest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
)

var partitionedChecks = group{"messages in partitions", []check{
	{name: "partitions of both sides, in any order", ranks: 2, program: partitionsInAnyOrder},
	{name: "sends and receives match as they are prepared", ranks: 2, program: partitionsMatchInOrder},
	{name: "what is wrong is refused", ranks: 2, program: partitionsRefuse},
	{name: "to a rank itself and to nobody", ranks: 1, program: partitionsAlone},
}}

// partitionsInAnyOrder lets rank 0 send in partitions that are ready in a random order, while rank 1 looks for some
// of its own partitions, whose number differs. What has been told as arrived has to be there.
func partitionsInAnyOrder(c *mpi.Comm) error {
	alike, own := rand.New(rand.NewPCG(7, 0)), rand.New(rand.NewPCG(7, uint64(1+c.Rank())))
	for trial := range 12 {
		sent, received := 1+alike.IntN(12), 1+alike.IntN(12)
		data := make([]int32, sent*received*[]int{0, 1, 7, 500}[alike.IntN(4)])
		program := partitionedSend
		if c.Rank() == 1 {
			program = partitionedReceive
		}
		if err := program(c, own, data, map[bool]int{true: sent, false: received}[c.Rank() == 0]); err != nil {
			return fmt.Errorf("trial %d, %d elements in %d partitions to %d: %w", trial, len(data), sent, received, err)
		}
	}
	return nil
}

const partitionedRounds = 3

func partitionedSend(c *mpi.Comm, own *rand.Rand, data []int32, partitions int) error {
	s, err := mpi.PSendInit(c, 1, 5, data, partitions)
	if err != nil {
		return err
	}
	each := len(data) / partitions
	for round := range partitionedRounds {
		if err := s.Start(); err != nil {
			return err
		}
		for _, i := range own.Perm(partitions) {
			for k := i * each; k < (i+1)*each; k++ {
				data[k] = int32(round + k)
			}
			if err := s.Ready(i); err != nil {
				return err
			}
		}
		if err := s.Wait(); err != nil {
			return err
		}
	}
	s.Free()
	return nil
}

func partitionedReceive(c *mpi.Comm, own *rand.Rand, into []int32, partitions int) error {
	r, err := mpi.PReceiveInit(c, 0, 5, into, partitions)
	if err != nil {
		return err
	}
	each := len(into) / partitions
	for round := range partitionedRounds {
		clear(into)
		if err := r.Start(); err != nil {
			return err
		}
		for _, i := range own.Perm(partitions)[:own.IntN(partitions+1)] {
			for arrived := false; !arrived; {
				if arrived, err = r.Arrived(i); err != nil {
					return err
				}
			}
			if err := holds(into, round, i*each, (i+1)*each); err != nil {
				return err
			}
		}
		status, err := r.Wait()
		if err != nil {
			return err
		}
		if want := (mpi.Status{From: 0, Tag: 5, Bytes: 4 * len(into)}); status != want {
			return fmt.Errorf("status %+v; expected %+v", status, want)
		}
		if err := holds(into, round, 0, len(into)); err != nil {
			return err
		}
	}
	return nil
}

// holds checks the elements of a round.
func holds(data []int32, round, from, end int) error {
	for k := from; k < end; k++ {
		if data[k] != int32(round+k) {
			return fmt.Errorf("round %d: element %d is %d; expected %d", round, k, data[k], round+k)
		}
	}
	return nil
}

// partitionsMatchInOrder prepares three of the same tag, and starts them in other orders.
func partitionsMatchInOrder(c *mpi.Comm) error {
	data := [3][]int32{{-1, -1}, {-1, -1}, {-1, -1}}
	if c.Rank() == 0 {
		var sends [3]*mpi.PartitionedSend
		for i := range sends {
			data[i] = []int32{int32(i), int32(10 * i)}
			var err error
			if sends[i], err = mpi.PSendInit(c, 1, 0, data[i], 2); err != nil {
				return err
			}
		}
		for _, i := range []int{2, 0, 1} {
			if err := first(sends[i].Start(), sends[i].Ready(1), sends[i].Ready(0)); err != nil {
				return err
			}
		}
		return first(sends[0].Wait(), sends[1].Wait(), sends[2].Wait())
	}
	var receives [3]*mpi.PartitionedReceive
	for i := range receives {
		var err error
		if receives[i], err = mpi.PReceiveInit(c, 0, 0, data[i], 1); err != nil {
			return err
		}
	}
	for _, i := range []int{1, 0, 2} {
		if err := receives[i].Start(); err != nil {
			return err
		}
	}
	for _, i := range []int{0, 2, 1} {
		if _, err := receives[i].Wait(); err != nil {
			return err
		}
		if err := same("elements", data[i], []int32{int32(i), int32(10 * i)}); err != nil {
			return err
		}
	}
	return nil
}

func partitionsRefuse(c *mpi.Comm) error {
	if c.Rank() == 1 {
		return refusedReceives(c)
	}
	short, err := mpi.PSendInit(c, 1, 1, make([]int32, 8), 4)
	if err != nil {
		return err
	}
	if err := short.Start(); err != nil { // none of it is sent
		return err
	}
	s, err := mpi.PSendInit(c, 1, 2, make([]int32, 8), 4)
	if err != nil {
		return err
	}
	_, uneven := mpi.PSendInit(c, 1, 1, make([]int32, 8), 3)
	_, none := mpi.PReceiveInit(c, 1, 1, make([]int32, 8), 0)
	_, any := mpi.PReceiveInit(c, mpi.AnySource, 1, make([]int32, 8), 1)
	early := s.Ready(0)
	if err := s.Start(); err != nil {
		return err
	}
	outside, once := s.Ready(4), s.Ready(2)
	for _, x := range []struct {
		what      string
		got, want error
	}{
		{"partitions that do not divide", uneven, mpi.ErrArgument},
		{"no partitions", none, mpi.ErrArgument},
		{"any source", any, mpi.ErrRank},
		{"a partition before Start", early, mpi.ErrRequest},
		{"a partition outside", outside, mpi.ErrArgument},
		{"a partition once", once, nil},
		{"a partition twice", s.Ready(2), mpi.ErrArgument},
		{"Start of one under way", s.Start(), mpi.ErrRequest},
		{"Wait before all are ready", s.Wait(), mpi.ErrRequest},
	} {
		if !errors.Is(x.got, x.want) {
			return fmt.Errorf("%s gives %w; expected %w", x.what, x.got, x.want)
		}
	}
	return first(s.Ready(0), s.Ready(1), s.Ready(3), s.Wait())
}

// refusedReceives receives 8 elements where there is room for 6, and then 8.
func refusedReceives(c *mpi.Comm) error {
	short, err := mpi.PReceiveInit(c, 0, 1, make([]int32, 6), 3)
	if err != nil {
		return err
	}
	if err := short.Start(); err != nil && !errors.Is(err, mpi.ErrTruncate) {
		return err
	}
	if _, err := short.Wait(); !errors.Is(err, mpi.ErrTruncate) {
		return fmt.Errorf("8 elements for 6 give %w; expected ErrTruncate", err)
	}
	r, err := mpi.PReceiveInit(c, 0, 2, make([]int32, 8), 2)
	if err != nil {
		return err
	}
	if err := r.Start(); err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

func partitionsAlone(c *mpi.Comm) error {
	for _, x := range []struct {
		peer int
		want []int32
	}{{0, []int32{5, 6}}, {mpi.None, []int32{0, 0}}} {
		into := []int32{0, 0}
		r, err := mpi.PReceiveInit(c, x.peer, 1, into, 1)
		if err != nil {
			return err
		}
		s, err := mpi.PSendInit(c, x.peer, 1, []int32{5, 6}, 2)
		if err != nil {
			return err
		}
		if err := first(r.Start(), s.Start(), s.Ready(0), s.Ready(1), s.Wait()); err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
		if err := same("elements", into, x.want); err != nil {
			return err
		}
	}
	return nil
}
