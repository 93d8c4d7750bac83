package fence

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCounter(t *testing.T) {
	var f Counter
	if ticket := f.Barrier(); !f.Passed(ticket) {
		t.Error("a barrier behind nothing is not passed")
	}
	if f.Acked(0) {
		t.Error("an access is acknowledged that was not issued")
	}
	first := f.Issued()
	early := f.Barrier()
	second := f.Issued()
	late := f.Barrier()
	if again := f.Barrier(); again != late {
		t.Errorf("a second barrier behind the same accesses has ticket %d; expected %d", again, late)
	}
	f.Issued() // covered by none
	if !f.Acked(second) || f.Passed(early) || f.Passed(late) {
		t.Error("a barrier is passed before the first access is acknowledged")
	}
	if f.Acked(second) {
		t.Error("an access is acknowledged twice")
	}
	if !f.Acked(first) || !f.Passed(early) || !f.Passed(late) || f.Outstanding() != 1 {
		t.Error("both barriers should be passed, with one access under way")
	}
}

// fences is a Counter and a naive one, which keeps for each barrier what it covers.
type fences struct {
	Counter
	flying   []flyingAccess
	barriers []naiveBarrier
	issued   int
}

type flyingAccess struct {
	number int
	epoch  uint32
}

type naiveBarrier struct {
	ticket uint32
	covers int // accesses with lower numbers
}

func (f *fences) issue() {
	f.flying = append(f.flying, flyingAccess{f.issued, f.Issued()})
	f.issued++
}

func (f *fences) barrier() { f.barriers = append(f.barriers, naiveBarrier{f.Barrier(), f.issued}) }

func (f *fences) ack(i int) error {
	a := f.flying[i]
	f.flying = slices.Delete(f.flying, i, i+1)
	if !f.Acked(a.epoch) {
		return fmt.Errorf("access %d of epoch %d is not known", a.number, a.epoch)
	}
	return nil
}

// agree compares what each barrier says with what the naive one does.
func (f *fences) agree() error {
	if f.Outstanding() != len(f.flying) {
		return fmt.Errorf("%d accesses are outstanding; expected %d", f.Outstanding(), len(f.flying))
	}
	for i, b := range f.barriers {
		want := !slices.ContainsFunc(f.flying, func(a flyingAccess) bool { return a.number < b.covers })
		if got := f.Passed(b.ticket); got != want {
			return fmt.Errorf("barrier %d, behind %d accesses, is passed: %v; expected %v with %v under way", i, b.covers, got, want, f.flying)
		}
	}
	return nil
}

// TestCounterAgreesWithNaive acknowledges in any order, with epochs that go round.
func TestCounterAgreesWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f fences
		start := rapid.SampledFrom([]uint32{0, math.MaxUint32 - 3, 1<<31 - 3}).Draw(t, "first epoch")
		f.oldest, f.current = start, start
		for range rapid.IntRange(1, 200).Draw(t, "events") {
			switch event := rapid.IntRange(0, 3).Draw(t, "event"); {
			case event < 2:
				f.issue()
			case event == 2:
				f.barrier()
			case len(f.flying) > 0:
				if err := f.ack(rapid.IntRange(0, len(f.flying)-1).Draw(t, "access")); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.agree(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestCounterInEveryOrder tries all sequences of up to eight events, and with them all
// orders of acknowledgements.
func TestCounterInEveryOrder(t *testing.T) {
	cases := 0
	var try func(f *fences, events int)
	try = func(f *fences, events int) {
		if err := f.agree(); err != nil {
			t.Fatal(err)
		}
		cases++
		if events == 0 {
			return
		}
		next := f.clone()
		next.issue()
		try(next, events-1)
		next = f.clone()
		next.barrier()
		try(next, events-1)
		for i := range f.flying {
			next := f.clone()
			if err := next.ack(i); err != nil {
				t.Fatal(err)
			}
			try(next, events-1)
		}
	}
	try(&fences{}, 8)
	t.Logf("%d cases", cases)
}

func (f *fences) clone() *fences {
	c := *f
	c.more, c.flying, c.barriers = slices.Clone(f.more), slices.Clone(f.flying), slices.Clone(f.barriers)
	return &c
}

// An acknowledgement of an epoch in which nothing is under way changes nothing.
func TestCounterIgnoresEpochsWithoutAccesses(t *testing.T) {
	var f fences
	for range 3 {
		f.issue()
		f.barrier()
	}
	for _, epoch := range []uint32{f.oldest - 1, f.current, f.current + 1, f.oldest + 1<<31} {
		if f.Acked(epoch) {
			t.Errorf("epoch %d has accesses; expected them in %d to %d", epoch, f.oldest, f.current-1)
		}
	}
	if err := f.agree(); err != nil {
		t.Error(err)
	}
}
