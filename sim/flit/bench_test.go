package flit

import (
	"testing"

	"musubi/routing"
	"musubi/sim/fabric/fabrictest"
	"musubi/units"
)

// BenchmarkFlit measures how fast the flit engine moves packets of 16 flits of
// uniform traffic through BookSim2's default router with 4 virtual channels of 8
// flits.
func BenchmarkFlit(b *testing.B) {
	for _, c := range []struct {
		name, topology string
		load           float64
	}{
		{"mesh8x8/half", "mesh:8x8", 0.19}, {"mesh8x8/near-saturation", "mesh:8x8", 0.35},
		{"torus32x32/half", "torus:32x32", 0.06},
	} {
		b.Run(c.name, func(b *testing.B) {
			net, routes := fabrictest.Build(b, c.topology, 1, "ecube", routing.Options{})
			cfg := textbook(fabrictest.DefaultConfig(net, routes), 4, 8)
			f, q := newFlit(b, cfg)
			l := fabrictest.NewUniform(f, q, cfg, 16, c.load, units.Never)
			end := 5 * units.Microsecond
			l.Run(end)
			m := fabrictest.NewMeter(f)
			b.ReportAllocs()
			for b.Loop() {
				end += units.Microsecond
				l.Run(end)
			}
			m.Report(b)
		})
	}
}
