package rank

import (
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

type embedded = Rank // whose name is that of a method

// countedShares is a process that counts the pieces of memory that it shares, and the copies to them.
type countedShares struct {
	*embedded
	shared, copies int
}

func (p *countedShares) CopyShared(memory, data []byte) {
	p.copies++
	p.embedded.CopyShared(memory, data)
}

func (p *countedShares) ExposeShared(bytes int) (int, []byte, error) {
	p.shared++
	return p.embedded.ExposeShared(bytes)
}

// A rank whose long messages have been read stages the next one in the same memory: each new piece has pages that the processor has
// not seen, and the first messages of a program would take three times as long.
func TestStagesThatHaveBeenReadAreUsedAgain(t *testing.T) {
	const bytes, rounds, most = 64 << 10, 30, 3
	for _, start := range []struct {
		name string
		send func(c *mpi.Comm, data []byte) error
	}{
		{"Send", func(c *mpi.Comm, data []byte) error { return mpi.Send(c, 0, 1, data) }},
		{"ISend", func(c *mpi.Comm, data []byte) error {
			r, err := mpi.ISend(c, 0, 1, data)
			if err != nil {
				return err
			}
			_, err = r.Wait()
			return err
		}},
		{"SendReceive", func(c *mpi.Comm, data []byte) error {
			_, err := mpi.SendReceive(c, 0, 1, data, mpi.None, 0, []byte(nil))
			return err
		}},
		{"Gather", func(c *mpi.Comm, data []byte) error { return mpi.Gather(c, 0, data, nil) }},
	} {
		var pieces int
		err := inProcess(variant{ringBytes: 64 << 10, arenaBytes: 8 << 20, sleeps: true}, 2, func(p rma.Process) error {
			counted := &countedShares{embedded: p.(*Rank)}
			return mpi.Run(counted, func(c *mpi.Comm) error {
				data, all := make([]byte, bytes), make([]byte, 2*bytes)
				for range rounds {
					var err error
					switch {
					case c.Rank() == 1:
						err = start.send(c, data)
					case start.name == "Gather":
						err = mpi.Gather(c, 0, data, all)
					default:
						_, err = mpi.Receive(c, 1, 1, all)
					}
					if err != nil {
						return err
					}
					if err := mpi.Barrier(c); err != nil {
						return err
					}
				}
				if c.Rank() == 1 {
					pieces = counted.shared
				}
				return nil
			})
		})
		if err != nil || pieces == 0 || pieces > most {
			t.Errorf("%s: %d messages of %d bytes have been staged in %d pieces of memory, with %v; expected 1 to %d", start.name, rounds, bytes, pieces, err, most)
		}
	}
}

// A rank that sends the same data to all others copies it once, and all read that copy. The next operation has another one, as the
// program may have changed the data.
func TestRanksReadOneStage(t *testing.T) {
	const ranks, bytes, rounds = 4, 64 << 10, 20
	for _, o := range []struct {
		name   string
		copies int // of rank 0, in each round
		do     func(c *mpi.Comm, own, all []byte) error
	}{
		{"broadcast", 1, func(c *mpi.Comm, own, _ []byte) error { return mpi.Broadcast(c, 0, own) }},
		{"allgather", 1, func(c *mpi.Comm, own, all []byte) error { return mpi.AllGather(c, own, all) }},
		{"alltoall", ranks - 1, func(c *mpi.Comm, own, all []byte) error {
			copy(all, own)
			return mpi.AllToAll(c, slices.Repeat(own, ranks), all)
		}},
	} {
		copies := 0
		err := inProcess(variant{ringBytes: 64 << 10, arenaBytes: 8 << 20, sleeps: true}, ranks, func(p rma.Process) error {
			counted := &countedShares{embedded: p.(*Rank)}
			return mpi.Run(counted, func(c *mpi.Comm) error {
				if err := c.SetAlgorithm(o.name, "linear"); err != nil {
					return err
				}
				own, all := make([]byte, bytes), make([]byte, ranks*bytes)
				for round := range rounds {
					for i := range own {
						own[i] = byte(i + round + c.Rank())
					}
					if err := o.do(c, own, all); err != nil {
						return err
					}
					for rank := range ranks {
						got := all[rank*bytes:][:bytes]
						if o.name == "broadcast" {
							got, rank = own, 0
						}
						for i := range got {
							if got[i] != byte(i+round+rank) {
								return fmt.Errorf("%s: byte %d of rank %d in round %d is %d; expected %d", o.name, i, rank, round, got[i], byte(i+round+rank))
							}
						}
					}
				}
				if c.Rank() == 0 {
					copies = counted.copies
				}
				return nil
			})
		})
		if err != nil || copies != o.copies*rounds {
			t.Errorf("%s: rank 0 has copied its data %d times in %d rounds, with %v; expected %d times", o.name, copies, rounds, err, o.copies*rounds)
		}
	}
}
