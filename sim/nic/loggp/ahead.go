package loggp

import (
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/sim/engine"
	"musubi/sim/host"
)

const messageLines = (unsafe.Sizeof(message{}) + prefetch.LineBytes - 1) / prefetch.LineBytes

// Prefetch implements host.Prefetcher: it brings the message of an event to the processor's cache.
func (c *logGP) Prefetch(ev *engine.Event) {
	switch ev.Kind {
	case evArrive:
		prefetch.Lines(uintptr(unsafe.Pointer(c.messages.At(ev.A))), int(messageLines))
	case evDone:
		c.PrefetchOp(ev.A)
	}
}

// PrefetchBehind implements host.Prefetcher: it brings the interface and the rank that a message comes to, or what an operation
// that is complete changes of its initiator.
func (c *logGP) PrefetchBehind(ev *engine.Event) {
	switch ev.Kind {
	case evArrive:
		to := c.receiver(ev.A, int(ev.B))
		prefetch.Lines(uintptr(unsafe.Pointer(&c.ports[to])), 1)
		c.Ranks[to].PrefetchArrival()
	case evDone:
		c.PrefetchInitiator(ev.A)
	}
}

// PrefetchLast implements host.Prefetcher: it brings the ring that a message goes to.
func (c *logGP) PrefetchLast(ev *engine.Event) {
	if ev.Kind == evArrive {
		if m := c.messages.At(ev.A); m.Action == host.IPush {
			c.Ranks[m.Target].PrefetchEntry(m.initiator)
		}
	}
}

// PrefetchLaunch implements host.Prefetcher: it brings the interface that sends a message.
func (c *logGP) PrefetchLaunch(r *host.Process) {
	prefetch.Lines(uintptr(unsafe.Pointer(&c.ports[r.Rank()])), 1)
}

// PrefetchDelivered and PrefetchBehindDelivered implement host.Prefetcher. There are no packets.
func (c *logGP) PrefetchDelivered(uint64)       {}
func (c *logGP) PrefetchBehindDelivered(uint64) {}

var _ host.Prefetcher = (*logGP)(nil)
