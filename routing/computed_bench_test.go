package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
)

// BenchmarkPath finds paths between random end points, which is what a packet needs.
func BenchmarkPath(b *testing.B) {
	cases := []struct {
		name, network string
		selection     Selection
	}{
		{"table/torus-32x32", "torus:32x32", Balanced},
		{"computed/torus-32x32", "torus:32x32", Regular},
		{"computed/torus-256x256", "torus:256x256", Regular},
		{"computed/hypercube-16", "hypercube:16", Regular},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			net := nettest.Generate(b, c.network, 1)
			r := build(b, "ecube", net, Options{Selection: c.selection})
			rng := rand.New(rand.NewPCG(1, 1))
			pairs := make([]Pair, 1<<12)
			for i := range pairs {
				pairs[i] = Pair{rng.IntN(len(net.EndPoints)), rng.IntN(len(net.EndPoints))}
			}
			var buf Path
			routes, hops := 0, 0
			for b.Loop() {
				q := pairs[routes%len(pairs)]
				buf, _, _, _ = r.PathInto(buf, q.Src, q.Dst)
				routes++
				hops += len(buf)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(routes), "ns/route")
			b.ReportMetric(float64(hops)/float64(routes), "hops/route")
		})
	}
}

// BenchmarkBuild makes and proves computed routes of large networks.
func BenchmarkBuild(b *testing.B) {
	for _, name := range []string{"torus:64x64", "torus:256x256"} {
		b.Run(name, func(b *testing.B) {
			net := nettest.Generate(b, name, 1)
			for b.Loop() {
				if p := Verify(build(b, "ecube", net, Options{})); p.Structure == "" || !p.OK() {
					b.Fatal("not proved from its structure")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(net.Switches)), "ns/switch")
		})
	}
}
