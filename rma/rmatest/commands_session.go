package rmatest

import (
	"errors"
	"fmt"

	"musubi/rma"
)

// marks are puts of a byte each to rank 1, so that it shows which have been carried out.
func marks(segment, from, n int) []rma.Command {
	commands := make([]rma.Command, n)
	for i := range commands {
		commands[i] = put(rma.Address{Rank: 1, Segment: segment, Offset: from + i}, 0, []byte{1})
	}
	return commands
}

// sessionRelease has rank 1 release commands of rank 0, some at a time, and look at what
// has been carried out. In the end rank 0 drops the rest.
func sessionRelease(_ *World, p rma.Commander) error {
	const lead, commands = 2, 12
	steps := []int{1, 3, 0, 2, 1}
	memory := make([]byte, commands)
	segment := p.Expose(memory)
	q, numbers, err := openBoxes(p, rma.QueueConfig{Session: p.Rank() == 0, Lead: lead * (1 - p.Rank())})
	if err != nil {
		return err
	}
	if p.Rank() == 0 {
		if err := q.Post(marks(segment, 0, commands)...); err != nil {
			return err
		}
	}
	released := lead
	for _, n := range append([]int{0}, steps...) {
		if p.Rank() == 1 && n > 0 {
			if err := q.do(release(0, numbers[0], n)); err != nil {
				return err
			}
		}
		if released += n; p.Rank() == 0 {
			if err := errors.Join(q.until(released, 0), q.stays(released)); err != nil {
				return err
			}
		}
		if err := meet(p); err != nil {
			return err
		}
		if p.Rank() == 1 {
			if got := carriedOut(memory); got != released {
				return fmt.Errorf("%d commands have been carried out; %d have been released", got, released)
			}
		}
		if err := meet(p); err != nil {
			return err
		}
	}
	if p.Rank() == 0 {
		if err := q.Close(); err != nil {
			return fmt.Errorf("closing a queue with commands that only wait to be released: %w", err)
		}
	}
	return meet(p)
}

// carriedOut counts marks, which come in order.
func carriedOut(memory []byte) int {
	n := 0
	for n < len(memory) && memory[n] == 1 {
		n++
	}
	return n
}

// sessionAhead releases commands before they are posted.
func sessionAhead(_ *World, p rma.Commander) error {
	memory := make([]byte, 10)
	segment := p.Expose(memory)
	q, numbers, err := openBoxes(p, rma.QueueConfig{Session: p.Rank() == 0})
	if err != nil {
		return err
	}
	if p.Rank() == 1 {
		if err := q.do(rma.Command{}, release(0, numbers[0], 3), release(0, numbers[0], 4)); err != nil {
			return err
		}
		return errors.Join(meet(p), meet(p))
	}
	if err := errors.Join(meet(p), q.Post(marks(segment, 0, 5)...), q.until(5, 0)); err != nil {
		return err
	}
	if err := errors.Join(q.Post(marks(segment, 5, 5)...), q.until(7, 0), q.stays(7)); err != nil {
		return err
	}
	return errors.Join(q.Close(), meet(p))
}

// selfRelease lets a queue in session mode skip NOPs, and put to itself, which releases the rest
// and leaves a notice.
func selfRelease(w *World, p rma.Commander) error {
	memory := make([]byte, w.Packet)
	segment := p.Expose(memory)
	q, err := openBox(p, rma.QueueConfig{Session: true, Lead: 3, Entries: 4})
	if err != nil {
		return err
	}
	for round := range 10 {
		data := text(0, round, w.Packet-round)
		itself := put(rma.Address{Segment: segment}, q.Number(), nil)
		itself.Advance = 4
		last := put(rma.Address{Segment: segment}, q.Number(), data)
		last.Notice, last.Word = true, uint64(round)
		if err := q.do(rma.Command{}, rma.Command{}, itself, last); err != nil {
			return err
		}
		if err := q.until(0, round+1); err != nil {
			return err
		}
		if n := q.notices[round]; n != (rma.Notice{Word: uint64(round)}) {
			return fmt.Errorf("notice %d is %+v; expected one of rank 0 with that number", round, n)
		}
		if err := same(fmt.Sprint("data of round ", round), memory[:len(data)], data); err != nil {
			return err
		}
	}
	return q.Close()
}
