//go:build linux

package spill

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"musubi/internal/check"
)

// resident returns how many bytes of files this process has in memory.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	check.Must(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "RssFile:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			check.Must(t, err)
			return n << 10
		}
	}
	t.Skip("no RssFile here")
	return 0
}

// Memory goes back, and what is used again brings few of its neighbours.
func TestMemoryGoesBack(t *testing.T) {
	a := withLimit(0)
	list := Make[uint64](a, chunk/8)
	if inFile(a) == 0 {
		t.Skip("no place for the file")
	}
	for i := range list {
		list[i] = uint64(i)
	}
	written := resident(t)
	a.Used(often)
	if back := resident(t); back > written-chunk/2 {
		t.Errorf("%d bytes in memory when %d had been written; then %d", written, chunk, back)
	}
	sum, want := uint64(0), uint64(0)
	for i := 0; i < len(list); i += 1 << 17 {
		sum, want = sum+list[i], want+uint64(i)
	}
	if now := resident(t); now > written-chunk/2 || sum != want {
		t.Errorf("%d bytes in memory when 64 entries have been read, whose sum is %d; expected fewer than %d, and %d", now, sum, written-chunk/2, want)
	}
}
