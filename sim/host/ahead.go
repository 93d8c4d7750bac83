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
		c.Ranks[ev.A].prefetchProgram()
	case ev.Kind == fabric.Delivered && c.prefetcher != nil && c.traffic == nil && c.failures == nil && len(c.combinations.all) == 0:
		c.prefetcher.PrefetchDelivered(c.Fabric.Delivery(ev.A).Tag)
	}
}

// prefetchProgram brings the stack of a program to the processor's cache that goes on soon, and what it needs.
func (r *Process) prefetchProgram() {
	switch {
	case r.errand.server == nil:
		r.co.Prefetch()
	case r.errand.stage == launching || r.errand.stage == checking:
		r.errand.prefetchTests()
		return
	case !r.c.serves:
		r.co.Prefetch()
	}
	r.needs.prefetch()
}

// testsLines is how many lines of a server are looked at to test the first of its operations.
const testsLines = 4

// prefetchTests brings what is to be tested to the processor's cache.
func (e *errand) prefetchTests() {
	words := (*[2]uintptr)(unsafe.Pointer(&e.server)) // an interface: its type, and the address of its value
	prefetch.Lines(words[1], testsLines)
}

// Prefetch brings the state of a rank to the processor's cache.
func (r *Process) Prefetch() { prefetch.Lines(uintptr(unsafe.Pointer(r)), int(rankLines)) }

// PrefetchOp brings an operation that will soon be complete to the processor's cache.
func (c *Env) PrefetchOp(id uint32) { prefetch.Lines(uintptr(unsafe.Pointer(c.ops.At(id))), 1) }

// endLines is how many lines of a rank are looked at when an operation of it is complete.
const endLines = 2

// PrefetchInitiator brings what an operation that is complete changes of its initiator to the processor's cache, when the
// operation itself is there.
func (c *Env) PrefetchInitiator(id uint32) {
	prefetch.Lines(uintptr(unsafe.Pointer(&c.Ranks[c.ops.At(id).initiator].ends)), endLines)
}

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
