package device

import (
	"fmt"
	"slices"
	"unsafe"

	"musubi/nic"
	"musubi/rma"
	"musubi/units"
)

// Exposed memory is named by addresses of the card: the number of the segment and,
// below it, the offset. Where segments lie does not matter for time.
const (
	offsetBits  = 32
	maxSegments = (nic.MaxAddress + 1) >> offsetBits
)

func physical(a rma.Address) uint64 { return uint64(a.Segment)<<offsetBits | uint64(a.Offset) }

func virtual(address uint64) (segment, offset int) {
	return int(address >> offsetBits), int(address & (1<<offsetBits - 1))
}

// ringArea returns the size of the receive rings of a rank, so far.
func (w *windows) ringArea(rank int32) int {
	if rx := w.ranks[rank].inbox.rx; rx != nil {
		return rx.Area()
	}
	return 0
}

// segmentOf returns the exposed segment that data lies in, or -1.
func (r *rank) segmentOf(data []byte) int {
	first := addressOf(data)
	return slices.IndexFunc(r.segments, func(s exposure) bool {
		begin := addressOf(s.memory)
		return len(data) > 0 && first >= begin && first+uintptr(len(data)) <= begin+uintptr(len(s.memory))
	})
}

// addressOf returns where data begins in the memory of this program. Only whether
// slices overlap may depend on it, which is the same in every run.
func addressOf(data []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(data))) }

// fitsWindow fails for a push to a Prefetch Window of more than one packet.
func (w *windows) fitsWindow(j *job, n int) error {
	if payload := int(w.m.Packet.Payload); j.kind == push && n > payload && w.ranks[j.target].isWindow(j.address.Segment) {
		return fmt.Errorf("rma: Push of %d bytes to a window, %v; a packet takes %d", n, j.address, payload)
	}
	return nil
}

// fitsCard fails if a rank has exposed more than its card can hold.
func (w *windows) fitsCard(rank int32) error {
	k := &w.cards[w.users[rank].card]
	r := &w.ranks[rank]
	used, have := r.exposed+w.ringArea(rank), int(w.m.Card.Capacity)/len(k.ranks)
	if n := len(r.segments); n > maxSegments {
		return fmt.Errorf("rma: rank %d has %d segments; addresses of machine %s tell %d apart", rank, n, w.m.Name, maxSegments)
	}
	if used > have {
		return fmt.Errorf("rma: rank %d has %d bytes of exposed memory and receive rings; a card of machine %s has %d for it", rank, used, w.m.Name, have)
	}
	return nil
}

// refreshed returns when the card's memory can be used that is wanted at a time: a
// refresh may be under way.
func (w *windows) refreshed(t units.Time) units.Time {
	c := &w.m.Card
	if c.RefreshInterval == 0 {
		return t
	}
	if into := t % c.RefreshInterval; into < c.Refresh {
		w.tellTime("wait for refresh", c.Refresh-into)
		return t - into + c.Refresh
	}
	return t
}
