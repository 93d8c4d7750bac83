package rmatest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/rma"
)

// Worlds without rma.Sequencer pass these.
var sequencerChecks = []check{
	{"sequences of any length do what their changes do one by one", 3, withSequencer(sequencesOfAnyLength)},
	{"sequences and single changes by one process come in order", 2, withSequencer(sequencesInOrder)},
	{"sequences of all ranks at once lose nothing, and give each number once", 4, withSequencer(sequencesMeet)},
	{"who waits sees what others change by a sequence", 2, withSequencer(noticeSequences)},
	{"sequences that cannot be done change nothing", 3, withSequencer(wrongSequences)},
}

// withSequencer skips a check where a request has one change only.
func withSequencer(program func(w *World, p rma.Sequencer) error) func(*World, rma.Process) error {
	return func(w *World, p rma.Process) error {
		if s, ok := p.(rma.Sequencer); ok && s.LongestSequence() > 0 {
			return program(w, s)
		}
		return nil
	}
}

// sequenceWords is the number of words that sequences of one rank work on; worlds that refuse words
// far apart take them.
const sequenceWords = 16

// drawSequence draws changes of words of a rank from an offset on, and applies them to what is known
// of these. It returns what they are to find.
func drawSequence(rng *rand.Rand, most int, at rma.Address, words []int64, was []int64) (list []rma.Change, found []int64) {
	n := 1 + rng.IntN([]int{3, most}[rng.IntN(2)])
	for i := range min(n, most) {
		word := rng.IntN(len(words))
		c := rma.Change{At: at, Operand: rng.Int64(), Was: &was[i]}
		c.At.Offset += 8 * word
		old := words[word]
		found = append(found, old)
		if c.Swap = rng.IntN(3) == 0; c.Swap {
			if c.Expected = rng.Int64(); rng.IntN(2) == 0 {
				c.Expected, words[word] = old, c.Operand
			}
		} else {
			c.Reduction = rma.Reduction(rng.IntN(int(rma.Replace) + 1))
			words[word] = c.Reduction.Apply(old, c.Operand)
		}
		if rng.IntN(4) == 0 {
			c.Was = nil
		}
		list = append(list, c)
	}
	return list, found
}

// sequencesOfAnyLength changes words that only this rank changes, at all ranks, and looks at what was
// there before and after. It changes the list at once.
func sequencesOfAnyLength(_ *World, p rma.Sequencer) error {
	plain := p.Expose(make([]byte, 8*sequenceWords*p.Size()))
	window, _, err := p.ExposeWindow(8 * sequenceWords * p.Size())
	if err != nil {
		return err
	}
	segments := []int{plain, window}
	var want [2][3][sequenceWords]int64
	rng := random(p)
	for i := range 80 {
		which, rank := rng.IntN(2), rng.IntN(p.Size())
		at := rma.Address{Rank: rank, Segment: segments[which], Offset: 8 * p.Rank() * sequenceWords}
		was := make([]int64, p.LongestSequence())
		list, found := drawSequence(rng, p.LongestSequence(), at, want[which][rank][:], was)
		given := slices.Clone(list)
		op, err := p.Sequence(list)
		clear(list)
		if err := done(p, op, err); err != nil {
			return err
		}
		for j := range given {
			if given[j].Was != nil && was[j] != found[j] {
				return fmt.Errorf("sequence %d at %v: change %d of %d found %d; expected %d", i, at, j, len(given), was[j], found[j])
			}
		}
		if now, err := readWords(p, at, sequenceWords); err != nil || !slices.Equal(now, want[which][rank][:]) {
			return errors.Join(err, fmt.Errorf("sequence %d of %d changes at %v: words have become %v; expected %v", i, len(given), at, now, want[which][rank]))
		}
	}
	return nil
}

// sequencesInOrder starts sequences that number two words, with single changes in between, and waits
// for none but the last.
func sequencesInOrder(_ *World, p rma.Sequencer) error {
	const changes = 60
	segment := p.Expose(make([]byte, 8*2*2))
	rng := random(p)
	for _, rank := range []int{1 - p.Rank(), p.Rank()} {
		at := rma.Address{Rank: rank, Segment: segment, Offset: 16 * p.Rank()}
		var was [changes][3]int64
		for i := range was {
			var err error
			if rng.IntN(2) == 0 {
				was[i] = [3]int64{-1, -1, int64(i + 1)}
				_, err = p.FetchOp(at, rma.Replace, int64(i+1), &was[i][0])
				if err == nil {
					_, err = p.FetchOp(rma.Address{Rank: rank, Segment: segment, Offset: at.Offset + 8}, rma.Replace, int64(i+1), &was[i][1])
				}
			} else {
				second := at
				second.Offset += 8
				_, err = p.Sequence([]rma.Change{
					{At: at, Reduction: rma.Sum, Operand: 1, Was: &was[i][0]},
					{At: second, Swap: true, Expected: int64(i), Operand: int64(i + 1), Was: &was[i][1]},
					{At: second, Reduction: rma.Sum, Was: &was[i][2]},
				}[:min(3, p.LongestSequence())])
			}
			if err != nil {
				return err
			}
		}
		fence, err := p.Fence()
		if err := done(p, fence, err); err != nil {
			return err
		}
		for i, found := range was {
			if found[0] != int64(i) || p.LongestSequence() >= 3 && (found[1] != int64(i) || found[2] != int64(i+1)) {
				return fmt.Errorf("change %d found %v; expected %d, as the one before left it, and what it has made of that", i, found, i)
			}
		}
	}
	return nil
}

// sequencesMeet lets all ranks add to the same words of one, itself included. What each has found in
// a word adds up to who has been there before: with n additions of 1, each number below n comes once.
func sequencesMeet(_ *World, p rma.Sequencer) error {
	const each = 25
	words := min(sequenceWords, p.LongestSequence())
	segment := p.Expose(make([]byte, 8*words))
	drawn, ended := p.Expose(make([]byte, 8*words)), p.Expose(make([]byte, 8))
	for range each {
		was := make([]int64, words)
		var list, found []rma.Change
		for i := range words {
			list = append(list, rma.Change{At: rma.Address{Segment: segment, Offset: 8 * i}, Reduction: rma.Sum, Operand: 1, Was: &was[i]})
		}
		op, err := p.Sequence(list)
		if err := done(p, op, err); err != nil {
			return err
		}
		for i := range words {
			found = append(found, rma.Change{At: rma.Address{Segment: drawn, Offset: 8 * i}, Reduction: rma.Sum, Operand: was[i]})
		}
		op, err = p.Sequence(found)
		if err := done(p, op, err); err != nil {
			return err
		}
	}
	var before int64
	op, err := p.FetchOp(rma.Address{Segment: ended}, rma.Sum, 1, &before)
	if err := done(p, op, err); err != nil || int(before) < p.Size()-1 {
		return err
	}
	sums, err := readWords(p, rma.Address{Segment: drawn}, words)
	if err != nil {
		return err
	}
	counts, err := readWords(p, rma.Address{Segment: segment}, words)
	if err != nil {
		return err
	}
	n := int64(each * p.Size())
	for i := range words {
		if counts[i] != n || sums[i] != n*(n-1)/2 {
			return fmt.Errorf("%d additions of 1 to word %d make %d and found numbers that add up to %d; expected %d", n, i, counts[i], sums[i], n*(n-1)/2)
		}
	}
	return nil
}

// noticeSequences lets ranks wait in turn for what the other changes.
func noticeSequences(_ *World, p rma.Sequencer) error {
	memory := make([]byte, 16)
	other := rma.Address{Rank: 1 - p.Rank(), Segment: p.Expose(memory)}
	return inTurns(p, memory, func() error {
		op, err := p.Sequence([]rma.Change{{At: other, Reduction: rma.Sum, Operand: 1}})
		return done(p, op, err)
	})
}

// wrongSequences are refused by the call or by Wait, and nothing changes, wherever the wrong change
// stands. What follows is done.
func wrongSequences(_ *World, p rma.Sequencer) error {
	if p.LongestSequence() < 2 {
		return nil
	}
	memory, more := make([]byte, 64), make([]byte, 64)
	segment, crooked := p.Expose(memory), p.Expose(more[1:])
	const other = 1
	good := rma.Change{At: rma.Address{Rank: other, Segment: segment}, Reduction: rma.Sum, Operand: 1}
	at := func(a rma.Address) rma.Change {
		return rma.Change{At: a, Reduction: rma.Sum, Operand: 1}
	}
	wrong := map[string][]rma.Change{"without a change": nil, "that is too long": slices.Repeat([]rma.Change{good}, p.LongestSequence()+1)}
	for what, c := range map[string]rma.Change{
		"at another rank":             at(rma.Address{Rank: 2, Segment: segment}),
		"at a rank that is not":       at(rma.Address{Rank: 3, Segment: segment}),
		"at rank -1":                  at(rma.Address{Rank: -1, Segment: segment}),
		"at an offset of 4":           at(rma.Address{Rank: other, Segment: segment, Offset: 4}),
		"behind the end":              at(rma.Address{Rank: other, Segment: segment, Offset: 64}),
		"before the beginning":        at(rma.Address{Rank: other, Segment: segment, Offset: -8}),
		"in another segment":          at(rma.Address{Rank: other, Segment: crooked}),
		"by an operation that is not": {At: good.At, Reduction: rma.Replace + 1},
	} {
		wrong[what+", first"], wrong[what+", last"] = []rma.Change{c, good}, []rma.Change{good, c}
	}
	wrong["in memory that begins at odd"] = slices.Repeat([]rma.Change{at(rma.Address{Rank: other, Segment: crooked})}, 2)
	wrong["that are not exposed"] = slices.Repeat([]rma.Change{at(rma.Address{Rank: other, Segment: 7})}, 2)
	for what, list := range wrong {
		op, err := p.Sequence(list)
		if err := done(p, op, err); err == nil {
			return fmt.Errorf("sequence with a change %s succeeds", what)
		}
	}
	for _, segment := range []int{segment, crooked} {
		got, err := read(p, rma.Address{Rank: other, Segment: segment}, 63)
		if err != nil {
			return err
		}
		if err := same("memory after what was refused", got, make([]byte, 63)); err != nil {
			return err
		}
	}
	none := good
	none.Operand = 0
	op, err := p.Sequence([]rma.Change{none, none})
	return done(p, op, err)
}
