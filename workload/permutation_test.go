package workload

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// bits4 makes a number of the bits a3, a2, a1 and a0.
func bits4(a3, a2, a1, a0 int) int { return a3<<3 | a2<<2 | a1<<1 | a0 }

// The patterns as the RHiNET-2 paper writes them, for 16 switches.
func TestPermutationsOfTheRHiNET2Paper(t *testing.T) {
	paper := map[string]func(a3, a2, a1, a0 int) int{
		"bit-reversal": func(a3, a2, a1, a0 int) int { return bits4(a0, a1, a2, a3) },
		"transpose":    func(a3, a2, a1, a0 int) int { return bits4(a1, a0, a3, a2) },
		"butterfly":    func(a3, a2, a1, a0 int) int { return bits4(a0, a2, a1, a3) },
		"complement":   func(a3, a2, a1, a0 int) int { return bits4(1-a3, 1-a2, 1-a1, 1-a0) },
	}
	for name, to := range paper {
		got, err := permutation(name, 16)
		if err != nil {
			t.Fatal(err)
		}
		for a := range 16 {
			if want := to(a>>3&1, a>>2&1, a>>1&1, a&1); got[a] != want {
				t.Errorf("%s of %04b: got %04b, want %04b", name, a, got[a], want)
			}
		}
	}
}

func TestPermutationsAreInvolutions(t *testing.T) {
	for _, p := range permutations {
		for k := range 12 {
			to, err := permutation(p.name, 1<<k)
			if p.even && k%2 == 1 {
				if err == nil {
					t.Errorf("%s of %d: no error", p.name, 1<<k)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for a := range to {
				if to[to[a]] != a {
					t.Errorf("%s of %d: %d goes to %d, and that to %d", p.name, 1<<k, a, to[a], to[to[a]])
				}
			}
		}
	}
}

func TestTransposeExchangesRowAndColumn(t *testing.T) {
	const side = 8
	to, err := permutation("transpose", side*side)
	if err != nil {
		t.Fatal(err)
	}
	for a := range to {
		if want := a%side*side + a/side; to[a] != want {
			t.Errorf("%d goes to %d, want %d", a, to[a], want)
		}
	}
}

func TestRandomDestinations(t *testing.T) {
	const n, draws = 10, 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	count := func(pattern string, hot hotspot) []float64 {
		make, err := destinations(pattern, n, hot)
		if err != nil {
			t.Fatal(err)
		}
		next, share := make(), [n]float64{}
		for range draws {
			share[next(3, n, rng.IntN)] += 1. / draws
		}
		return share[:]
	}
	want := func(pattern string, got []float64, to func(d int) float64) {
		for d, share := range got {
			if w := to(d); share < w-0.01 || share > w+0.01 {
				t.Errorf("%s: %v of the packets go to %d, want %v", pattern, share, d, w)
			}
		}
	}
	equal := func(int) float64 { return 1. / n }
	want("uniform", count("uniform", hotspot{}), equal)
	want("all-to-all", count("all-to-all", hotspot{}), equal)
	want("hotspot", count("hotspot", hotspot{7, 0.3}), func(d int) float64 {
		if d == 7 {
			return 0.3 + 0.7/n
		}
		return 0.7 / n
	})
}

func TestAllToAllTakesTurns(t *testing.T) {
	next := rotation()
	var got []int
	for range 6 {
		got = append(got, next(2, 4, nil))
	}
	if want := []int{3, 0, 1, 2, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
