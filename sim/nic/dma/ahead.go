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
	prefetch.Lines(uintptr(unsafe.Pointer(c.transfers.At(id))), int(transferLines))
}

var _ host.Prefetcher = (*dma)(nil)
