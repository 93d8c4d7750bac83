package musubi

import "testing"

// BenchmarkClosedLoop measures how fast a whole cluster is simulated, hosts and
// network interfaces included.
func BenchmarkClosedLoop(b *testing.B) {
	benchmark(b, Scenario{Machine: "rhinet2", Workload: "pattern", Set: set("bytes=1792", "iterations=200")})
}

// BenchmarkWaitingRanks measures barriers of 65,536 ranks.
func BenchmarkWaitingRanks(b *testing.B) {
	benchmark(b, Scenario{Machine: "loggp", Workload: "barrier", Ranks: 1 << 16, Set: set("orders=1", "iterations=1", "warmup=1")})
}

func benchmark(b *testing.B, s Scenario) {
	var events, hops int64
	for b.Loop() {
		r, err := RunWorkload(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		events += r.Simulation.Events
		hops += r.Simulation.PacketHops
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	if hops > 0 {
		b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "packet-hops/s")
	}
}
