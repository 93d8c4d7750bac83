package rmatest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/rma"
)

// Worlds without rma.Accumulator pass these.
var accumulatorChecks = []check{
	{"accumulates of any length, to others and the own memory", 3, withAccumulator(accumulatesOfAnyLength)},
	{"accumulates and single changes of a word by one process come in order", 2, withAccumulator(accumulatesInOrder)},
	{"accumulates of all ranks at once lose nothing, and give each number once", 4, withAccumulator(accumulatesMeet)},
	{"a fence waits for accumulates", 3, withAccumulator(fenceOfAccumulates)},
	{"who waits sees what others accumulate", 2, withAccumulator(noticeAccumulates)},
	{"accumulates that cannot be done change nothing", 2, withAccumulator(wrongAccumulates)},
	{"a segment can be withdrawn when accumulates to it are complete", 2, withAccumulator(withdrawAccumulated)},
}

// withAccumulator skips a check where many words cannot be changed by one request.
func withAccumulator(program func(w *World, p rma.Accumulator) error) func(*World, rma.Process) error {
	return func(w *World, p rma.Process) error {
		if a, ok := p.(rma.Accumulator); ok {
			return program(w, a)
		}
		return nil
	}
}

// mostWords is the number of words in the longest accumulate of the checks: more than fit one frame
// of any world.
const mostWords = 20_000

// drawWords draws a number of words.
func drawWords(rng *rand.Rand) int {
	return 1 + rng.IntN([]int{3, 100, 1100, mostWords}[rng.IntN(4)])
}

// operandsOf returns operands that identify their sender and operation.
func operandsOf(from, number, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(uint64(1+from*31+number*7+i) * 0x9e3779b97f4a7c15)
	}
	return list
}

// readWords reads words of a segment.
func readWords(p rma.Process, from rma.Address, n int) ([]int64, error) {
	memory, err := read(p, from, 8*n)
	list := make([]int64, n)
	for i := range list {
		list[i] = word(memory, i)
	}
	return list, err
}

// accumulatesOfAnyLength does each operation on words that only this rank changes, at all ranks,
// with and without asking for the old values. It changes the operands at once.
func accumulatesOfAnyLength(_ *World, p rma.Accumulator) error {
	plain := p.Expose(make([]byte, 8*mostWords*p.Size()))
	window, _, err := p.ExposeWindow(8 * mostWords * p.Size())
	if err != nil {
		return err
	}
	segments := []int{plain, window}
	var want [2][3][mostWords]int64
	rng := random(p)
	for i := range 60 {
		which, rank, n := rng.IntN(2), rng.IntN(p.Size()), drawWords(rng)
		first := rng.IntN(mostWords - n + 1)
		at := rma.Address{Rank: rank, Segment: segments[which], Offset: 8 * (p.Rank()*mostWords + first)}
		by, operands := rma.Reduction(rng.IntN(int(rma.Replace)+1)), operandsOf(p.Rank(), i, n)
		words := want[which][rank][first:][:n]
		before := slices.Clone(words)
		for j := range words {
			words[j] = by.Apply(words[j], operands[j])
		}
		was := [][]int64{nil, operands, make([]int64, n)}[rng.IntN(3)]
		op, err := p.Accumulate(at, by, operands, was)
		if err == nil && (was == nil || &was[0] != &operands[0]) {
			clear(operands)
		}
		if err := done(p, op, err); err != nil {
			return err
		}
		if was != nil && !slices.Equal(was, before) {
			return fmt.Errorf("accumulate %d, by %v, of %d words at %v: they were others than are told", i, by, n, at)
		}
		if now, err := readWords(p, at, n); err != nil || !slices.Equal(now, words) {
			return errors.Join(err, fmt.Errorf("accumulate %d, by %v, of %d words at %v: they have become others than expected", i, by, n, at))
		}
	}
	return nil
}

// accumulatesInOrder starts many accumulates that do not commute, with single changes in
// between, and waits for none but the last.
func accumulatesInOrder(_ *World, p rma.Accumulator) error {
	const changes = 40
	plain := p.Expose(make([]byte, 8*2*mostWords))
	window, _, err := p.ExposeWindow(8 * 2 * mostWords)
	if err != nil {
		return err
	}
	rng := random(p)
	for _, segment := range []int{plain, window} {
		for _, rank := range []int{1 - p.Rank(), p.Rank()} {
			at := rma.Address{Rank: rank, Segment: segment, Offset: 8 * p.Rank() * mostWords}
			var was [changes][]int64
			for i := range was {
				n := drawWords(rng)
				if rng.IntN(2) == 0 {
					n = 1
				}
				was[i] = make([]int64, n)
				operands := slices.Repeat([]int64{int64(i + 1)}, n)
				if n == 1 {
					_, err = p.FetchOp(at, rma.Replace, operands[0], &was[i][0])
				} else {
					_, err = p.Accumulate(at, rma.Replace, operands, was[i])
				}
				if err != nil {
					return err
				}
			}
			fence, err := p.Fence()
			if err := done(p, fence, err); err != nil {
				return err
			}
			if err := followEachOther(was[:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// followEachOther fails unless each change has found the value of the previous one: its number,
// from 1 on.
func followEachOther(was [][]int64) error {
	var now [mostWords]int64
	for i, list := range was {
		for j, old := range list {
			if old != now[j] {
				return fmt.Errorf("change %d of word %d found %d; expected %d, as the one before left it", i, j, old, now[j])
			}
			now[j] = int64(i + 1)
		}
	}
	return nil
}

// accumulatesMeet lets all ranks add to the same words of one, itself included, some by
// one, with a number of words at a time or with one. What each has found adds up to who has
// been there before: with n additions of 1 to a word, each number below n comes once.
func accumulatesMeet(_ *World, p rma.Accumulator) error {
	const each, n = 12, 1500
	plain := p.Expose(make([]byte, 8*n))
	window, _, err := p.ExposeWindow(8 * n)
	if err != nil {
		return err
	}
	drawn := p.Expose(make([]byte, 8*n*2)) // for each word of each segment, the sum of what was found
	ended := p.Expose(make([]byte, 8))
	additions := each * p.Size()
	for which, segment := range []int{plain, window} {
		at := rma.Address{Segment: segment}
		for range each {
			was := slices.Repeat([]int64{1}, n)
			op, err := p.Accumulate(at, rma.Sum, was, was)
			if err := done(p, op, err); err != nil {
				return err
			}
			op, err = p.FetchOp(at, rma.Sum, 0, nil)
			if err := done(p, op, err); err != nil {
				return err
			}
			op, err = p.Accumulate(rma.Address{Segment: drawn, Offset: 8 * n * which}, rma.Sum, was, nil)
			if err := done(p, op, err); err != nil {
				return err
			}
		}
	}
	var before int64
	op, err := p.FetchOp(rma.Address{Segment: ended}, rma.Sum, 1, &before)
	if err := done(p, op, err); err != nil || int(before) < p.Size()-1 {
		return err
	}
	sums, err := readWords(p, rma.Address{Segment: drawn}, 2*n)
	if err != nil {
		return err
	}
	for i, sum := range sums {
		if want := int64(additions * (additions - 1) / 2); sum != want {
			return fmt.Errorf("%d additions of 1 to word %d found numbers that add up to %d; expected %d", additions, i, sum, want)
		}
	}
	for _, segment := range []int{plain, window} {
		words, err := readWords(p, rma.Address{Segment: segment}, n)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(words, func(w int64) bool { return w != int64(additions) }); i >= 0 {
			return fmt.Errorf("%d additions of 1 to word %d make %d", additions, i, words[i])
		}
	}
	return nil
}
