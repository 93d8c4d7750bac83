package fabric

import (
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/units"
)

func BenchmarkPacket(b *testing.B) {
	for _, c := range []struct {
		name, topology string
		load           float64
	}{
		{"mesh8x8/half", "mesh:8x8", 0.2}, {"mesh8x8/near-saturation", "mesh:8x8", 0.38},
		{"torus32x32/half", "torus:32x32", 0.06},
	} {
		b.Run(c.name, func(b *testing.B) {
			net, routes := build(b, c.topology, 1, "ecube", routing.Options{})
			cfg := testConfig(net, routes)
			cfg.VCs = 4
			q := new(engine.Queue)
			f, err := NewPacket(cfg, q)
			if err != nil {
				b.Fatal(err)
			}
			l := newLoad(f, q, cfg, 16, c.load, units.Never)
			l.run(20 * units.Microsecond)
			start, hops := q.Now(), f.Traffic().Hops
			events := q.Handled()
			b.ReportAllocs()
			for b.Loop() {
				start += units.Microsecond
				l.run(start)
			}
			hops = f.Traffic().Hops - hops
			b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "packet-hops/s")
			b.ReportMetric(float64(q.Handled()-events)/float64(hops), "events/hop")
			b.ReportMetric(float64(f.inNetwork), "in-network")
		})
	}
}
