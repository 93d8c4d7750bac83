package hosttest_test

import (
	"runtime"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
)

// BenchmarkIPush reports what a packet costs from a program to another's buffer.
func BenchmarkIPush(b *testing.B) {
	const messages = 10_000
	for _, name := range []string{"rhinet2", "ndr", "loggp", "dimmnet2"} {
		b.Run(name, func(b *testing.B) {
			var packets, events int64
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				c := hosttest.NewRanks(b, name, 2)
				if err := c.Run(stream(messages, c.RingPacket())); err != nil {
					b.Fatal(err)
				}
				packets += c.Report().Rings.Packets
				events += c.Report().Events
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(packets), "ns/packet")
			b.ReportMetric(float64(events)/float64(packets), "events/packet")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(packets), "allocs/packet")
		})
	}
}

// stream sends messages of a packet from rank 0 to rank 1, which takes them at once.
func stream(messages, packet int) func(p rma.Process) error {
	return func(p rma.Process) error {
		data := make([]byte, packet)
		p.Expose(data)
		for range messages {
			switch p.Rank() {
			case 0:
				if err := hosttest.Send(p, 1, data); err != nil {
					return err
				}
			case 1:
				a, err := p.Next()
				if err != nil {
					return err
				}
				if err := p.Take(a, data, rma.Cached); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
