package traffic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/workload"
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
		got, err := permutation(name, places{n: 16, each: 1})
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

// Patterns of bits are their own inverse, but for shuffle, which is the identity after as many steps
// as there are bits.
func TestPermutationsOfBitsComeBack(t *testing.T) {
	for _, name := range []string{"bit-reversal", "transpose", "butterfly", "complement", "shuffle"} {
		for k := range 12 {
			to, err := permutation(name, places{n: 1 << k, each: 1})
			if name == "transpose" && k%2 == 1 {
				if err == nil {
					t.Errorf("%s of %d: no error", name, 1<<k)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			steps := 2
			if name == "shuffle" {
				steps = k
			}
			for a := range to {
				at := a
				for range steps {
					at = to[at]
				}
				if at != a {
					t.Errorf("%s of %d: %d goes to %d after %d steps", name, 1<<k, a, at, steps)
				}
			}
		}
	}
}

// The patterns of digits on a torus of 8x4 switches with two end points each, and in one ring.
func TestPermutationsOfDigits(t *testing.T) {
	at := func(host, x, y int) int { return host + 2*(x+8*y) }
	torus := placesOf(workload.Env{Dims: []int{8, 4}}, 64, func(place int) int { return place / 2 })
	for _, test := range []struct {
		pattern  string
		p        places
		from, to int
	}{
		{"tornado", torus, at(1, 0, 0), at(1, 3, 1)},
		{"tornado", torus, at(0, 6, 3), at(0, 1, 0)},
		{"neighbour", torus, at(1, 7, 2), at(1, 0, 3)},
		{"tornado", places{n: 7, each: 1}, 5, 1},
		{"neighbour", places{n: 7, each: 1}, 6, 0},
		{"tornado", placesOf(workload.Env{Dims: []int{8, 4}}, 64, func(place int) int { return place / 4 }), 40, 40 + 31 - 64},
	} {
		to, err := permutation(test.pattern, test.p)
		if err != nil || to[test.from] != test.to {
			t.Errorf("%s on %+v: %d goes to %v, %v; want %d", test.pattern, test.p, test.from, to[test.from], err, test.to)
		}
		sorted := slices.Clone(to)
		if slices.Sort(sorted); !slices.IsSorted(sorted) || len(slices.Compact(sorted)) != test.p.n {
			t.Errorf("%s on %+v is no permutation", test.pattern, test.p)
		}
	}
}

func TestTransposeExchangesRowAndColumn(t *testing.T) {
	const side = 8
	to, err := permutation("transpose", places{n: side * side, each: 1})
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
		make, err := destinations(pattern, places{n: n, each: 1}, hot)
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
	want("incast", count("incast", hotspot{target: 7}), func(d int) float64 {
		if d == 7 {
			return 1
		}
		return 0
	})
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
