package dims

import (
	"cmp"
	"slices"
	"testing"
)

// all calls a function with each list of k factors of n, none above the one before it, from those
// with the largest first on.
func all(n, k, limit int, do func(list []int)) {
	if k == 1 {
		if n <= limit {
			do([]int{n})
		}
		return
	}
	for f := min(n, limit); f >= 1; f-- {
		if n%f == 0 {
			all(n/f, k-1, f, func(rest []int) { do(append([]int{f}, rest...)) })
		}
	}
}

func differ(list []int) int { return slices.Max(list) - slices.Min(list) }

// No factors differ less, none that differ as much have a larger first one, and none of those a smaller sum.
func TestFactorsAreTheMostEven(t *testing.T) {
	for k := 1; k <= 4; k++ {
		for n := 1; n <= 400; n++ {
			var best []int
			all(n, k, n, func(list []int) {
				if best == nil || cmp.Or(differ(list)-differ(best), best[0]-list[0], sum(list)-sum(best)) < 0 {
					best = list
				}
			})
			if got, err := Divide(n, make([]int, k)); err != nil || !slices.Equal(got, best) {
				t.Fatalf("%d in %d dimensions: %v, %v; expected %v", n, k, got, err, best)
			}
		}
	}
}

// Large numbers take no time: their divisors are few.
func TestLargeNumbers(t *testing.T) {
	for n, want := range map[int][]int{
		1 << 30:       {1 << 10, 1 << 10, 1 << 10},
		5040:          {21, 16, 15},
		6552:          {24, 21, 13}, // not 26, 18, 14
		21600:         {30, 30, 24},
		76908:         {52, 51, 29}, // not 58, 39, 34
		19008:         {33, 24, 24},
		2147483647:    {2147483647, 1, 1}, // a prime
		1000003 * 997: {1000003, 997, 1},
	} {
		if got, err := Divide(n, make([]int, 3)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d: %v, %v; expected %v", n, got, err, want)
		}
	}
}
