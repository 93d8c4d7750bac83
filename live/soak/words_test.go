//go:build linux

package soak

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"musubi/mpi"
	"musubi/rma"
)

// Words at each rank: one that all count with, one that is a lock, and one that only who
// has the lock may change.
const (
	counter = 8 * iota
	lock
	locked
)

// words lets all ranks count with words of each, and take turns by locks.
func (s *soaker) words() error {
	e, err := s.expose(16)
	if err != nil {
		return err
	}
	a := s.p.(rma.Atomics)
	for _, do := range []func(rma.Atomics, *exposed) error{s.drawNumbers, s.takeTurns} {
		if err := do(a, e); err != nil {
			return err
		}
	}
	if err := mpi.Barrier(s.c); err != nil {
		return err
	}
	return s.p.Withdraw(e.segments[s.p.Rank()])
}

// word returns the address of a word at a rank.
func (e *exposed) word(rank, offset int) rma.Address {
	return rma.Address{Rank: rank, Segment: e.segments[rank], Offset: offset}
}

// drawNumbers lets this rank draw numbers from the counters of all, and waits for all at once.
func (s *soaker) drawNumbers(a rma.Atomics, e *exposed) error {
	drawn := make([]int64, 1+s.own.IntN(100))
	from := make([]int, len(drawn))
	for i := range drawn {
		from[i] = s.own.IntN(ranks)
		if err := s.draw(a, e.word(from[i], counter), &drawn[i]); err != nil {
			return err
		}
	}
	fence, err := a.Fence()
	if err := errors.Join(err, a.Wait(fence)); err != nil {
		return err
	}
	sums := make([]int64, 2*ranks) // for each counter, how many have drawn, and the sum of the numbers
	for i, number := range drawn {
		sums[2*from[i]]++
		sums[2*from[i]+1] += number
	}
	if err := mpi.AllReduce(s.c, slices.Clone(sums), sums, mpi.Sum[int64]()); err != nil {
		return err
	}
	for rank := range ranks {
		now, n := int64(0), sums[2*rank]
		op, err := a.FetchOp(e.word(rank, counter), rma.NoOp, 0, &now)
		if err := errors.Join(err, a.Wait(op)); err != nil {
			return err
		}
		if sum := sums[2*rank+1]; now != n || sum != n*(n-1)/2 {
			return fmt.Errorf("wrong data: the counter of rank %d is %d after %d draws of numbers whose sum is %d", rank, now, n, sum)
		}
	}
	return nil
}

// draw draws a number: it starts to, or tries until it has it.
func (s *soaker) draw(a rma.Atomics, at rma.Address, number *int64) error {
	if s.own.IntN(4) > 0 {
		_, err := a.FetchOp(at, rma.Sum, 1, number)
		return err
	}
	for expected := int64(0); ; expected = *number {
		op, err := a.CompareSwap(at, expected, expected+1, number)
		if err := errors.Join(err, a.Wait(op)); err != nil || *number == expected {
			return err
		}
	}
}

// takeTurns adds to a word of a rank, which takes a lock as it is read and written.
func (s *soaker) takeTurns(a rma.Atomics, e *exposed) error {
	const turns = 3
	at := s.plan.IntN(ranks)
	for range turns {
		if err := s.withLock(a, e.word(at, lock), func() error { return s.add(a, e.word(at, locked)) }); err != nil {
			return err
		}
	}
	if err := mpi.Barrier(s.c); err != nil {
		return err
	}
	if got := binary.NativeEndian.Uint64(e.mine[locked:]); at == s.p.Rank() && got != turns*ranks {
		return fmt.Errorf("wrong data: %d additions under a lock make %d", turns*ranks, got)
	}
	return nil
}

// withLock does something that only one rank may do at a time.
func (s *soaker) withLock(a rma.Atomics, at rma.Address, do func() error) error {
	for holder := int64(-1); holder != 0; {
		op, err := a.CompareSwap(at, 0, int64(a.Rank())+1, &holder)
		if err := errors.Join(err, a.Wait(op)); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return err
	}
	op, err := a.FetchOp(at, rma.Replace, 0, nil)
	return errors.Join(err, a.Wait(op))
}

// add adds one to a word that nobody else changes.
func (s *soaker) add(a rma.Atomics, at rma.Address) error {
	word := make([]byte, 8)
	op, err := a.Pull(at, word)
	if err := errors.Join(err, a.Wait(op)); err != nil {
		return err
	}
	binary.NativeEndian.PutUint64(word, binary.NativeEndian.Uint64(word)+1)
	if _, err := a.Push(at, word, rma.DMA); err != nil {
		return err
	}
	fence, err := a.Fence()
	return errors.Join(err, a.Wait(fence))
}
