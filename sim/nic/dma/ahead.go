package dma

import (
	"unsafe"

	"musubi/internal/prefetch"
	"musubi/sim/engine"
	"musubi/sim/host"
)

const transferLines = (unsafe.Sizeof(transfer{}) + prefetch.LineBytes - 1) / prefetch.LineBytes

// Prefetch implements host.Prefetcher: it brings the transfer of an event to the processor's cache.
func (c *dma) Prefetch(ev *engine.Event) {
	id := ev.A
	switch ev.Kind {
	case evFetch, evInject, evReply, evDone:
	case evWritten:
		id = ev.B
	default:
		return
	}
	c.prefetchTransfer(id)
}

// PrefetchDelivered implements host.Prefetcher: it brings the transfer of a packet to the processor's cache.
func (c *dma) PrefetchDelivered(of uint64) {
	if tagRole(of) != roleBarrier {
		c.prefetchTransfer(tagID(of))
	}
}

// PrefetchBehind implements host.Prefetcher: it brings what a transfer needs of the rank that the event is about.
func (c *dma) PrefetchBehind(ev *engine.Event) {
	switch ev.Kind {
	case evWritten:
		c.prefetchRing(c.transfers.At(ev.B))
	case evDone:
		c.PrefetchOp(c.transfers.At(ev.A).op)
	}
}

// PrefetchBehindDelivered implements host.Prefetcher: it brings the ring that a packet goes to.
func (c *dma) PrefetchBehindDelivered(of uint64) {
	if tagRole(of) == roleData {
		c.prefetchRing(c.transfers.At(tagID(of)))
	}
}

func (c *dma) prefetchRing(t *transfer) {
	if t.Action == host.IPush {
		c.Ranks[t.Target].PrefetchRing(t.initiator)
	}
}

func (c *dma) prefetchTransfer(id uint32) {
	prefetch.Lines(uintptr(unsafe.Pointer(c.transfers.At(id))), int(transferLines))
}

var _ host.Prefetcher = (*dma)(nil)
