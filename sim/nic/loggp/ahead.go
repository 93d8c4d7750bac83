package loggp

import (
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/sim/engine"
	"musubi/sim/host"
)

const messageLines = (unsafe.Sizeof(message{}) + prefetch.LineBytes - 1) / prefetch.LineBytes

// receiverAhead is how many events ahead the receiver of a message, or the initiator of an operation, is asked for, when it is
// known who that is.
const receiverAhead = 3

// Prefetch implements host.Prefetcher: it brings the message of an event to the processor's cache, and the interface and
// rank that a message comes to soon.
func (c *logGP) Prefetch(ev *engine.Event) {
	switch ev.Kind {
	case evArrive:
		prefetch.Lines(uintptr(unsafe.Pointer(c.messages.At(ev.A))), int(messageLines))
	case evDone:
		c.PrefetchOp(ev.A)
	}
	switch ev := c.Clock.Ahead(receiverAhead); {
	case ev == nil:
	case ev.Kind == evArrive:
		to := c.receiver(ev.A, int(ev.B))
		prefetch.Lines(uintptr(unsafe.Pointer(&c.ports[to])), 1)
		c.Ranks[to].Prefetch()
	case ev.Kind == evDone:
		c.PrefetchInitiator(ev.A)
	}
}

// PrefetchDelivered implements host.Prefetcher. There are no packets.
func (c *logGP) PrefetchDelivered(uint64) {}

var _ host.Prefetcher = (*logGP)(nil)
