package routing_test

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/internal/routetest"
)

func TestStatisticsOfARing(t *testing.T) {
	// Clockwise on a ring of 5 switches with 2 hosts each: 4 distances of 1 to 4
	// links, 4 pairs of hosts per pair of switches, of which those at distance 1
	// and 2 are shortest.
	s := routetest.Clockwise(t, nettest.Ring(t, 5, 2), 1, func(_, _ int) int { return 0 }).Statistics()
	want := routing.Statistics{
		Pairs:           5 * 4 * 4,
		Hops:            routing.HopStatistics{Mean: 2.5, Max: 4},
		MinimalFraction: 0.5,
		ChannelLoad:     routing.LoadStatistics{Max: 40, Mean: 20}, // one direction is never used
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
		net := nettest.Random(t, rng, 8)
		r := routetest.RandomMinimal(t, rng, net, 1)
		if rng.IntN(2) == 0 {
			r = routetest.WithHoles(t, rng, r)
		}
		if got, want := r.Statistics(), countPairs(r); got != want {
			t.Fatalf("seed %d: got %+v\nwant %+v", seed, got, want)
		}
	}
}

func countPairs(r *routing.Routes) routing.Statistics {
	var s routing.Statistics
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
