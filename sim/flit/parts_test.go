package flit

import (
	"math/big"
	"slices"
	"testing"

	"musubi/units"

	"pgregory.net/rapid"
)

// TestClockIsExact compares the clock with exact fractions: no error builds up
// however long a simulation runs.
func TestClockIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flit := units.Bytes(rapid.IntRange(1, 4096).Draw(t, "flit"))
		rate := units.Rate(rapid.Int64Range(1e7, 1e12).Draw(t, "rate"))
		cycle := rapid.Int64Range(0, 1e9).Draw(t, "cycle")
		c := newClock(flit, rate)
		exact := new(big.Rat).SetFrac(big.NewInt(int64(flit)*8), big.NewInt(int64(rate)))
		exact.Mul(exact, new(big.Rat).SetInt64(cycle))
		exact.Mul(exact, new(big.Rat).SetInt64(int64(units.Second)))
		at := new(big.Rat).SetInt64(int64(c.time(cycle)))
		early := new(big.Rat).SetInt64(int64(c.time(cycle)) - 1)
		if at.Cmp(exact) < 0 || early.Cmp(exact) >= 0 {
			t.Errorf("cycle %d begins at %v; want %v rounded up", cycle, c.time(cycle), exact)
		}
		if got := c.cycle(c.time(cycle)); got != cycle {
			t.Errorf("cycle %d begins at a time that belongs to cycle %d", cycle, got)
		}
		if got := c.cycle(c.time(cycle) + 1); got != cycle+1 {
			t.Errorf("just after cycle %d begins cycle %d", cycle, got)
		}
		if got := c.round(c.time(cycle)); got != cycle {
			t.Errorf("%d cycles are rounded to %d", cycle, got)
		}
	})
}

func TestClockRoundsToTheNearestCycle(t *testing.T) {
	c := newClock(8, 6*units.GbitPerSecond) // 10 666.67 ps
	for span, want := range map[units.Time]int64{0: 0, 5333: 0, 5334: 1, 16000: 2, 15999: 1, 32000: 3} {
		if got := c.round(span); got != want {
			t.Errorf("%v is %d cycles, want %d", span, got, want)
		}
	}
}

func TestRingIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		var want []uint32
		for i, push := range rapid.SliceOf(rapid.Bool()).Draw(t, "operations") {
			if push || len(want) == 0 {
				r.push(uint32(i))
				want = append(want, uint32(i))
			} else {
				if r.front() != want[0] {
					t.Fatalf("front %d, want %d", r.front(), want[0])
				}
				r.pop()
				want = want[1:]
			}
			if int(r.size) != len(want) {
				t.Fatalf("%d elements, want %d", r.size, len(want))
			}
		}
	})
}

func TestNextBitIsRoundRobin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mask := rapid.Uint64Range(1, 1<<64-1).Draw(t, "mask")
		from := rapid.Uint8Range(0, 64).Draw(t, "from")
		want := from % 64
		for mask>>want&1 == 0 {
			want = (want + 1) % 64
		}
		if got := nextBit(mask, from); got != want {
			t.Errorf("bit %d of %b from %d on, want %d", got, mask, from, want)
		}
	})
}

func TestBitsetCountsItsElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newBitset(100)
		var want []uint32
		for range rapid.IntRange(0, 50).Draw(t, "operations") {
			i := rapid.Uint32Range(0, 99).Draw(t, "element")
			at := slices.Index(want, i)
			if rapid.Bool().Draw(t, "add") {
				s.add(i)
				if at < 0 {
					want = append(want, i)
				}
			} else {
				s.remove(i)
				if at >= 0 {
					want = slices.Delete(want, at, at+1)
				}
			}
			if s.size != len(want) {
				t.Fatalf("size %d, want %d", s.size, len(want))
			}
		}
	})
}

func TestWheelFindsTheNextCycle(t *testing.T) {
	w := newWheel(9)
	w.addCredit(12, 1)
	w.addStage(20, 2)
	if got := w.next(11); got != 12 {
		t.Errorf("next cycle %d, want 12", got)
	}
	w.clear(w.at(12))
	if got := w.next(12); got != 20 || w.held != 1 {
		t.Errorf("next cycle %d with %d entries, want 20 with 1", got, w.held)
	}
}
