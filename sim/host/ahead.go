package host

import (
	"unsafe"

	"musubi/internal/prefetch"
)

// How many events ahead memory is asked for: first that of a rank, then, as the rank knows where that is, the stack of
// its program. An event takes about a microsecond, and memory of another processor or socket some tenths of one.
const (
	rankAhead  = 6
	stackAhead = 3
	rankLines  = (unsafe.Sizeof(Process{}) + prefetch.LineBytes - 1) / prefetch.LineBytes
)

// prefetch brings the state of ranks that go on soon to the processor's cache.
func (c *Cluster) prefetch() {
	if ev := c.Clock.Ahead(rankAhead); ev != nil && ev.Kind == evResume {
		prefetch.Lines(uintptr(unsafe.Pointer(&c.Ranks[ev.A])), int(rankLines))
	}
	if ev := c.Clock.Ahead(stackAhead); ev != nil && ev.Kind == evResume {
		if co := c.Ranks[ev.A].co; co != nil {
			co.Prefetch()
		}
	}
}
