package traffic

import (
	"fmt"
	"math/bits"

	"musubi/workload"
)

// places are what a pattern sends between: switches in the closed loop, end points in the open one.
type places struct {
	n    int
	each int   // places of one switch, which follow each other
	dims []int // switches along each dimension of a regular network, the first fastest; nil: all in one ring
	// groupOf is the group of switches of a place; nil: there are no groups.
	groupOf func(place int) int
}

// permutations are the traffic patterns that send all packets of one source to one destination. A
// source that is mapped to itself sends to itself.
var permutations = []struct {
	name string
	to   func(p places) (func(a int) int, error)
}{
	// a3a2a1a0 to a0a1a2a3
	{"bit-reversal", ofBits(1, func(a uint, k int) uint { return bits.Reverse(a) >> (bits.UintSize - k) })},
	// a3a2a1a0 to a1a0a3a2: row and column of a matrix change places
	{"transpose", ofBits(2, func(a uint, k int) uint { return (a>>(k/2) | a<<(k/2)) & (1<<k - 1) })},
	// a3a2a1a0 to a0a2a1a3: first and last bit change places
	{"butterfly", ofBits(1, func(a uint, k int) uint {
		if k > 0 && a&1 != a>>(k-1)&1 {
			return a ^ (1 | 1<<(k-1))
		}
		return a
	})},
	// a3a2a1a0 to its complement
	{"complement", ofBits(1, func(a uint, k int) uint { return ^a & (1<<k - 1) })},
	// a3a2a1a0 to a2a1a0a3
	{"shuffle", ofBits(1, func(a uint, k int) uint { return (a<<1 | a>>max(k-1, 0)) & (1<<k - 1) })},
	// almost halfway round in each dimension: a ring then carries all in one direction
	{"tornado", ofDigits(func(k int) int { return (k+1)/2 - 1 })},
	{"neighbour", ofDigits(func(int) int { return 1 })},
}

// ofBits makes a pattern of a mapping of numbers of k bits, k being a multiple of some number (RHiNET-2
// 2004, section on traffic patterns; Dally and Towles, table 3.1).
func ofBits(multiple int, to func(a uint, k int) uint) func(p places) (func(int) int, error) {
	return func(p places) (func(int) int, error) {
		k := bits.Len(uint(p.n - 1))
		if p.n != 1<<k {
			return nil, fmt.Errorf("permutes a power of two, and there are %d", p.n)
		}
		if k%multiple != 0 {
			return nil, fmt.Errorf("permutes a power of four, and there are %d", p.n)
		}
		return func(a int) int { return int(to(uint(a), k)) }, nil
	}
}

// ofDigits makes a pattern that goes a distance in each dimension of k switches, round its end (Dally
// and Towles, table 3.1). Places of a switch send to places of the same number at another.
func ofDigits(distance func(k int) int) func(p places) (func(int) int, error) {
	return func(p places) (func(int) int, error) {
		each, dims := p.each, p.dims
		if dims == nil {
			each, dims = 1, []int{p.n}
		}
		return func(a int) int {
			to, stride := a%each, each
			for _, k := range dims {
				to += (a/stride%k + distance(k)) % k * stride
				stride *= k
			}
			return to
		}, nil
	}
}

// permutation returns the destination of each place, or nil if the pattern is not a permutation. It
// fails if the places do not fit the pattern.
func permutation(pattern string, p places) ([]int, error) {
	for _, known := range permutations {
		if known.name != pattern {
			continue
		}
		destination, err := known.to(p)
		if err != nil {
			return nil, fmt.Errorf("%s %w", pattern, err)
		}
		to := make([]int, p.n)
		for a := range to {
			to[a] = destination(a)
		}
		return to, nil
	}
	return nil, nil
}

// placesOf returns n places, of which each is attached to a switch. They lie along the dimensions of
// the network if all switches have as many, in order.
func placesOf(env workload.Env, n int, switchOf func(place int) int) places {
	ring := places{n: n, each: 1}
	if groups := env.Groups; groups != nil {
		ring.groupOf = func(place int) int { return int(groups[switchOf(place)]) }
	}
	switches := 1
	for _, k := range env.Dims {
		switches *= k
	}
	if env.Dims == nil || n%switches != 0 {
		return ring
	}
	each := n / switches
	for place := range n {
		if switchOf(place) != place/each {
			return ring
		}
	}
	return places{n: n, each: each, dims: env.Dims}
}
