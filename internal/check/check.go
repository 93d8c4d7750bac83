// Package check has the assertions and measurements that tests of several packages share.
package check

import (
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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

// ServerDir returns a temporary folder for a server that may go on writing for a moment after it has
// been shut down, as NATS does. It is removed at the end of the test.
func ServerDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "server")
	Must(t, err)
	t.Cleanup(func() {
		var err error
		for range 100 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}

// given counts the addresses that FreeAddress has returned.
var given atomic.Uint32

// FreeAddress returns an address of this host at which nobody listens, for a server that another process
// starts. A port that the kernel chose and got back is soon another's: so the host is a loopback address that
// belongs to this process, and the port one below those that the kernel chooses, which no other test is given.
func FreeAddress() string {
	const firstPort, ports = 20000, 12768
	pid := uint32(os.Getpid())
	host := netip.AddrFrom4([4]byte{127, byte(1 + pid>>16&0x7f), byte(pid >> 8), byte(pid)})
	return netip.AddrPortFrom(host, uint16(firstPort+given.Add(1)%ports)).String()
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
