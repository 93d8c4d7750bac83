package tables

import (
	"bytes"
	"testing"

	"musubi/internal/check"
	"musubi/routing/internal/routetest"
)

func BenchmarkGeneralTable(b *testing.B) {
	r := routetest.Large(b)
	for b.Loop() {
		t, err := NewGeneral(r)
		check.Must(b, err)
		b.ReportMetric(float64(len(t.Entries())), "entries")
		_, err = t.Routes()
		check.Must(b, err)
	}
}

func BenchmarkInfiniBandTables(b *testing.B) {
	r := routetest.Large(b)
	for b.Loop() {
		t, err := NewInfiniBand(r)
		check.Must(b, err)
		_, err = t.Routes()
		check.Must(b, err)
	}
}

func BenchmarkReadForwarding(b *testing.B) {
	r := routetest.Large(b)
	t, err := NewInfiniBand(r)
	check.Must(b, err)
	var text bytes.Buffer
	check.Must(b, t.WriteForwarding(&text))
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		_, err := ReadForwarding(bytes.NewReader(text.Bytes()), "lfts", r.Net)
		check.Must(b, err)
	}
}
