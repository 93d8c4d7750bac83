package host

import (
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/sim/fabric"
)

// How many events ahead memory is asked for: first that of a rank, then, as the rank knows where that is, the stack of
// its program and what that needs, or, as the packet knows what it belongs to, that of the operation. An event takes about a
// microsecond, and memory of another processor or socket some tenths of one.
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
		r := &c.Ranks[ev.A]
		r.co.Prefetch()
		r.needs.prefetch()
	case ev.Kind == fabric.Delivered && c.prefetcher != nil && c.traffic == nil && c.failures == nil && len(c.combinations.all) == 0:
		c.prefetcher.PrefetchDelivered(c.Fabric.Delivery(ev.A).Tag)
	}
}

// Prefetch brings the state of a rank to the processor's cache.
func (r *Process) Prefetch() { prefetch.Lines(uintptr(unsafe.Pointer(r)), int(rankLines)) }

// mostNeeds is how many pieces of memory a program can name.
const mostNeeds = 3

// needs is the memory that the program of a rank needs whenever it goes on.
type needs struct {
	begin [mostNeeds]uintptr
	lines [mostNeeds]int32
	count int
}

// Needs implements rma.Ahead.
func (r *Process) Needs(memory unsafe.Pointer, bytes uintptr) {
	n := &r.needs
	if bytes == 0 || n.count == mostNeeds {
		return
	}
	first := uintptr(memory) &^ (prefetch.LineBytes - 1)
	n.begin[n.count] = first
	n.lines[n.count] = int32((uintptr(memory) + bytes - first + prefetch.LineBytes - 1) / prefetch.LineBytes)
	n.count++
}

func (n *needs) prefetch() {
	for i := range n.count {
		prefetch.Lines(n.begin[i], int(n.lines[i]))
	}
}
