package routing_test

import (
	"testing"

	"musubi/routing"
	"musubi/routing/internal/routetest"
)

func BenchmarkVerify(b *testing.B) {
	r := routetest.Large(b)
	for b.Loop() {
		routing.Verify(r)
	}
	b.ReportMetric(float64(r.NumPaths()), "paths")
}

func BenchmarkStatistics(b *testing.B) {
	r := routetest.Large(b)
	for b.Loop() {
		r.Statistics()
	}
}
