// Package dims divides ranks among the dimensions of a grid (MPI 5.0, section 8.5.2).
package dims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Divide returns the dimensions of a grid of some ranks. A dimension that is given as 0 is chosen:
// such that the largest and the smallest differ least, of those with the largest first one, of those with the
// least sum, and each is at most the one before it. Others stay. It fails if the ranks cannot be divided.
func Divide(ranks int, given []int) ([]int, error) {
	rest, open := ranks, 0
	for i, d := range given {
		switch {
		case d < 0:
			return nil, fmt.Errorf("dimension %d of %d ranks; expected at least 0", i, d)
		case d == 0:
			open++
		case rest%d != 0:
			return nil, fmt.Errorf("%d ranks in dimensions of %v; expected a multiple of their product", ranks, given)
		default:
			rest /= d
		}
	}
	if ranks < 1 || open == 0 && rest != 1 {
		return nil, fmt.Errorf("%d ranks in dimensions of %v; expected as many as their product", ranks, given)
	}
	chosen := even(rest, open, rest, divisors(rest), func(a, b []int) int { return a[0] - a[open-1] - (b[0] - b[open-1]) })
	result := slices.Clone(given)
	for i, d := range result {
		if d == 0 {
			result[i], chosen = chosen[0], chosen[1:]
		}
	}
	return result, nil
}

// even returns k factors of n from a list of its divisors, which decrease, none above a limit and none above
// the one before it, that come first in an order, of those the ones with the largest first; nil if there are
// none.
func even(n, k, limit int, divisors []int, order func(a, b []int) int) []int {
	if k <= 1 {
		if k == 0 || n > limit {
			return nil
		}
		return []int{n}
	}
	var best []int
	for i, f := range divisors {
		if f > limit || n%f != 0 {
			continue
		}
		if math.Pow(float64(f), float64(k)) < float64(n)*(1-1e-9) {
			break // all others are at most f
		}
		rest := even(n/f, k-1, f, divisors[i:], lessUneven)
		if rest == nil {
			continue
		}
		factors := append([]int{f}, rest...)
		if best == nil || order(factors, best) < 0 {
			best = factors
		}
	}
	return best
}

// lessUneven orders factors behind one that stays: by the last ones, then by their sums.
func lessUneven(a, b []int) int {
	last := len(a) - 1
	return cmp.Or(b[last]-a[last], sum(a)-sum(b))
}

// divisors returns the divisors of a number from the largest on.
func divisors(n int) (list []int) {
	for d := 1; d <= n/d; d++ {
		if n%d != 0 {
			continue
		}
		if list = append(list, d); d != n/d {
			list = append(list, n/d)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return b - a })
	return list
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}
