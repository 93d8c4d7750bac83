package mbc

import (
	"testing"

	"pgregory.net/rapid"
)

func TestOnce(t *testing.T) {
	var o Once
	for _, test := range []struct {
		source, sequence uint16
		fresh            bool
	}{
		{0, 0, true}, {0, 0, false}, {1, 0, true}, {0, 2, true}, {0, 1, true}, {0, 1, false},
		{0, 65535, true}, {0, 500, true}, {0, 500, false}, {0, 437, true}, {0, 437, false},
	} {
		if seen := o.Seen(test.source, test.sequence); seen == test.fresh {
			t.Errorf("number %d of %d is seen: %v; expected %v", test.sequence, test.source, seen, !test.fresh)
		}
		if got := o.Fresh(test.source, test.sequence); got != test.fresh {
			t.Errorf("number %d of %d is fresh: %v; expected %v", test.sequence, test.source, got, test.fresh)
		}
	}
}

// farthestJump is how far a number can be from the last one that has come.
const farthestJump = 1<<16 - OnceWindow

// TestOnceAgreesWithNaive lets sources number their multicasts, of which the receiver is
// among the targets of some, and copies come in any order, as often as they like, while
// their window is not left.
func TestOnceAgreesWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o Once
		naive := map[[2]int]bool{}
		var next, last [3]int // oldest number under way and highest that has come, of each source
		for source := range next {
			next[source] = rapid.IntRange(0, 1<<16).Draw(t, "first number")
			last[source] = next[source]
		}
		for range rapid.IntRange(1, 300).Draw(t, "events") {
			source := rapid.IntRange(0, len(next)-1).Draw(t, "source")
			steps := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 5), rapid.SampledFrom([]int{63, 64, 65, 1<<15 - 1, 1 << 15, farthestJump - 63, farthestJump})).Draw(t, "completed")
			next[source] = min(next[source]+steps, last[source]+farthestJump-OnceWindow+1)
			number := next[source] + rapid.IntRange(0, OnceWindow-1).Draw(t, "ahead")
			key := [2]int{source, number}
			seen, fresh := o.Seen(uint16(source), uint16(number)), o.Fresh(uint16(source), uint16(number))
			if seen != naive[key] || fresh == naive[key] {
				t.Fatalf("number %d of %d is seen: %v, fresh: %v; the naive filter has seen it: %v", number, source, seen, fresh, naive[key])
			}
			naive[key] = true
			last[source] = max(last[source], number)
		}
	})
}
