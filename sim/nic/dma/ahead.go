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
		if c.sender.ahead != nil && ev.A != 0 {
			c.sender.ahead.PrefetchPacket(ev.A)
		}
	default:
		return
	}
	c.prefetchTransfer(id)
}

// PrefetchLast implements host.Prefetcher. There is a fabric.
func (c *dma) PrefetchLast(*engine.Event) {}

// PrefetchLaunch implements host.Prefetcher. A transfer begins with a look at the rank alone.
func (c *dma) PrefetchLaunch(*host.Process) {}

// PrefetchDelivered implements host.Prefetcher: it brings the transfer of a packet to the processor's cache.
func (c *dma) PrefetchDelivered(of uint64) {
	if tagRole(of) != roleBarrier {
		c.prefetchTransfer(tagID(of))
	}
}

// PrefetchBehind implements host.Prefetcher: it brings what a transfer needs of the rank that the event is about.
func (c *dma) PrefetchBehind(ev *engine.Event) {
	switch ev.Kind {
	case evFetch:
		c.sender.prefetchData(c.transfers.At(ev.A))
	case evReply:
		c.sender.prefetchReply(c.transfers.At(ev.A), ev.B)
	case evWritten:
		if c.sender.ahead != nil && ev.A != 0 {
			c.sender.ahead.PrefetchRelease(ev.A)
		}
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

// prefetchData asks for what sending the next packet of a transfer needs.
func (s *sender) prefetchData(t *transfer) {
	if s.ahead != nil && !s.transfers.loops(t) {
		s.ahead.PrefetchSend(s.Hosts[t.source()], s.engineOf(t.sends()), s.Hosts[t.sink()], s.classOf(t))
	}
}

// prefetchReply asks for what sending a reply, or an answer, to the initiator of a transfer needs.
func (s *sender) prefetchReply(t *transfer, role uint32) {
	if s.ahead != nil && role != roleAsk {
		s.ahead.PrefetchSend(s.Hosts[t.Target], s.engineOf(t.away), s.Hosts[t.initiator], s.Machine.Switch.Classes-1)
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
