package host

import (
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/nic/ring"
	"musubi/sim/engine"
	"musubi/sim/fabric"
)

// How many events ahead memory is asked for: first that of the event itself, where there is no fabric, whose events are mostly in the
// cache; then that of a rank or of an operation; then what these know the place of: the stack of a program and what that needs, or
// the rank of an operation; last, again without a fabric, the receive ring that a message goes to. An event takes some tenths of a
// microsecond, and memory of another processor or socket as many.
const (
	eventAhead = 12
	rankAhead  = 5
	stackAhead = 2
	ringAhead  = 1
)

// To ask for what few ranks have takes longer than to wait for it, as most of it is in a cache. What many ranks have is in none, so
// that it is asked for a few lines at a time.
const (
	fewRanks  = 1024
	manyRanks = 4096
)

// What nearly each message needs of a rank, from its beginning on, and how much of that is enough to start one.
const (
	usualBytes = unsafe.Offsetof(Process{}.inbox) + unsafe.Offsetof(inbox{}.rx) + ring.UsualBytes
	startBytes = unsafe.Offsetof(Process{}.co)
)

// prefetch brings the state of ranks that go on soon, and of their operations, to the processor's cache.
// It is called for each event. What nearly each message needs is asked for later, while the event is handled.
func (c *Cluster) prefetch() {
	if len(c.Ranks) <= fewRanks {
		return
	}
	if ev := c.Clock.Ahead(rankAhead); ev != nil {
		c.prefetchFirst(ev)
	}
	if ev := c.Clock.Ahead(stackAhead); ev != nil {
		c.prefetchBehind(ev)
	}
	c.ahead.Ask()
}

// prefetchLast is called for each event where there is no fabric, and asks for what is behind what prefetchBehind has asked for.
func (c *Cluster) prefetchLast() {
	if ev := c.Clock.Ahead(ringAhead); ev != nil && ev.Kind != evResume && c.prefetcher != nil {
		c.prefetcher.PrefetchLast(ev)
	}
}

// prefetchFirst asks for what an event names.
func (c *Cluster) prefetchFirst(ev *engine.Event) {
	switch {
	case ev.Kind == evResume:
		c.Ranks[ev.A].prefetch(stage(ev.B))
	case c.prefetcher == nil:
	case ev.Kind != fabric.Delivered && ev.Kind != fabric.Sent:
		c.prefetcher.Prefetch(ev)
	case c.isOfModel():
		c.prefetcher.PrefetchDelivered(c.TagOf(ev.A))
	}
}

// prefetchBehind asks for what lies behind that.
func (c *Cluster) prefetchBehind(ev *engine.Event) {
	switch {
	case ev.Kind == evResume:
		c.Ranks[ev.A].prefetchProgram()
	case c.prefetcher == nil:
	case ev.Kind != fabric.Delivered:
		c.prefetcher.PrefetchBehind(ev)
	case c.isOfModel():
		c.prefetcher.PrefetchBehindDelivered(c.TagOf(ev.A))
	}
}

// isOfModel reports whether all packets are of the model of interfaces.
func (c *Cluster) isOfModel() bool {
	return c.traffic == nil && c.failures == nil && len(c.combinations.all) == 0
}

// prefetchProgram brings what a rank needs that goes on soon to the processor's cache: what its errand looks at, or the stack of its
// program and what that works with.
func (r *Process) prefetchProgram() {
	e := &r.errand
	if e.server == nil {
		r.running().Prefetch()
		r.needs.prefetch(&r.c.ahead)
		r.inbox.prefetch()
		return
	}
	switch e.stage {
	case launching:
		e.prefetchTests()
		if p := r.c.prefetcher; p != nil {
			p.PrefetchLaunch(r)
		}
	case checking:
		e.prefetchTests()
	case copying:
		r.inbox.rx.PrefetchRing(r.inbox.taking.Ring)
	case seeking:
		r.inbox.rx.PrefetchNext()
	case watching, noticing, polled, known, read: // then the server is called: usually at once, as a look takes no time behind what it sees
		r.needs.prefetch(&r.c.ahead)
		r.inbox.rx.PrefetchNext()
	}
}

// testsLines is how many lines of a server are looked at to test the first of its operations.
const testsLines = 7

// prefetchTests brings what is to be tested to the processor's cache.
func (e *errand) prefetchTests() {
	words := (*[2]uintptr)(unsafe.Pointer(&e.server)) // an interface: its type, and the address of its value
	prefetch.Lines(words[1], testsLines)
}

// prefetch asks for the record that comes next, and for the ring of the one that is being taken.
func (b *inbox) prefetch() {
	if b.layout == nil {
		return
	}
	b.rx.PrefetchNext()
	b.rx.PrefetchRing(b.taking.Ring)
}

// PrefetchRing brings what a packet from another rank needs of the receive rings to the processor's cache.
func (r *Process) PrefetchRing(sender int32) {
	if b := &r.inbox; b.layout != nil && b.layout.ringOf[sender] >= 0 {
		b.rx.PrefetchRing(b.layout.ringOf[sender])
	}
}

// PrefetchEntry is PrefetchRing where what PrefetchArrival asks for is there.
func (r *Process) PrefetchEntry(sender int32) {
	if b := &r.inbox; b.layout != nil && b.layout.ringOf[sender] >= 0 {
		b.rx.PrefetchEntry(b.layout.ringOf[sender])
	}
}

// prefetch brings the state of a rank to the processor's cache, as far as the next stage of its errand needs it.
func (r *Process) prefetch(s stage) {
	if s != launching {
		r.c.ahead.AddBytes(unsafe.Pointer(r), usualBytes)
		return
	}
	prefetch.Bytes(unsafe.Pointer(r), startBytes)
	r.inbox.rx.PrefetchStatus()
	prefetch.Bytes(unsafe.Pointer(&r.inbox.seen), 1)
}

// PrefetchArrival brings what the arrival of a message changes of a rank to the processor's cache.
func (r *Process) PrefetchArrival() {
	const begin = unsafe.Offsetof(Process{}.ends)
	r.c.ahead.AddBytes(unsafe.Add(unsafe.Pointer(r), begin), usualBytes-begin)
}

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
	count int32
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

func (n *needs) prefetch(l *prefetch.Later) {
	for i := range n.count {
		l.Add(n.begin[i], int(n.lines[i]))
	}
}
