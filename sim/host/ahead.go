package host

import (
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/sim/fabric"
)

// How many events ahead memory is asked for: first that of a rank, then, as the rank knows where that is, the stack of
// its program, or, as the packet knows what it belongs to, that of the operation. An event takes about a microsecond, and memory of another processor or socket some tenths of one.
const (
	rankAhead  = 6
	stackAhead = 3
	rankLines  = (unsafe.Sizeof(Process{}) + prefetch.LineBytes - 1) / prefetch.LineBytes
)

// prefetch brings the state of ranks that go on soon, and of their operations, to the processor's cache.
// It is called for each event.
func (c *Cluster) prefetch() {
	switch ev := c.Clock.Ahead(rankAhead); {
	case ev == nil:
	case ev.Kind == evResume:
		c.Ranks[ev.A].Prefetch()
	case c.prefetcher != nil:
		c.prefetcher.Prefetch(ev)
	}
	switch ev := c.Clock.Ahead(stackAhead); {
	case ev == nil:
	case ev.Kind == evResume:
		c.Ranks[ev.A].co.Prefetch()
	case ev.Kind == fabric.Delivered && c.prefetcher != nil && c.traffic == nil && c.failures == nil && len(c.combinations.all) == 0:
		c.prefetcher.PrefetchDelivered(c.Fabric.Delivery(ev.A).Tag)
	}
}

// Prefetch brings the state of a rank to the processor's cache.
func (r *Process) Prefetch() { prefetch.Lines(uintptr(unsafe.Pointer(r)), int(rankLines)) }
