package mpi_test

import (
	"math/rand/v2"
	"testing"

	"musubi/mpi"
	"musubi/mpi/mpitest"
)

// Programs that access windows at random do what interpreting them does, with messages
// of any protocol.
func TestRandomAccessesDoWhatIsExpected(t *testing.T) {
	programs := uint64(12)
	if *long {
		programs = 1000
	}
	for _, machine := range machines {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			for seed := range programs {
				rng := rand.New(rand.NewPCG(seed, 99))
				j := job{machine: machine, ranks: 1 + rng.IntN(6), options: mpi.Options{
					Rings:     []string{"", "private", "shared"}[rng.IntN(3)],
					RingBytes: []int{0, 4 << 10, 20 << 10}[rng.IntN(3)],
					Eager:     []int{0, 64, 1000, -1}[rng.IntN(4)],
				}}
				err := j.run(func(c *mpi.Comm) error { return mpitest.RandomAccesses(c, seed, 1) })
				if err != nil {
					t.Fatalf("seed %d: %+v: %v", seed, j, err)
				}
			}
		})
	}
}
