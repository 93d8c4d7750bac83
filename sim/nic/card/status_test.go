package card

import (
	"fmt"
	"testing"

	"musubi/rma"
)

// The status of a message can take longer to write than the next packet takes to
// come. The first packet of a longer message has no status and must not be counted
// before.
func TestSlowStatusKeepsTheOrderOfPackets(t *testing.T) {
	const packet = 496
	sizes := []int{8, 3 * packet, packet, 2 * packet, 8}
	runCards(t, 2, func(p rma.Process) error {
		if p.Rank() == 0 {
			for _, n := range sizes {
				if _, err := p.IPush(1, make([]byte, n), rma.DMA); err != nil {
					return err
				}
			}
			return nil
		}
		if err := p.Rings(rma.PrivateRings(2, 16*packet)); err != nil {
			return err
		}
		for i, want := range sizes {
			a, err := p.Next()
			if err != nil {
				return err
			}
			if a.Bytes != want || !a.Last {
				return fmt.Errorf("message %d is told of as %+v; want all of its %d bytes", i, a, want)
			}
		}
		return nil
	}, "ipush_receive.status", "10000")
}
