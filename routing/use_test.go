package routing

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/internal/check"
	"musubi/topology"
)

// traffic is what some uses serve: ordered pairs of end points, pairs of hosts, and classes.
type traffic struct {
	pairs, hosts int64
	classes      classSet
}

// TestUsesServeEveryPairOnce compares the uses of paths with a count over all pairs of different
// end points, by source and destination switch.
func TestUsesServeEveryPairOnce(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 32))
		net := anyNetwork(t, rng)
		want, got := map[Pair]traffic{}, map[Pair]traffic{}
		count := func(in map[Pair]traffic, at Pair, more traffic) {
			was := in[at]
			in[at] = traffic{was.pairs + more.pairs, was.hosts + more.hosts, was.classes | more.classes}
		}
		for a := range net.EndPoints {
			for b := range net.EndPoints {
				if a == b {
					continue
				}
				one := traffic{pairs: 1, classes: pairClasses(1<<net.KindOf(a), 1<<net.KindOf(b))}
				if net.KindOf(a) == topology.Host && net.KindOf(b) == topology.Host {
					one.hosts = 1
				}
				count(want, Pair{net.EndPoints[a].At.Switch, net.EndPoints[b].At.Switch}, one)
			}
		}
		manyVariants(t, rng, net).uses(func(u *use) {
			count(got, Pair{u.src, u.dst}, traffic{u.pairs, u.hosts, u.classes})
		})
		if !maps.Equal(got, want) {
			t.Fatalf("seed %d: by switches, uses serve %v; want %v", seed, got, want)
		}
	}
}

// manyVariants routes every pair of switches over up to 3 x 3 variants of one shortest path.
func manyVariants(t *testing.T, rng *rand.Rand, net *topology.Network) *Routes {
	b, err := NewBuilder("variants", net, 1)
	check.Must(t, err)
	for dst := range net.Switches {
		dist := net.Distances(dst)
		for src := range net.Switches {
			var path Path
			for at := src; at != dst; {
				i := slices.IndexFunc(net.Out(at), func(c int32) bool { return dist[net.To(int(c)).Switch] == dist[at]-1 })
				c := int(net.Out(at)[i])
				path, at = append(path, MakeHop(c, 0)), net.To(c).Switch
			}
			rows, cols := 1+rng.IntN(3), 1+rng.IntN(3)
			b.Variants(src, dst, rows, cols)
			for range rows * cols {
				b.Add(path, 0)
			}
		}
	}
	return b.Routes()
}
