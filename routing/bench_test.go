package routing

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"musubi/topology"
)

// benchmarkRoutes are those of a random regular graph of 1,024 switches and
// degree 10 over destination trees, on two virtual channels.
func benchmarkRoutes(b *testing.B) *Routes {
	net, err := topology.Generate("random:switches=1024,degree=10,seed=1", 1)
	must(b, err)
	return treeRoutes(b, rand.New(rand.NewPCG(1, 1)), net, 2, func(src, _, _ int) int { return src % 2 })
}

func BenchmarkVerify(b *testing.B) {
	r := benchmarkRoutes(b)
	for b.Loop() {
		Verify(r)
	}
	b.ReportMetric(float64(r.NumPaths()), "paths")
}

func BenchmarkStatistics(b *testing.B) {
	r := benchmarkRoutes(b)
	for b.Loop() {
		r.Statistics()
	}
}

func BenchmarkGeneralTable(b *testing.B) {
	r := benchmarkRoutes(b)
	for b.Loop() {
		t, err := NewGeneralTable(r)
		must(b, err)
		b.ReportMetric(float64(len(t.Entries())), "entries")
		_, err = t.Routes()
		must(b, err)
	}
}

func BenchmarkInfiniBandTables(b *testing.B) {
	r := benchmarkRoutes(b)
	for b.Loop() {
		t, err := NewInfiniBandTables(r)
		must(b, err)
		_, err = t.Routes()
		must(b, err)
	}
}

func BenchmarkReadForwarding(b *testing.B) {
	r := benchmarkRoutes(b)
	t, err := NewInfiniBandTables(r)
	must(b, err)
	var text bytes.Buffer
	must(b, t.WriteForwarding(&text))
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		_, err := ReadForwarding(bytes.NewReader(text.Bytes()), "lfts", r.Net)
		must(b, err)
	}
}
