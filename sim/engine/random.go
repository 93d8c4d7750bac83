package engine

import "math/rand/v2"

// NewStream returns a generator of random numbers for one component of a
// simulation. Seeds and numbers that differ in any bit yield unrelated streams:
// PCG takes its seed as its state, and neighbouring states would begin alike.
func NewStream(seed, number uint64) *rand.Rand {
	a := splitMix(seed)
	return rand.New(rand.NewPCG(a, splitMix(a^number)))
}

// splitMix scrambles a number (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, 2014, in the constants of Vigna).
func splitMix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
