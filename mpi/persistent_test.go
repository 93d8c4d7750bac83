package mpi_test

import (
	"fmt"
	"testing"

	"musubi/mpi"
)

// Persistent operations allocate nothing when they are started, whichever algorithm
// does them.
func TestPersistentOperationsDoNotAllocate(t *testing.T) {
	onLogGP(t, 1, func(c *mpi.Comm) error {
		in, out := make([]float64, 1000), make([]float64, 1000)
		reduce, err := mpi.AllReduceInit(c, in, out, mpi.Sum[float64]())
		if err != nil {
			return err
		}
		exchange, err := mpi.AllToAllWInit(c, in, []mpi.Layout{mpi.Vector(300, 1, 3)}, out, []mpi.Layout{mpi.Vector(300, 1, 2)})
		if err != nil {
			return err
		}
		for name, p := range map[string]*mpi.Persistent{"AllReduce": reduce, "AllToAllW": exchange} {
			allocated := testing.AllocsPerRun(100, func() {
				must(t, p.Start())
				_, err := p.Wait()
				must(t, err)
			})
			if allocated != 0 {
				return fmt.Errorf("%v allocations of a persistent %s; expected none", allocated, name)
			}
		}
		return nil
	})
}
