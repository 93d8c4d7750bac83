package card

import (
	"fmt"

	"musubi/nic/dimmnet"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/units"
)

// Exposed memory is named by addresses of the card: the number of the segment and,
// below it, the offset. Where segments lie does not matter for time.
const (
	offsetBits  = 32
	maxSegments = (dimmnet.MaxAddress + 1) >> offsetBits
)

func physical(a rma.Address) uint64 { return uint64(a.Segment)<<offsetBits | uint64(a.Offset) }

func virtual(address uint64) (segment, offset int) {
	return int(address >> offsetBits), int(address & (1<<offsetBits - 1))
}

// fitsWindow fails for a push to a Prefetch Window of more than one packet.
func (w *cards) fitsWindow(j *job, n int) error {
	if payload := int(w.Machine.Packet.Payload); j.Action == host.Push && n > payload && w.Ranks[j.Target].IsWindow(j.Address.Segment) {
		return fmt.Errorf("rma: Push of %d bytes to a window, %v; a packet takes %d", n, j.Address, payload)
	}
	return nil
}

// fitsCard fails if a rank has exposed more than its card can hold.
func (w *cards) fitsCard(rank int32) error {
	r := &w.Ranks[rank]
	used, have := r.Exposed+r.RingArea(), int(w.Card.Capacity)/w.users[rank].share
	if n := len(r.Segments); n > maxSegments {
		return fmt.Errorf("rma: rank %d has %d segments; addresses of machine %s tell %d apart", rank, n, w.Machine.Name, maxSegments)
	}
	if used > have {
		return fmt.Errorf("rma: rank %d has %d bytes of exposed memory and receive rings; a card of machine %s has %d for it", rank, used, w.Machine.Name, have)
	}
	return nil
}

// refreshed returns when the card's memory can be used that is wanted at a time: a
// refresh may be under way.
func (w *cards) refreshed(t units.Time) units.Time {
	c := &w.Card
	if c.RefreshInterval == 0 {
		return t
	}
	if into := t % c.RefreshInterval; into < c.Refresh {
		w.TellTime("wait for refresh", c.Refresh-into)
		return t - into + c.Refresh
	}
	return t
}
