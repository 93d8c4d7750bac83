package topology

import (
	"strings"
	"testing"
)

func BenchmarkReadLargeDump(b *testing.B) {
	f, err := FormatNamed("ibnetdiscover")
	if err != nil {
		b.Fatal(err)
	}
	n := mustGenerate(b, "fattree:k=32", 0)
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

func BenchmarkGenerate(b *testing.B) {
	for _, name := range []string{"torus:32x32", "fattree:k=32", "random:switches=1024,degree=10,seed=1"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustGenerate(b, name, 0)
			}
		})
	}
}
