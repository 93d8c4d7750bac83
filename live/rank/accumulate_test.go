package rank

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"musubi/live/livetest"
	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
)

// Words are changed as they are one by one, also by operands that are at no place for words.
func TestChangesOfManyWords(t *testing.T) {
	memory := append(make([]byte, 1), words64(6, 1<<63, 0)...)
	operands := memory[1:]
	for by := onesided.NoOp; by <= onesided.Replace; by++ {
		words := []int64{5, -1, 3}
		want, was := slices.Clone(words), make([]byte, 1+3*onesided.WordSize)
		for i := range want {
			change := onesided.Atomic{Reduction: by, Operand: wordAt(operands, i)}
			want[i] = change.Apply(want[i])
		}
		modifyWords(words, by, operands, was[1:])
		if !slices.Equal(words, want) || wordAt(was[1:], 0) != 5 || wordAt(was[1:], 2) != 3 {
			t.Errorf("reduction %d makes %d of words, which were % x; expected %d", by, words, was[1:], want)
		}
	}
}

// wordsOfAll is how many words the tests change at once: those of several frames.
const wordsOfAll = 3 * wire.MaxLong / onesided.WordSize

// Who asks for words that it must not change, or that are none, is told why, and nothing of
// what it has for the answer changes.
func TestAccumulatesThatAreRefusedSayWhy(t *testing.T) {
	onWorlds(t, 3, func(p rma.Process) error {
		memory := make([]byte, 8*wordsOfAll+1)
		even := p.Expose(memory[:8*wordsOfAll])
		odd := p.Expose(memory[1:])
		window, _, err := p.ExposeWindow(8 * wordsOfAll)
		if err != nil || p.Rank() > 0 {
			return err
		}
		for target := range p.Size() {
			for _, c := range []struct {
				segment, offset, words int
				want                   string
			}{
				{even, 8, wordsOfAll, fmt.Sprintf("rma: %d bytes at rank %d segment %d offset 8 reach beyond the %d bytes of the segment", 8*wordsOfAll, target, even, 8*wordsOfAll)},
				{window, 16, wordsOfAll - 1, fmt.Sprintf("reach beyond the %d bytes", 8*wordsOfAll)},
				{even, -8, 2, "reach beyond"},
				{even, 4, 2, "rma: no word of 8 bytes begins at"},
				{odd, 0, wordsOfAll, "rma: no word of 8 bytes begins at"},
				{window, 12, 2, "no word of 8 bytes begins at"},
				{window + 1, 0, wordsOfAll, "is not exposed"},
				{-1, 0, 2, "is not exposed"},
			} {
				at := rma.Address{Rank: target, Segment: c.segment, Offset: c.offset}
				was := slices.Repeat([]int64{7}, c.words)
				op, err := p.(rma.Accumulator).Accumulate(at, rma.Replace, make([]int64, c.words), was)
				if err == nil {
					err = p.Wait(op)
				}
				if err == nil || !strings.Contains(err.Error(), c.want) || slices.ContainsFunc(was, func(w int64) bool { return w != 7 }) {
					return fmt.Errorf("accumulate of %d words at %v: %v, or something is found; expected %q", c.words, at, err, c.want)
				}
			}
		}
		return nil
	})
}

func TestAccumulatesThatAreNone(t *testing.T) {
	if err := inProcess(variants["windows"], 1, func(p rma.Process) error {
		window, _, err := p.ExposeWindow(16)
		if err != nil {
			return err
		}
		a, at := p.(rma.Accumulator), rma.Address{Segment: window}
		if _, err := a.Accumulate(at, rma.Replace+1, make([]int64, 2), nil); err == nil || !strings.Contains(err.Error(), "Accumulate by reduction 8; expected barrier to replace") {
			t.Errorf("a reduction that there is not: %v", err)
		}
		if _, err := a.Accumulate(at, rma.Sum, make([]int64, 2), make([]int64, 1)); err == nil || !strings.Contains(err.Error(), "Accumulate of 2 operands with room for 1 words; expected as many, or none") {
			t.Errorf("room for one of two words: %v", err)
		}
		at.Rank = 1
		if _, err := a.Accumulate(at, rma.Sum, make([]int64, 2), nil); err == nil || !strings.Contains(err.Error(), "no rank 1") {
			t.Errorf("a rank that there is not: %v", err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestAccumulatesDoNotAllocate(t *testing.T) {
	skipCountsWithRace(t)
	for _, by := range []wire.Protection{wire.Sealed, wire.Unprotected} { // TLS allocates
		v := variants["windows"]
		v.by = by
		j := newTestJob(t, v, 3, func(rank int) int { return rank / 2 }) // 2 is of another group
		err := j.run(func(p rma.Process) error {
			window, _, err := p.ExposeWindow(8 * wordsOfAll)
			other := p.Expose(make([]byte, 8*wordsOfAll))
			if err != nil || p.Rank() > 0 {
				return err
			}
			for _, words := range []int{2, wordsOfAll} {
				for _, at := range []rma.Address{{Segment: window}, {Segment: other}, {Rank: 1, Segment: window}, {Rank: 1, Segment: other}, {Rank: 2, Segment: other}} {
					if err := hardlyAllocates(p.(rma.Accumulator), at, words); err != nil {
						t.Errorf("protection %d: %v", by, err)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// hardlyAllocates changes words again and again, and fails if that allocates most times once
// buffers have their size. Others may allocate meanwhile, on a busy machine for long: the best of
// some attempts counts.
func hardlyAllocates(a rma.Accumulator, at rma.Address, words int) error {
	const rounds, attempts = 50, 5
	operands := make([]int64, words)
	fewest := uint64(math.MaxUint64)
	for attempt := 0; attempt <= attempts && fewest > rounds/2; attempt++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			op, err := a.Accumulate(at, rma.Sum, operands, operands)
			if err := errors.Join(err, a.Wait(op)); err != nil {
				return err
			}
		}
		runtime.ReadMemStats(&after)
		if attempt > 0 { // in the first one buffers get their size
			fewest = min(fewest, after.Mallocs-before.Mallocs)
		}
	}
	if fewest > rounds/2 {
		return fmt.Errorf("%d accumulates of %d words at %v allocate %d times; want at most %d", rounds, words, at, fewest, rounds/2)
	}
	return nil
}

// However many accumulates their target has not taken yet, nothing of them is lost, and what
// they read is what was there when they were started.
func TestAccumulatesThatMustWait(t *testing.T) {
	const many = 12
	step := make(chan struct{})
	onWorlds(t, 2, func(p rma.Process) error {
		memory := make([]byte, 8*wordsOfAll)
		segment := p.Expose(memory)
		if p.Rank() == 1 {
			<-step
			return nil
		}
		operands := make([]int64, wordsOfAll)
		var ops [many]rma.Op
		var was [many][]int64
		var err error
		for i := range ops {
			for j := range operands {
				operands[j] = int64(i*wordsOfAll + j + 1)
			}
			if i%2 == 0 {
				was[i] = make([]int64, wordsOfAll)
			}
			if ops[i], err = p.(rma.Accumulator).Accumulate(rma.Address{Rank: 1, Segment: segment}, rma.Replace, operands, was[i]); err != nil {
				return err
			}
		}
		clear(operands)
		step <- struct{}{}
		if err := livetest.WaitAll(p, ops[:]); err != nil {
			return err
		}
		for i := 2; i < many; i += 2 {
			for j, got := range was[i] {
				if want := int64((i-1)*wordsOfAll + j + 1); got != want {
					return fmt.Errorf("accumulate %d finds %d in word %d; expected %d, what the one before has written", i, got, j, want)
				}
			}
		}
		return nil
	})
}

// A segment stays in use from the first operands to the last.
func TestSegmentsAreInUseWhileOperandsCome(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, 0)
	r, s, _ := withStream(t, id)
	memory := make([]byte, 32)
	segment := r.Expose(memory)
	take := func(p said) {
		t.Helper()
		s.Packets = p.of(id).append(nil)
		r.far.Taking = true
		s.TakePackets()
		r.far.Taking = false
		if s.Lost != nil {
			t.Fatal(s.Lost)
		}
	}
	take(say(wire.Accumulate, &wire.AccumulateFields{Total: 32, Change: uint64(onesided.Sum)}, words64(1, 2, 3)...))
	if !r.isUsed(segment) {
		t.Error("the segment is not in use though operands are still to come")
	}
	take(say(wire.Operands, nil, words64(4)...).numbered(1))
	if r.isUsed(segment) {
		t.Error("the segment is still in use though all operands have come")
	}
	if want := string(words64(1, 2, 3, 4)); string(memory) != want {
		t.Errorf("the words are % x; expected 1 to 4", memory)
	}
}

// An answer that comes before what it answers has been sent as a whole ends the connection: the
// operation would be over, and its number given to another one.
func TestAnswersBeforeTheirRequestEndTheConnection(t *testing.T) {
	for name, answer := range map[string]said{
		"of a pull":          say(wire.Answer, &wire.AnswerFields{Slot: 1}, 1),
		"of an accumulate":   say(wire.Answer, &wire.AnswerFields{Slot: 0}),
		"that tells of none": say(wire.Answer, &wire.AnswerFields{Failed: wire.Report{Code: wire.NotExposed}}),
	} {
		t.Run(name, func(t *testing.T) {
			id, _ := livetest.TestIdentity(t, 1, 0)
			r, s, _ := withStream(t, id)
			operands := make([]int64, 1<<20)
			if _, err := r.Accumulate(rma.Address{Rank: 1}, rma.Sum, operands, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Pull(rma.Address{Rank: 1}, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			s.Packets = answer.of(id).append(nil)
			s.TakePackets()
			if s.Lost == nil {
				t.Error("the answer is taken")
			}
		})
	}
}
