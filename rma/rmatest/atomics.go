package rmatest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"musubi/rma"
	"musubi/units"
)

// Worlds without rma.Atomics pass these.
var atomicChecks = []check{
	{"all operations on words, of others and the own", 2, withAtomics(operationsOnWords)},
	{"changes of a word by one process come in order", 2, withAtomics(changesInOrder)},
	{"counters lose nothing, and give each number once", 4, withAtomics(counters)},
	{"a lock by compare-and-swap", 4, withAtomics(locked)},
	{"a fence waits for atomics", 3, withAtomics(fenceOfAtomics)},
	{"who waits sees what others change", 2, withAtomics(noticeChanges)},
	{"words that cannot be changed", 2, withAtomics(wrongWords)},
	{"histories of words are linearizable", 4, linearizable},
}

// withAtomics skips a check where words cannot be changed.
func withAtomics(program func(w *World, p rma.Atomics) error) func(*World, rma.Process) error {
	return func(w *World, p rma.Process) error {
		if a, ok := p.(rma.Atomics); ok {
			return program(w, a)
		}
		return nil
	}
}

// word reads a word of memory.
func word(memory []byte, i int) int64 { return int64(binary.NativeEndian.Uint64(memory[8*i:])) }

// operationsOnWords does each operation with words that tell them apart.
func operationsOnWords(_ *World, p rma.Atomics) error {
	memory := make([]byte, 64)
	segment := p.Expose(memory)
	var want [2]int64 // of the words at each rank
	rng := random(p)
	values := []int64{0, 1, -1, 7, math.MaxInt64, math.MinInt64, 1 << 40, -5}
	for range 200 {
		rank, was := rng.IntN(2), int64(0)
		at := rma.Address{Rank: rank, Segment: segment, Offset: 16 * p.Rank()}
		reduction, operand := rma.Reduction(rng.IntN(int(rma.Replace)+2)), values[rng.IntN(len(values))]
		old, next := want[rank], reduction.Apply(want[rank], operand)
		var op rma.Op
		var err error
		if reduction <= rma.Replace {
			op, err = p.FetchOp(at, reduction, operand, &was)
		} else {
			expected := values[rng.IntN(len(values))]
			if rng.IntN(2) == 0 {
				expected = old
			}
			if next = old; expected == old {
				next = operand
			}
			op, err = p.CompareSwap(at, expected, operand, &was)
		}
		if err := done(p, op, err); err != nil {
			return err
		}
		if was != old {
			return fmt.Errorf("%v of a word of rank %d with %d: it was %d; expected %d", reduction, rank, operand, was, old)
		}
		want[rank] = next
		got, err := read(p, at, 8)
		if err != nil {
			return err
		}
		if now := word(got, 0); now != next {
			return fmt.Errorf("%v of %d with %d is %d; expected %d", reduction, old, operand, now, next)
		}
	}
	op, err := p.FetchOp(rma.Address{Rank: 1 - p.Rank(), Segment: segment, Offset: 32}, rma.Sum, 1, nil) // nobody asks what was
	return done(p, op, err)
}

// changesInOrder starts many changes of a word that does not commute, and waits for none
// but the last.
func changesInOrder(_ *World, p rma.Atomics) error {
	const changes = 50
	segment := p.Expose(make([]byte, 64))
	for _, rank := range []int{1 - p.Rank(), p.Rank()} {
		at := rma.Address{Rank: rank, Segment: segment, Offset: 8 * p.Rank()}
		var was [changes]int64
		for i := range was {
			op, err := p.FetchOp(at, rma.Replace, int64(i+1), &was[i])
			if i == changes-1 {
				err = done(p, op, err)
			}
			if err != nil {
				return err
			}
		}
		fence, err := p.Fence()
		if err := done(p, fence, err); err != nil {
			return err
		}
		for i, old := range was {
			if old != int64(i) {
				return fmt.Errorf("change %d of a word found %d; expected %d, as the one before left it", i, old, i)
			}
		}
	}
	return nil
}

// counters lets all ranks add to counters of one, itself included, without waiting for
// each. Every number comes once.
func counters(_ *World, p rma.Atomics) error {
	const each, room = 50, 8
	segment := p.Expose(make([]byte, 8))
	taken := p.Expose(make([]byte, each*p.Size()))
	rng := random(p)
	for i := 0; i < each; {
		var was [room]int64
		n := min(1+rng.IntN(room), each-i)
		for j := range n {
			if _, err := p.FetchOp(rma.Address{Segment: segment}, rma.Sum, 1, &was[j]); err != nil {
				return err
			}
		}
		fence, err := p.Fence()
		if err := done(p, fence, err); err != nil {
			return err
		}
		for _, number := range was[:n] {
			if number < 0 || number >= int64(each*p.Size()) {
				return fmt.Errorf("a counter gives %d; expected less than %d", number, each*p.Size())
			}
			at := rma.Address{Segment: taken, Offset: int(number)}
			if seen, err := read(p, at, 1); err != nil || seen[0] != 0 {
				return errors.Join(err, fmt.Errorf("a counter gives %d twice", number))
			}
			op, err := p.Push(at, []byte{1}, rma.DMA)
			if err := done(p, op, err); err != nil {
				return err
			}
		}
		i += n
		p.Compute(units.Time(rng.IntN(3)) * units.Microsecond)
	}
	return nil
}

// locked lets ranks take turns with a word that is no atomic, by a lock that is one.
func locked(_ *World, p rma.Atomics) error {
	const each = 10
	segment := p.Expose(make([]byte, 24))
	lock, plain := rma.Address{Rank: 1, Segment: segment}, rma.Address{Rank: 1, Segment: segment, Offset: 8}
	ended := rma.Address{Rank: 1, Segment: segment, Offset: 16}
	for range each {
		for holder := int64(-1); holder != 0; {
			op, err := p.CompareSwap(lock, 0, int64(p.Rank()+1), &holder)
			if err := done(p, op, err); err != nil {
				return err
			}
			p.Compute(units.Microsecond / 7)
		}
		now, err := read(p, plain, 8)
		if err != nil {
			return err
		}
		p.Compute(units.Microsecond)
		binary.NativeEndian.PutUint64(now, uint64(word(now, 0)+1))
		op, err := p.Push(plain, now, rma.DMA)
		if err := done(p, op, err); err != nil {
			return err
		}
		holder := int64(0)
		op, err = p.FetchOp(lock, rma.Replace, 0, &holder)
		if err := done(p, op, err); err != nil {
			return err
		}
		if holder != int64(p.Rank()+1) {
			return fmt.Errorf("the lock was held by %d; expected %d, which has taken it", holder, p.Rank()+1)
		}
	}
	before := int64(0)
	op, err := p.FetchOp(ended, rma.Sum, 1, &before)
	if err := done(p, op, err); err != nil || before < int64(p.Size()-1) {
		return err
	}
	total, err := read(p, plain, 8)
	if err == nil && word(total, 0) != int64(each*p.Size()) {
		err = fmt.Errorf("%d additions under a lock make %d", each*p.Size(), word(total, 0))
	}
	return err
}

// fenceOfAtomics has fences behind changes of words that nobody waits for.
func fenceOfAtomics(w *World, p rma.Atomics) error {
	segment, other := p.Expose(make([]byte, 8*p.Size())), p.Expose(make([]byte, 4*w.Packet))
	sum := make([]int64, p.Size())
	rng := random(p)
	for i := range 30 {
		for range rng.IntN(5) {
			rank := rng.IntN(p.Size())
			if _, err := p.FetchOp(rma.Address{Rank: rank, Segment: segment, Offset: 8 * p.Rank()}, rma.Sum, int64(i), nil); err != nil {
				return err
			}
			sum[rank] += int64(i)
			if _, err := p.Push(rma.Address{Rank: rank, Segment: other}, text(p.Rank(), i, w.length(rng)), rma.DMA); err != nil {
				return err
			}
		}
		fence, err := p.Fence()
		if err := done(p, fence, err); err != nil {
			return err
		}
		for rank, want := range sum {
			got, err := read(p, rma.Address{Rank: rank, Segment: segment, Offset: 8 * p.Rank()}, 8)
			if err != nil {
				return err
			}
			if now := word(got, 0); now != want {
				return fmt.Errorf("after a fence a word of rank %d is %d; expected %d", rank, now, want)
			}
		}
	}
	return nil
}

// noticeChanges lets ranks wait in turn for what the other changes.
func noticeChanges(_ *World, p rma.Atomics) error {
	memory := make([]byte, 8)
	segment := p.Expose(memory)
	return inTurns(p, memory, func() error {
		op, err := p.FetchOp(rma.Address{Rank: 1 - p.Rank(), Segment: segment}, rma.Sum, 1, nil)
		return done(p, op, err)
	})
}

// inTurns lets two ranks add to a word of each other in turn: each waits until its own has been
// added to before it does the same again.
func inTurns(p rma.Process, memory []byte, add func() error) error {
	for i := range int64(20) {
		isThere := func() bool { return word(memory, 0) > i }
		if p.Rank() == 1 {
			if err := p.WaitUntil(isThere); err != nil {
				return err
			}
		}
		if err := add(); err != nil {
			return err
		}
		if p.Rank() == 0 {
			if err := p.WaitUntil(isThere); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrongWords are refused by the call or by Wait, and nothing changes.
func wrongWords(_ *World, p rma.Atomics) error {
	memory, more := make([]byte, 64), make([]byte, 64)
	segment, crooked := p.Expose(memory), p.Expose(more[1:])
	for what, at := range map[string]rma.Address{
		"at an offset of 4":             {Rank: 1, Segment: segment, Offset: 4},
		"at an offset of 1":             {Rank: 1, Segment: segment, Offset: 1},
		"in memory that begins at odd":  {Rank: 1, Segment: crooked},
		"at an offset that makes it up": {Rank: 1, Segment: crooked, Offset: 7},
		"beyond the end":                {Rank: 1, Segment: segment, Offset: 64},
		"before the beginning":          {Rank: 1, Segment: segment, Offset: -8},
		"that is not exposed":           {Rank: 1, Segment: 7},
		"of a rank that is not":         {Rank: 2, Segment: segment},
		"of rank -1":                    {Rank: -1, Segment: segment},
		"of its own, at 4":              {Rank: p.Rank(), Segment: segment, Offset: 4},
	} {
		op, err := p.FetchOp(at, rma.Sum, 1, nil)
		if err := done(p, op, err); err == nil {
			return fmt.Errorf("FetchOp on a word %s succeeds", what)
		}
		op, err = p.CompareSwap(at, 0, 1, nil)
		if err := done(p, op, err); err == nil {
			return fmt.Errorf("CompareSwap on a word %s succeeds", what)
		}
	}
	op, err := p.FetchOp(rma.Address{Rank: 1, Segment: segment}, rma.Replace+1, 1, nil)
	if err := done(p, op, err); err == nil {
		return fmt.Errorf("FetchOp with %v succeeds", rma.Replace+1)
	}
	for _, segment := range []int{segment, crooked} {
		got, err := read(p, rma.Address{Rank: 1, Segment: segment}, 63)
		if err != nil {
			return err
		}
		if err := same("memory after what was refused", got, make([]byte, 63)); err != nil {
			return err
		}
	}
	op, err = p.FetchOp(rma.Address{Rank: 1, Segment: segment}, rma.Sum, 0, nil)
	return done(p, op, err)
}
