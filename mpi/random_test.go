package mpi_test

import (
	"math/rand/v2"
	"testing"

	"musubi/mpi"
	"musubi/mpi/mpitest"
)

// Programs that send and receive at random match as MPI says. They block in short sends
// as if these were eager.
func TestRandomPrograms(t *testing.T) { testRandom(t, 15, 400, []int{0, 64, 1000}, mpitest.Random) }

// Programs that access windows at random do what interpreting them does.
func TestRandomAccesses(t *testing.T) {
	testRandom(t, 5, 60, []int{0, 64, 1000, -1}, mpitest.RandomAccesses)
}

// testRandom runs random programs on every machine, more with -long, with rings of any kind
// and some eager limits.
func testRandom(t *testing.T, usually, atLength int, eager []int, run func(c *mpi.Comm, seed, programs uint64) error) {
	programs := scaled(usually)
	if *long {
		programs = scaled(atLength)
	}
	for _, machine := range machines {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(programs) {
				rng := rand.New(rand.NewPCG(seed, 99))
				j := job{machine: machine, ranks: 1 + rng.IntN(6), options: mpi.Options{
					Rings:     []string{"", "private", "shared"}[rng.IntN(3)],
					RingBytes: []int{0, 4 << 10, 20 << 10}[rng.IntN(3)],
					Eager:     eager[rng.IntN(len(eager))],
				}}
				if err := j.run(func(c *mpi.Comm) error { return run(c, seed, 1) }); err != nil {
					t.Fatalf("%+v: %v", j, err)
				}
			}
		})
	}
}
