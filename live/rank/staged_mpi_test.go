package rank

import (
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

type embedded = Rank // whose name is that of a method

// countedShares is a process that counts the pieces of memory that it shares.
type countedShares struct {
	*embedded
	shared int
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
