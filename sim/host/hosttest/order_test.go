package hosttest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

// TestPushesAreWrittenInOrder has all ranks push messages of random sizes by
// random mechanisms to one, without waiting, and looks at the target's memory
// each time something has been written: whatever is there of a message, all of
// those that the same rank started before it must be there too.
func TestPushesAreWrittenInOrder(t *testing.T) {
	const messages, largest = 30, 10_000
	for _, name := range machine.Names() {
		t.Run(name, func(t *testing.T) {
			c := hosttest.NewCluster(t, name, "torus:3x3", 2)
			err := c.Run(func(p rma.Process) error {
				inbox := make([]byte, len(c.Ranks)*messages*largest)
				segment := p.Expose(inbox)
				sizes := make([][]int, len(c.Ranks))
				for r := range sizes {
					rng := rand.New(rand.NewPCG(7, uint64(r)))
					for range messages {
						sizes[r] = append(sizes[r], 1+rng.IntN([]int{16, 100, largest}[rng.IntN(3)]))
					}
				}
				if p.Rank() == 0 {
					return p.WaitUntil(func() bool { return allWrittenInOrder(t, inbox, sizes, largest) })
				}
				rng := rand.New(rand.NewPCG(8, uint64(p.Rank())))
				for i, n := range sizes[p.Rank()] {
					data := make([]byte, n)
					for j := range data {
						data[j] = 1
					}
					by := rma.DMA
					if n <= int(c.Machine.NIC.PIOPayload) && rng.IntN(2) == 0 {
						by = rma.BOTF
					}
					if _, err := p.Push(rma.Address{Segment: segment, Offset: (p.Rank()*messages + i) * largest}, data, by); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// allWrittenInOrder tells whether all messages of ranks 1 and up are there.
func allWrittenInOrder(t *testing.T, inbox []byte, sizes [][]int, largest int) bool {
	all := true
	for r := 1; r < len(sizes); r++ {
		missing := ""
		for i, n := range sizes[r] {
			data := inbox[(r*len(sizes[r])+i)*largest:][:n]
			switch {
			case missing != "" && data[0] != 0:
				t.Fatalf("message %d of rank %d is being written, but not yet %s", i, r, missing)
			case missing == "" && data[n-1] == 0:
				missing = fmt.Sprintf("all %d bytes of message %d", n, i)
			}
		}
		all = all && missing == ""
	}
	return all
}

// TestPIOStaysBehindDMA writes a byte by PIO at any time after a push by DMA of two
// packets has begun that writes the same byte. With a message in between that is
// refused, so that nothing of it is sent, the order is the same.
func TestPIOStaysBehindDMA(t *testing.T) {
	const n = 3000
	for _, refused := range []bool{false, true} {
		for pause := units.Time(0); pause < 12*units.Microsecond; pause += 200 * units.Nanosecond {
			memory := make([]byte, n)
			hosttest.Run(t, hosttest.NewRanks(t, "rhinet2", 2, "nic.in_flight", "0"), func(p rma.Process) error {
				segment := p.Expose(memory)
				if p.Rank() == 1 {
					return p.Rings(rma.Rings{})
				}
				at := rma.Address{Rank: 1, Segment: segment}
				if _, err := p.Push(at, make([]byte, n), rma.DMA); err != nil {
					return err
				}
				if refused {
					if _, err := p.IPush(1, []byte{1}, rma.BOTF); err != nil {
						return err
					}
				}
				p.Compute(pause)
				at.Offset = n - 1
				_, err := p.Push(at, []byte{1}, rma.BOTF)
				return err
			})
			if memory[n-1] != 1 {
				t.Errorf("%v after a push by DMA (refused message in between: %v), one by PIO overtakes it", pause, refused)
			}
		}
	}
}

// TestWhatIsExposedFirstIsThereInTime lets every rank write to all others as the
// first thing it does, on a machine where that takes no time at all.
func TestWhatIsExposedFirstIsThereInTime(t *testing.T) {
	c := hosttest.NewCluster(t, "loggp", "", 10, "loggp.o", "0ns", "loggp.L", "0ns", "loggp.g", "0ns")
	err := c.Run(func(p rma.Process) error {
		segment := p.Expose(make([]byte, 1))
		for to := range p.Size() {
			op, err := p.Push(rma.Address{Rank: to, Segment: segment}, []byte{1}, rma.DMA)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
