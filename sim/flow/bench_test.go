package flow_test

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
	"musubi/units"
)

// BenchmarkMessages carries long messages between random hosts of a torus, with so many under way.
func BenchmarkMessages(b *testing.B) {
	for _, size := range []struct {
		name     string
		messages int
	}{{"64flows", 64}, {"1024flows", 1024}} {
		b.Run(size.name, func(b *testing.B) {
			cfg := config(b, nettest.Generate(b, "torus:8x8", 4))
			messages := randomMessages(rand.New(rand.NewPCG(1, 2)), &cfg, size.messages, 1, units.Microsecond)
			for i := range messages {
				messages[i].packets = 1000
			}
			events := int64(0)
			for b.Loop() {
				w := newFlow(b, cfg)
				w.carry(b, messages)
				events += w.q.Handled()
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
