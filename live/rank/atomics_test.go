package rank

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"musubi/live/livetest"
	"musubi/onesided"
	"musubi/rma"
)

// usualWorlds have each of the ways in which words are reached, and two of them at once. The others
// combine the same ways with other lengths of rings and other ways to wait, and are for -long.
var usualWorlds = []string{"windows", "small arenas", "small rings", "each alone/small rings", "in pairs/windows"}

// onWorlds runs a program on a number of ranks in the ways in which words are reached:
// directly, by the rings, and by streams, also all of them at once. With the race detector these
// are two: what differs otherwise is the same code with other sizes.
func onWorlds(t *testing.T, ranks int, program func(rma.Process) error) {
	isLeftOut := func(name string) bool { return slices.Contains(usualWorlds, name) == *long }
	for name, v := range variants {
		if isLeftOut(name) || livetest.Race && name != "small rings" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if err := inProcess(v, ranks, program); err != nil {
				t.Error(err)
			}
		})
	}
	for name, groupOf := range mixes {
		for _, v := range []string{"small rings", "windows"} {
			name := name + "/" + v
			if isLeftOut(name) || livetest.Race && name != "in pairs/windows" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				if err := newTestJob(t, variants[v], ranks, groupOf).run(program); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestChangesOfWords(t *testing.T) {
	const word, operand = 5, 6
	for by, want := range map[rma.Reduction]int64{
		rma.NoOp: 5, rma.Sum: 11, rma.Min: 5, rma.Max: 6, rma.And: 4, rma.Or: 7, rma.Xor: 3, rma.Replace: 6,
	} {
		got := int64(word)
		if was := modifyWord(&got, &onesided.Atomic{Reduction: by, Operand: operand}); was != word || got != want {
			t.Errorf("%v of %d and %d is %d, and the word was %d; expected %d", by, word, operand, got, was, want)
		}
	}
	for _, expected := range []int64{word, word + 1} {
		got, want := int64(word), int64(word)
		if expected == word {
			want = operand
		}
		if was := modifyWord(&got, &onesided.Atomic{Compare: true, Expected: expected, Operand: operand}); was != word || got != want {
			t.Errorf("%d in place of %d if that is %d: %d, and the word was %d; expected %d", operand, word, expected, got, was, want)
		}
	}
}

// Every number that a counter has is drawn once, whoever draws and however the word is
// reached.
func TestCountersCountEachDraw(t *testing.T) {
	const ranks, draws = 4, 200
	onWorlds(t, ranks, func(p rma.Process) error {
		a := p.(rma.Atomics)
		window, _, err := p.ExposeWindow(16)
		if err != nil {
			return err
		}
		mine := make([]int64, ranks*draws+1) // how many have drawn, and how often each number was
		memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(mine))), 8*len(mine))
		numbers := p.Expose(memory)
		for range draws {
			var number int64
			op, err := a.FetchOp(rma.Address{Rank: 1, Segment: window, Offset: 8}, rma.Sum, 1, &number)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
			op, err = a.FetchOp(rma.Address{Rank: 1, Segment: numbers, Offset: 8 * int(number+1)}, rma.Sum, 1, nil)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
		}
		if op, err := a.FetchOp(rma.Address{Rank: 1, Segment: numbers}, rma.Sum, 1, nil); err != nil || p.Rank() != 1 {
			return errors.Join(err, p.Wait(op))
		}
		if err := p.WaitUntil(func() bool { return mine[0] == ranks }); err != nil {
			return err
		}
		if i := slices.IndexFunc(mine[1:], func(n int64) bool { return n != 1 }); i >= 0 {
			return fmt.Errorf("number %d was drawn %d times; expected once", i, mine[1+i])
		}
		return nil
	})
}

// What one rank does to a word takes place in the order in which it was started, waited
// for or not, also where the way to the word changes: rank 1 exposes its window when some
// of that is on its way already, and takes none of it before more has been started.
func TestChangesOfAWordKeepTheirOrder(t *testing.T) {
	const changes = 100 // before the window is there, and as many behind that
	step := make(chan struct{})
	onWorlds(t, 2, func(p rma.Process) error {
		if p.Rank() == 1 {
			<-step
			_, _, err := p.ExposeWindow(8)
			step <- struct{}{}
			<-step
			return err
		}
		window, _, err := p.ExposeWindow(8)
		was := make([]int64, 2*changes)
		replace := func(begin int) {
			for i := begin; i < begin+changes && err == nil; i++ {
				was[i] = -1
				_, err = p.(rma.Atomics).FetchOp(rma.Address{Rank: 1, Segment: window}, rma.Replace, int64(i+1), &was[i])
			}
		}
		replace(0)
		step <- struct{}{}
		<-step
		replace(changes)
		step <- struct{}{}
		op, fenceErr := p.(*Rank).Fence()
		if err := errors.Join(err, fenceErr, p.Wait(op)); err != nil {
			return err
		}
		for i, got := range was {
			if got != int64(i) {
				return fmt.Errorf("change %d of %d finds %d; expected %d, what the one before has written", i, len(was), got, i)
			}
		}
		return nil
	})
}

func TestChangesThatThereIsNoWordFor(t *testing.T) {
	onWorlds(t, 3, func(p rma.Process) error {
		memory := make([]byte, 33)
		even := p.Expose(memory[:32])
		odd := p.Expose(memory[1:])
		window, _, err := p.ExposeWindow(32)
		if err != nil || p.Rank() > 0 {
			return err
		}
		for target := range p.Size() {
			for _, c := range []struct {
				segment, offset int
				want            string
			}{
				{even, 25, "reach beyond the 32 bytes"},
				{even, 32, "reach beyond the 32 bytes"},
				{even, -8, "reach beyond the 32 bytes"},
				{even, 4, "no word of 8 bytes begins at"},
				{odd, 0, "no word of 8 bytes begins at"},
				{odd, 7, "no word of 8 bytes begins at"},
				{window, 12, "no word of 8 bytes begins at"},
				{window, 32, "reach beyond the 32 bytes"},
				{window + 1, 0, "is not exposed"},
				{-1, 0, "is not exposed"},
			} {
				at, untouched := rma.Address{Rank: target, Segment: c.segment, Offset: c.offset}, int64(7)
				op, err := p.(rma.Atomics).CompareSwap(at, 0, 1, &untouched)
				if err == nil {
					err = p.Wait(op)
				}
				if err == nil || !strings.Contains(err.Error(), c.want) || untouched != 7 {
					return fmt.Errorf("compare and swap at %v: %v, and %d is found; expected %q", at, err, untouched, c.want)
				}
			}
		}
		return nil
	})
}

func TestChangesThatAreNone(t *testing.T) {
	if err := inProcess(variants["windows"], 1, func(p rma.Process) error {
		window, _, err := p.ExposeWindow(8)
		if err != nil {
			return err
		}
		at := rma.Address{Segment: window}
		if _, err := p.(rma.Atomics).FetchOp(at, rma.Replace+1, 1, nil); err == nil || !strings.Contains(err.Error(), "FetchOp by reduction 8; expected barrier to replace") {
			t.Errorf("a reduction that there is not: %v", err)
		}
		at.Rank = 1
		if _, err := p.(rma.Atomics).CompareSwap(at, 1, 1, nil); err == nil || !strings.Contains(err.Error(), "no rank 1") {
			t.Errorf("a rank that there is not: %v", err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestChangesDoNotAllocate(t *testing.T) {
	skipCountsWithRace(t)
	j := newTestJob(t, variants["windows"], 3, func(rank int) int { return rank / 2 }) // 2 is of another group
	err := j.run(func(p rma.Process) error {
		window, _, err := p.ExposeWindow(8)
		other := p.Expose(make([]byte, 8))
		if err != nil || p.Rank() > 0 {
			return err
		}
		a, was := p.(rma.Atomics), int64(0)
		for _, at := range []rma.Address{{Segment: window}, {Segment: other}, {Rank: 1, Segment: window}, {Rank: 1, Segment: other}} {
			var failed error
			got := testing.AllocsPerRun(10, func() { // on one processor, which each rank has for 10 ms
				op, err := a.FetchOp(at, rma.Sum, 1, &was)
				failed = errors.Join(err, p.Wait(op))
			})
			if got != 0 || failed != nil {
				t.Errorf("a change at %v allocates %v times: %v", at, got, failed)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A rank that tries again and again to change a word, its own or that of another, does what
// others want meanwhile.
func TestWhoTriesInVainHoldsUpNobody(t *testing.T) {
	onWorlds(t, 2, func(p rma.Process) error {
		window, _, err := p.ExposeWindow(16)
		if err != nil {
			return err
		}
		for _, segment := range []int{window, p.Expose(make([]byte, 16))} {
			for target := range p.Size() {
				at := rma.Address{Rank: target, Segment: segment}
				if err := pullThenFree(p.(rma.Atomics), at, segment); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// pullThenFree lets rank 1 wait until a word is 1, which rank 0 sees to when it has read
// something from a segment of rank 1.
func pullThenFree(a rma.Atomics, at rma.Address, segment int) error {
	if a.Rank() == 1 {
		for was := int64(0); was != 1; {
			op, err := a.CompareSwap(at, 1, 2, &was)
			if err := errors.Join(err, a.Wait(op)); err != nil {
				return err
			}
		}
		return nil
	}
	op, err := a.Pull(rma.Address{Rank: 1, Segment: segment}, make([]byte, 16))
	if err := errors.Join(err, a.Wait(op)); err != nil {
		return err
	}
	op, err = a.FetchOp(at, rma.Replace, 1, nil)
	return errors.Join(err, a.Wait(op))
}

// So does one that has borrowed a message before, and takes no records until it gives that
// back: it does when it waits, also for what is done at once.
func TestWhoTriesInVainGivesBackWhatItHasBorrowed(t *testing.T) {
	onWorlds(t, 2, func(p rma.Process) error {
		window, _, err := p.ExposeWindow(8)
		if err != nil {
			return err
		}
		p.Expose(make([]byte, 16))
		m := p.(rma.Messenger)
		if p.Rank() == 0 {
			if sent, err := m.IPushCopy(1, nil, []byte("borrowed")); !sent || err != nil {
				return fmt.Errorf("sent: %v, error %w", sent, err)
			}
		} else if _, _, err := m.NextInPlace(); err != nil {
			return err
		}
		return pullThenFree(p.(rma.Atomics), rma.Address{Rank: 1, Segment: window}, window+1)
	})
}
