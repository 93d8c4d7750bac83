package workload

import (
	"fmt"
	"math/bits"
)

// permutations are the traffic patterns that send all packets of one source to
// one destination. Each maps a number of k bits (RHiNET-2 2004, section on
// traffic patterns; Dally and Towles, table 3.1). A source that is mapped to
// itself sends to itself.
var permutations = []struct {
	name string
	even bool // needs an even number of bits
	to   func(a uint, k int) uint
}{
	// a3a2a1a0 to a0a1a2a3
	{"bit-reversal", false, func(a uint, k int) uint { return bits.Reverse(a) >> (bits.UintSize - k) }},
	// a3a2a1a0 to a1a0a3a2: row and column of a matrix change places
	{"transpose", true, func(a uint, k int) uint { return (a>>(k/2) | a<<(k/2)) & (1<<k - 1) }},
	// a3a2a1a0 to a0a2a1a3: first and last bit change places
	{"butterfly", false, func(a uint, k int) uint {
		if k > 0 && a&1 != a>>(k-1)&1 {
			return a ^ (1 | 1<<(k-1))
		}
		return a
	}},
	// a3a2a1a0 to its complement
	{"complement", false, func(a uint, k int) uint { return ^a & (1<<k - 1) }},
}

// permutation returns the destination of each of n sources, or nil if the
// pattern is not a permutation. It fails if n does not fit the pattern.
func permutation(pattern string, n int) ([]int, error) {
	for _, p := range permutations {
		if p.name != pattern {
			continue
		}
		k := bits.Len(uint(n - 1))
		if n != 1<<k {
			return nil, fmt.Errorf("%s permutes a power of two, and there are %d", pattern, n)
		}
		if p.even && k%2 != 0 {
			return nil, fmt.Errorf("%s permutes a power of four, and there are %d", pattern, n)
		}
		to := make([]int, n)
		for a := range to {
			to[a] = int(p.to(uint(a), k))
		}
		return to, nil
	}
	return nil, nil
}
