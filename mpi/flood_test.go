package mpi_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// exchangeAll sends to all others first, and receives only then.
func exchangeAll(c *mpi.Comm, messages int, size func(i int) int) error {
	for i := range messages {
		for to := range c.Size() {
			if err := mpi.Send(c, to, i, text(size(i), c.Rank()+i)); err != nil {
				return err
			}
		}
	}
	for from := range c.Size() {
		for i := messages - 1; i >= 0; i-- {
			got := make([]byte, size(i))
			if _, err := mpi.Receive(c, from, i, got); err != nil {
				return err
			}
			if !slices.Equal(got, text(size(i), from+i)) {
				return fmt.Errorf("message %d of rank %d is not what was sent", i, from)
			}
		}
	}
	return nil
}

func TestAllSendFirst(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		return exchangeAll(c, 3, func(i int) int { return []int{0, short, 8 << 10}[i] })
	})
}

// Messages that nobody has asked for yet do not fill up small rings for good, though
// all processes send at once and far more than the rings hold.
func TestFloodOfSmallRings(t *testing.T) {
	for _, machine := range machines {
		for _, rings := range []string{"private", "shared"} {
			t.Run(machine+" "+rings, func(t *testing.T) {
				t.Parallel()
				j := job{machine, 4, mpi.Options{Rings: rings, RingBytes: 4 << 10}}
				err := j.run(func(c *mpi.Comm) error {
					return exchangeAll(c, 120, func(i int) int { return i % 50 * 40 })
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Who sends without end to a process that takes nothing waits for it, whichever way it
// sends, when a number of messages are on their way.
func TestSendersDoNotRunAhead(t *testing.T) {
	const messages, late = 400, 5 * units.Millisecond
	for _, way := range []string{"Send", "ISend"} {
		t.Run(way, func(t *testing.T) {
			for _, machine := range machines {
				j := job{machine, 2, mpi.Options{Rings: "private", RingBytes: 4 << 10}}
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

// Long messages go round in a ring of ranks, of which each sends before it receives.
func TestRingOfLongMessages(t *testing.T) {
	everywhere(t, 5, func(c *mpi.Comm) error {
		n := c.Size()
		right, left := (c.Rank()+1)%n, (c.Rank()+n-1)%n
		data, into := text(large, c.Rank()), make([]byte, large)
		for lap := range n {
			out, err := mpi.ISend(c, right, lap, data)
			if err != nil {
				return err
			}
			in, err := mpi.IReceive(c, left, lap, into)
			if err != nil {
				return err
			}
			if err := mpi.WaitAll(out, in); err != nil {
				return err
			}
			data, into = into, data
		}
		if !slices.Equal(data, text(large, c.Rank())) {
			return fmt.Errorf("what has come round is not what was sent")
		}
		_, err := mpi.SendReceive(c, right, n, data, left, n, into)
		if err == nil && !slices.Equal(into, text(large, left)) {
			err = fmt.Errorf("SendReceive: wrong data")
		}
		return err
	})
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
				return exchangeAll(c, 10, func(i int) int { return 800 * i })
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
