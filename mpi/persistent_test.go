package mpi_test

import (
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/rma"
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

// Neither do neighbourhood operations after the first round: not with layouts, nor by
// command queues, nor without.
func TestPersistentNeighbourhoodOperationsDoNotAllocate(t *testing.T) {
	for _, machine := range []string{"loggp", "tofu2"} {
		for _, protocol := range []mpi.Protocol{mpi.PRDMA, mpi.FAST, mpi.MRC} {
			err := job{machine: machine, ranks: 1}.run(func(c *mpi.Comm) error {
				grid, err := c.Cart([]int{1, 1}, []bool{true, true}, false)
				if err != nil {
					return err
				}
				matrix := make([]float64, 40)
				layouts := []mpi.Layout{mpi.Vector(3, 2, 4), mpi.Vector(1, 5, 5), mpi.Vector(5, 1, 2), {}}
				p, err := mpi.NeighbourAllToAllWInit(grid, matrix[:20], layouts, matrix[20:], []mpi.Layout{layouts[1], layouts[0], layouts[3], layouts[2]},
					mpi.ExchangeOptions{Protocol: protocol})
				if err != nil {
					return err
				}
				allocated := testing.AllocsPerRun(100, func() {
					must(t, p.Start())
					_, err := p.Wait()
					must(t, err)
				})
				const pushes = 4 + 3 + 4 // that partners are ready, data, and that it is there
				most := 0.0
				if p.Plan().Protocol == mpi.PRDMA {
					most = pushes * allocsOfPush(t, c.Process())
				}
				if allocated > most {
					return fmt.Errorf("%s: %v allocations by %v; expected %v, as many as the machine makes", machine, allocated, p.Plan(), most)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func allocsOfPush(t *testing.T, p rma.Process) float64 {
	memory := make([]byte, 8)
	segment := p.Expose(memory)
	return testing.AllocsPerRun(100, func() {
		op, err := p.Push(rma.Address{Rank: p.Rank(), Segment: segment}, memory, rma.DMA)
		must(t, err)
		must(t, p.Wait(op))
	})
}
