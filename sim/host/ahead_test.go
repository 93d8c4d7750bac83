package host

import (
	"testing"
	"unsafe"

	"musubi/internal/prefetch"
)

// The lines of what a program needs are all that it has a byte in, of the first pieces that it names.
func TestNeedsAreLines(t *testing.T) {
	const line = prefetch.LineBytes
	var memory [16 * line]byte
	start := -uintptr(unsafe.Pointer(&memory)) & (line - 1) // of the first whole line
	var r Process
	for i, c := range []struct {
		at, bytes uintptr
		lines     int32 // 0: it does not count
	}{{0, line, 1}, {3, 0, 0}, {line - 1, 2, 2}, {2 * line, 3*line + 1, 4}, {8 * line, line, 0}} {
		before := r.needs.count
		r.Needs(unsafe.Pointer(&memory[start+c.at]), c.bytes)
		switch {
		case c.lines == 0:
			if r.needs.count != before {
				t.Errorf("piece %d counts; expected that it does not", i)
			}
		case r.needs.count != before+1:
			t.Errorf("piece %d does not count", i)
		case r.needs.begin[before] != uintptr(unsafe.Pointer(&memory[start+c.at]))&^(line-1) || r.needs.lines[before] != c.lines:
			t.Errorf("piece %d is %d lines from %#x on; expected %d", i, r.needs.lines[before], r.needs.begin[before], c.lines)
		}
	}
}
