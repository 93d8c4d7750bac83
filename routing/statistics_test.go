package routing

import (
	"math/rand/v2"
	"testing"
)

func TestStatisticsOfARing(t *testing.T) {
	// Clockwise on a ring of 5 switches with 2 hosts each: 4 distances of 1 to 4
	// links, 4 pairs of hosts per pair of switches, of which those at distance 1
	// and 2 are shortest.
	s := clockwise(t, newRing(t, 5, 2), 1, func(_, _ int) int { return 0 }).Statistics()
	want := Statistics{
		Pairs:           5 * 4 * 4,
		Hops:            HopStatistics{Mean: 2.5, Max: 4},
		MinimalFraction: 0.5,
		ChannelLoad:     LoadStatistics{Max: 40, Mean: 20}, // one direction is never used
	}
	if s != want {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

// TestStatisticsAgreeWithCountingPairs compares the arithmetic on variants with
// a loop over all pairs of hosts.
func TestStatisticsAgreeWithCountingPairs(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		net := randomNetwork(t, rng, 8)
		r := randomMinimal(t, rng, net, 1)
		if rng.IntN(2) == 0 {
			r = withHoles(t, rng, r)
		}
		if got, want := r.Statistics(), countPairs(r); got != want {
			t.Fatalf("seed %d: got %+v\nwant %+v", seed, got, want)
		}
	}
}

// withHoles copies routes and leaves out some paths.
func withHoles(t *testing.T, rng *rand.Rand, r *Routes) *Routes {
	b, err := NewBuilder(r.Algorithm, r.Net, r.VCs)
	if err != nil {
		t.Fatal(err)
	}
	for src := range r.Net.Switches {
		for dst := range r.Net.Switches {
			if rng.IntN(10) == 0 {
				continue
			}
			r.SwitchPaths(src, dst, func(i, j, rows, cols, id int) {
				if i == 0 && j == 0 {
					b.Variants(src, dst, rows, cols)
				}
				if rng.IntN(5) == 0 {
					b.AddHole()
				} else {
					b.Add(r.PathByID(id), 0)
				}
			})
		}
	}
	return b.Routes()
}

func countPairs(r *Routes) Statistics {
	var s Statistics
	load := make([]int64, r.Net.Channels())
	var hops, minimal, total int64
	for src := range r.Net.Hosts() {
		for dst := range r.Net.Hosts() {
			a, b := r.Net.EndPoints[src].At.Switch, r.Net.EndPoints[dst].At.Switch
			if a == b {
				continue
			}
			s.Pairs++
			p, ok := r.Path(src, dst)
			if !ok {
				s.Unreachable++
				continue
			}
			s.Hops.Max = max(s.Hops.Max, len(p))
			hops += int64(len(p))
			if len(p) == r.Net.Distances(b)[a] {
				minimal++
			}
			for _, h := range p {
				load[h.Channel()]++
			}
		}
	}
	s.MinimalFraction = 1
	if n := s.Pairs - s.Unreachable; n > 0 {
		s.Hops.Mean, s.MinimalFraction = float64(hops)/float64(n), float64(minimal)/float64(n)
	}
	for _, n := range load {
		total += n
		s.ChannelLoad.Max = max(s.ChannelLoad.Max, n)
	}
	s.ChannelLoad.Mean = float64(total) / float64(len(load))
	return s
}
