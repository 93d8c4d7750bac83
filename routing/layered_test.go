package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
)

// layered gets by with any number of virtual channels, is proved, forks by destination alone, and
// with one virtual channel its paths are as short as those of Up*/Down*.
func TestLayeredNeverFails(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		net := nettest.Random(t, rng, 16)
		last := 0.0
		for vcs := 1; vcs <= 6; vcs++ {
			r := build(t, "layered", net, Options{VCs: vcs})
			if p := Verify(r); !p.OK() || r.VCs > vcs {
				t.Fatalf("seed %d: %d virtual channels of %d; free %v, %v", seed, r.VCs, vcs, p.DeadlockFree(), p.FirstMalformed)
			}
			checkForks(t, seed, r)
			hops := r.Statistics().Hops.Mean
			if vcs == 1 {
				want := build(t, "updown", net, Options{DestinationOnly: true}).Statistics().Hops.Mean
				if hops > want {
					t.Fatalf("seed %d: %.3f hops in one virtual channel; Up*/Down* has %.3f", seed, hops, want)
				}
				last = hops
			}
		}
		if enough := build(t, "layered", net, Options{VCs: 16}).Statistics(); enough.Hops.Mean > last+1e-9 {
			t.Fatalf("seed %d: %.3f hops in 16 virtual channels, %.3f in one", seed, enough.Hops.Mean, last)
		}
	}
}

// checkForks fails if packets to one end point leave a switch by different ports.
func checkForks(t *testing.T, seed uint64, r *Routes) {
	t.Helper()
	for dst := range r.Net.EndPoints {
		out := make(map[int]int)
		for src := range r.Net.EndPoints {
			p, _ := r.Path(src, dst)
			for _, h := range p {
				s := r.Net.From(h.Channel()).Switch
				if c, ok := out[s]; ok && c != h.Channel() {
					t.Fatalf("seed %d: packets to %d leave switch %d by two ports", seed, dst, s)
				}
				out[s] = h.Channel()
			}
		}
	}
}
