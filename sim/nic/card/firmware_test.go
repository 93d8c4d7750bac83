package card

import (
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

// A processor that manages the receive rings takes its time for every packet, and
// again for one that had to wait for room, in place of the four clocks that the
// controller takes for the same.
func TestFirmwareTakesItsTimeForEveryPacket(t *testing.T) {
	const more = 6600*units.Nanosecond - 40*units.Nanosecond
	quick, quickAgain := appendTwice(t, "dimmnet2")
	slow, slowAgain := appendTwice(t, "vpush")
	if got := slow - quick; got != more {
		t.Errorf("a packet is in its ring %v later than with hard-wired steps, want %v", got, more)
	}
	if got := slowAgain - quickAgain; got != more {
		t.Errorf("a packet that waited for room is in its ring %v later than with hard-wired steps, want %v", got, more)
	}
}

// appendTwice sends two messages to a ring with room for one, and returns when the
// first is there, and how long after that has been taken the second is.
func appendTwice(t *testing.T, name string) (first, second units.Time) {
	t.Helper()
	// The receiver looks all the time, and nothing else is random.
	c := hosttest.NewCluster(t, name, "fullmesh:1", 2, "processor.poll", "1ps", "card.refresh", "0ns")
	err := c.Run(func(p rma.Process) error {
		if p.Rank() == 0 {
			for range 2 {
				if _, err := p.IPush(1, make([]byte, 496), rma.DMA); err != nil {
					return err
				}
			}
			return nil
		}
		if err := p.Rings(rma.SharedRing(496)); err != nil {
			return err
		}
		a, err := p.Next()
		if err != nil {
			return err
		}
		first = p.Now()
		p.Compute(100 * units.Microsecond) // meanwhile the other one has found no room
		if err := p.Take(a, nil, rma.Cached); err != nil {
			return err
		}
		taken := p.Now()
		err = p.Await()
		second = p.Now() - taken
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return first, second
}

// Beside the processor that chooses the place of a packet, IPUSH takes as long as PUSH.
func TestFirmwareSparesTheCardClocks(t *testing.T) {
	m, err := machine.Load("vpush")
	if err != nil {
		t.Fatal(err)
	}
	vpush := sectionOf(m)
	clocks := func(path any) (n int) {
		for _, s := range Steps(path) {
			n += s.Clocks
		}
		return n
	}
	if ipush, push := clocks(&vpush.IPushReceive), clocks(&vpush.PushReceive); ipush != push {
		t.Errorf("beside the processor IPUSH takes %d clocks, want the %d of PUSH", ipush, push)
	}
}
