package mpi_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/mpi/mpitest"
	"musubi/rma"
	"musubi/units"
)

// Who sends without end to a process that takes nothing waits for it, whichever way it
// sends, when a number of messages are on their way.
func TestSendersDoNotRunAhead(t *testing.T) {
	const messages, late = 400, 5 * units.Millisecond
	for _, way := range []string{"Send", "ISend"} {
		t.Run(way, func(t *testing.T) {
			for _, machine := range machines {
				j := job{machine: machine, ranks: 2, options: mpi.Options{Rings: "private", RingBytes: 4 << 10}}
				err := j.run(func(c *mpi.Comm) error {
					data := make([]byte, 1000)
					if c.Rank() == 1 {
						c.Process().Compute(late)
						for range messages {
							if _, err := mpi.Receive(c, 0, 0, data); err != nil {
								return err
							}
						}
						return nil
					}
					for range messages {
						if err := sendBy(way, c, data); err != nil {
							return err
						}
					}
					if now := c.Process().Now(); now < late {
						return fmt.Errorf("has sent %d messages at %v; the receiver takes none before %v", messages, now, late)
					}
					return nil
				})
				if err != nil {
					t.Errorf("%s: %v", machine, err)
				}
			}
		})
	}
}

// sendBy sends to rank 1 in one of two ways.
func sendBy(way string, c *mpi.Comm, data []byte) error {
	if way == "Send" {
		return mpi.Send(c, 1, 0, data)
	}
	r, err := mpi.ISend(c, 1, 0, data)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// Rings that the user of a machine has chosen serve as well, whatever they tell of.
func TestRingsOfTheUser(t *testing.T) {
	const ranks = 3
	packets := rma.PrivateRings(ranks, 16<<10)
	for i := range packets.Private {
		packets.Private[i].Status = rma.PerPacket
	}
	for name, rings := range map[string]rma.Rings{
		"of messages": rma.PrivateRings(ranks, 16<<10),
		"of packets":  packets,
		"for all":     rma.SharedRing(8 << 10),
	} {
		t.Run(name, func(t *testing.T) {
			s := musubi.Scenario{Machine: "ndr", Ranks: ranks, Rings: slices.Repeat([]rma.Rings{rings}, ranks)}
			_, err := musubi.Run(context.Background(), s, func(p rma.Process) error {
				c, err := mpi.New(p)
				if err != nil {
					return err
				}
				return mpitest.Random(c, 0, 10)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
