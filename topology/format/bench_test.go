package format

import (
	"strings"
	"testing"

	"musubi/internal/nettest"
)

func BenchmarkReadLargeDump(b *testing.B) {
	f, err := Named("ibnetdiscover")
	if err != nil {
		b.Fatal(err)
	}
	n := nettest.Generate(b, "fattree:k=32", 0)
	text := write(b, f, n.WithGUIDs())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Read(strings.NewReader(text), "dump"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n.Hosts()), "hosts")
}
