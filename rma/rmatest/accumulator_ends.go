package rmatest

import (
	"errors"
	"fmt"
	"slices"

	"musubi/rma"
)

// fenceOfAccumulates has fences behind accumulates that nobody waits for, so many that they
// must wait for each other.
func fenceOfAccumulates(_ *World, p rma.Accumulator) error {
	segment := p.Expose(make([]byte, 8*mostWords*p.Size()))
	rng := random(p)
	want := make([]int64, p.Size())
	for i := range 6 {
		for range 12 {
			rank := rng.IntN(p.Size())
			at := rma.Address{Rank: rank, Segment: segment, Offset: 8 * p.Rank() * mostWords}
			var was []int64
			if rng.IntN(2) == 0 {
				was = make([]int64, mostWords)
			}
			if _, err := p.Accumulate(at, rma.Sum, slices.Repeat([]int64{int64(i)}, mostWords), was); err != nil {
				return err
			}
			want[rank] += int64(i)
		}
		fence, err := p.Fence()
		if err := done(p, fence, err); err != nil {
			return err
		}
		for rank, sum := range want {
			words, err := readWords(p, rma.Address{Rank: rank, Segment: segment, Offset: 8 * p.Rank() * mostWords}, mostWords)
			if err != nil {
				return err
			}
			if words[0] != sum || words[mostWords-1] != sum {
				return fmt.Errorf("after a fence the first and the last word of rank %d are %d and %d; expected %d", rank, words[0], words[mostWords-1], sum)
			}
		}
	}
	return nil
}

// noticeAccumulates lets ranks wait in turn for what the other changes.
func noticeAccumulates(_ *World, p rma.Accumulator) error {
	memory := make([]byte, 8*mostWords)
	segment := p.Expose(memory)
	ones := slices.Repeat([]int64{1}, mostWords)
	return inTurns(p, memory[8*(mostWords-1):], func() error {
		op, err := p.Accumulate(rma.Address{Rank: 1 - p.Rank(), Segment: segment}, rma.Sum, ones, nil)
		return done(p, op, err)
	})
}

// wrongAccumulates are refused by the call or by Wait, and nothing changes, however long they
// are. What follows is done.
func wrongAccumulates(_ *World, p rma.Accumulator) error {
	memory, more := make([]byte, 8*mostWords), make([]byte, 8*mostWords)
	segment, crooked := p.Expose(memory), p.Expose(more[1:])
	ones := slices.Repeat([]int64{1}, mostWords)
	for what, c := range map[string]struct {
		at rma.Address
		n  int
	}{
		"at an offset of 4":                {rma.Address{Rank: 1, Segment: segment, Offset: 4}, 2},
		"in memory that begins at odd":     {rma.Address{Rank: 1, Segment: crooked}, 2},
		"at an offset that makes it up":    {rma.Address{Rank: 1, Segment: crooked, Offset: 7}, 2},
		"of which the last is beyond":      {rma.Address{Rank: 1, Segment: segment, Offset: 8}, mostWords},
		"of which half the last is beyond": {rma.Address{Rank: 1, Segment: crooked, Offset: 8 * (mostWords - 2)}, 2},
		"behind the end":                   {rma.Address{Rank: 1, Segment: segment, Offset: 8 * mostWords}, 1},
		"before the beginning":             {rma.Address{Rank: 1, Segment: segment, Offset: -8}, 2},
		"that are not exposed":             {rma.Address{Rank: 1, Segment: 7}, mostWords},
		"of a segment without number":      {rma.Address{Rank: 1, Segment: -1}, 2},
		"of a rank that is not":            {rma.Address{Rank: 2, Segment: segment}, 2},
		"of rank -1":                       {rma.Address{Rank: -1, Segment: segment}, 2},
		"of its own, at 4":                 {rma.Address{Rank: p.Rank(), Segment: segment, Offset: 4}, 2},
		"of its own, beyond":               {rma.Address{Rank: p.Rank(), Segment: segment, Offset: 8}, mostWords},
	} {
		untouched := slices.Repeat([]int64{7}, c.n)
		for _, was := range [][]int64{nil, untouched} {
			op, err := p.Accumulate(c.at, rma.Sum, ones[:c.n], was)
			if err := done(p, op, err); err == nil {
				return fmt.Errorf("accumulate of %d words %s succeeds", c.n, what)
			}
		}
		if i := slices.IndexFunc(untouched, func(w int64) bool { return w != 7 }); i >= 0 {
			return fmt.Errorf("accumulate of %d words %s fails, but finds %d", c.n, what, untouched[i])
		}
	}
	at := rma.Address{Rank: 1, Segment: segment}
	if op, err := p.Accumulate(at, rma.Replace+1, ones[:2], nil); done(p, op, err) == nil {
		return fmt.Errorf("accumulate by %v succeeds", rma.Replace+1)
	}
	if op, err := p.Accumulate(at, rma.Sum, ones[:3], make([]int64, 2)); done(p, op, err) == nil {
		return errors.New("accumulate of 3 operands with room for 2 words succeeds")
	}
	op, err := p.Accumulate(at, rma.Sum, nil, nil)
	if err := done(p, op, err); err != nil {
		return fmt.Errorf("accumulate of nothing: %w", err)
	}
	for _, segment := range []int{segment, crooked} {
		got, err := read(p, rma.Address{Rank: 1, Segment: segment}, 8*mostWords-1)
		if err != nil {
			return err
		}
		if err := same("memory after what was refused", got, make([]byte, 8*mostWords-1)); err != nil {
			return err
		}
	}
	op, err = p.Accumulate(at, rma.Sum, make([]int64, mostWords), nil)
	return done(p, op, err)
}

// withdrawAccumulated withdraws a segment again and again, and exposes another one under
// its number, when the other rank has changed it.
func withdrawAccumulated(_ *World, p rma.Accumulator) error {
	turns := make([]byte, 8)
	told := p.Expose(turns)
	for i := range int64(10) {
		memory := make([]byte, 8*mostWords)
		segment := p.Expose(memory)
		op, err := p.FetchOp(rma.Address{Rank: 1 - p.Rank(), Segment: told}, rma.Sum, 1, nil)
		if err := done(p, op, err); err != nil {
			return err
		}
		if err := p.WaitUntil(func() bool { return word(turns, 0) > 2*i }); err != nil {
			return err
		}
		op, err = p.Accumulate(rma.Address{Rank: 1 - p.Rank(), Segment: segment}, rma.Sum, operandsOf(1-p.Rank(), int(i), mostWords), make([]int64, mostWords))
		if err := done(p, op, err); err != nil {
			return err
		}
		op, err = p.FetchOp(rma.Address{Rank: 1 - p.Rank(), Segment: told}, rma.Sum, 1, nil)
		if err := done(p, op, err); err != nil {
			return err
		}
		if err := p.WaitUntil(func() bool { return word(turns, 0) > 2*i+1 }); err != nil {
			return err
		}
		if err := p.Withdraw(segment); err != nil {
			return err
		}
		for j, want := range operandsOf(p.Rank(), int(i), mostWords) {
			if got := word(memory, j); got != want {
				return fmt.Errorf("word %d of a segment that was withdrawn is %d; expected %d", j, got, want)
			}
		}
	}
	return nil
}
