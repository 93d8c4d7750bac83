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

func (c *dma) prefetchTransfer(id uint32) {
	prefetch.Lines(uintptr(unsafe.Pointer(c.transfers.At(id))), int(transferLines))
}

var _ host.Prefetcher = (*dma)(nil)
