package routing

import (
	"testing"

	"musubi/internal/nettest"
)

// BenchmarkRoute measures routing with proof.
func BenchmarkRoute(b *testing.B) {
	networks := []struct{ name, spec string }{
		{"random-64-6", "random:switches=64,degree=6,seed=1"},
		{"random-512-10", "random:switches=512,degree=10,seed=1"},
		{"random-1024-10", "random:switches=1024,degree=10,seed=1"},
		{"torus-32x32", "torus:32x32"},
		{"tofu-768", "tofu:4x4x4x2x3x2"},
	}
	for _, n := range networks {
		net := nettest.Generate(b, n.spec, 1)
		if testing.Short() && len(net.Switches) > 800 {
			continue
		}
		for _, a := range Algorithms() {
			if a.Suits(net) != nil || (a.Kind == "tofu") != (n.name == "tofu-768") {
				continue
			}
			b.Run(a.Name+"/"+n.name, func(b *testing.B) {
				opt := Options{}
				if a.Name == "dl" {
					opt.VCs = 3
				}
				var r *Routes
				for b.Loop() {
					r = build(b, a.Name, net, opt)
					if !Verify(r).OK() && !a.Unsafe {
						b.Fatal("not proved")
					}
				}
				s := r.Statistics()
				b.ReportMetric(s.Hops.Mean, "hops")
				b.ReportMetric(float64(s.ChannelLoad.Max), "load")
				b.ReportMetric(float64(r.VCs), "VCs")
			})
		}
	}
}
