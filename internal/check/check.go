// Package check has the assertions and measurements that tests of several packages share.
package check

import (
	"strings"
	"testing"
)

// Error fails the test unless err is nil if want is empty, and else has want in its text.
func Error(t testing.TB, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("error %q; expected none", err)
	case want != "" && err == nil:
		t.Errorf("no error; expected one with %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("error %q; expected one with %q", err, want)
	}
}

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// PerPacket measures what f costs for each of its packets, in ns/packet.
func PerPacket(b *testing.B, packets int, f func()) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*packets), "ns/packet")
}
