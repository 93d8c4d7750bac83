package musubi

import (
	"fmt"
	"testing"

	"musubi/rma"
	"musubi/units"
)

// TestFullRingOfARankThatIsNotScheduled lets a rank that seldom has its processor take many
// messages through a small ring. The operating system writes them in its stead; where the ring
// has no room, it waits, and goes on when the rank has taken something.
func TestFullRingOfARankThatIsNotScheduled(t *testing.T) {
	const messages, bytes = 20, 3000
	s := Scenario{Machine: "ssscore", Topology: "mesh:1x2", Hosts: 1, Ranks: 2, Set: map[string]string{"conditions.scheduled": "0.1", "conditions.quantum": "200us"}}
	_, err := Run(t.Context(), s, func(p rma.Process) error {
		if p.Rank() == 0 {
			for i := range messages {
				if _, err := p.IPush(1, []byte(fmt.Sprintf("%0*d", bytes, i)), rma.DMA); err != nil {
					return err
				}
			}
			return nil
		}
		if err := p.Rings(rma.SharedRing(2 * 4096)); err != nil {
			return err
		}
		for i := range messages {
			p.Compute(100 * units.Microsecond)
			a, err := p.Next()
			if err != nil {
				return err
			}
			got := make([]byte, a.Bytes)
			if err := p.Take(a, got, rma.Cached); err != nil {
				return err
			}
			if want := fmt.Sprintf("%0*d", bytes, i); string(got) != want {
				return fmt.Errorf("message %d says %q", i, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
