package mpi_test

import (
	"math/rand/v2"
	"testing"

	"musubi/mpi"
	"musubi/mpi/mpitest"
)

// Programs that send and receive at random match as MPI says, with rings of any kind.
func TestRandomPrograms(t *testing.T) {
	programs := uint64(15)
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
					Eager:     []int{0, 64, 1000}[rng.IntN(3)],
				}}
				if err := j.run(func(c *mpi.Comm) error { return mpitest.Random(c, seed, 1) }); err != nil {
					t.Fatalf("%+v: %v", j, err)
				}
			}
		})
	}
}
