package mpi

import (
	"fmt"
	"slices"

	"musubi/mpi/internal/fault"
)

// Dims divides a number of ranks among the dimensions of a grid for Cart. A dimension
// that is given as 0 is chosen: such that the sum of all is the least, which makes
// them as even as they can be, and the first of them the largest. Others stay.
//
// It fails with ErrDims if the ranks cannot be divided.
func Dims(ranks int, dims ...int) ([]int, error) {
	rest, open := ranks, 0
	for i, d := range dims {
		switch {
		case d < 0:
			return nil, dimsError("dimension %d of %d ranks; expected at least 0", i, d)
		case d == 0:
			open++
		case rest%d != 0:
			return nil, dimsError("%d ranks in dimensions of %v; expected a multiple of their product", ranks, dims)
		default:
			rest /= d
		}
	}
	if ranks < 1 || open == 0 && rest != 1 {
		return nil, dimsError("%d ranks in dimensions of %v; expected as many as their product", ranks, dims)
	}
	chosen := evenFactors(rest, open, rest)
	result := slices.Clone(dims)
	for i, d := range result {
		if d == 0 {
			result[i], chosen = chosen[0], chosen[1:]
		}
	}
	return result, nil
}

func dimsError(format string, args ...any) error {
	return &fault.Error{Class: fault.Dims, Call: "Dims", Rank: -1, Err: fmt.Errorf(format, args...)}
}

// evenFactors returns k factors of n, none above a limit and none above the one before
// it, whose sum is the least; nil if there are none.
func evenFactors(n, k, limit int) []int {
	if k <= 1 {
		if k == 0 || n > limit {
			return nil
		}
		return []int{n}
	}
	var best []int
	least := 0
	for f := min(n, limit); f >= 1; f-- {
		if n%f != 0 {
			continue
		}
		rest := evenFactors(n/f, k-1, f)
		if rest == nil {
			continue
		}
		factors := append([]int{f}, rest...)
		if s := sum(factors); best == nil || s < least {
			best, least = factors, s
		}
	}
	return best
}

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}
