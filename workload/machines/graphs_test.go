package machines_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
)

// Ranks without bytes find out as well whether the edges of a graph fit: random ones do, those of which one end is missing do not.
func TestGraphsWithoutBytes(t *testing.T) {
	const ranks = 6
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		sources, destinations := make([][]int, ranks), make([][]int, ranks)
		for range rng.IntN(20) {
			from, to := rng.IntN(ranks), rng.IntN(ranks)
			sources[to] = append(sources[to], from)
			destinations[from] = append(destinations[from], to)
		}
		graphWithoutBytes(t, sources, destinations, -1, "")
		lonely := rng.IntN(ranks) // has a source too many
		from := rng.IntN(ranks)
		count := func(list []int) (n int) {
			for _, rank := range list {
				if rank == from {
					n++
				}
			}
			return n
		}
		sources[lonely] = append(sources[lonely], from)
		n := count(sources[lonely])
		graphWithoutBytes(t, sources, destinations, lonely, fmt.Sprintf("%d sources that are rank %d, which has %d such destinations", n, from, n-1))
	}
	destinations := make([][]int, ranks)
	destinations[3] = []int{5, 5}
	graphWithoutBytes(t, make([][]int, ranks), destinations, 5, "0 sources that are rank 3, which has 2 such destinations")
}

// graphWithoutBytes fails unless making a graph twice gives an error at one rank alone, and another one elsewhere; -1: at none.
func graphWithoutBytes(t *testing.T, sources, destinations [][]int, wrong int, says string) {
	t.Helper()
	cfg := hosttest.NewRanks(t, "ndr", len(sources)).Config
	cfg.Phantom = true
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	hosttest.Run(t, c, func(p rma.Process) error {
		comm, err := mpi.New(p, mpi.Options{})
		if err != nil {
			return err
		}
		for range 2 {
			_, err := comm.Graph(sources[comm.Rank()], destinations[comm.Rank()])
			switch {
			case wrong < 0 && err != nil:
				return err
			case wrong >= 0 && !errors.Is(err, mpi.ErrTopology):
				t.Errorf("rank %d of a graph in which rank %d is wrong: error %v", comm.Rank(), wrong, err)
			case wrong >= 0 && strings.Contains(err.Error(), says) != (comm.Rank() == wrong):
				t.Errorf("rank %d: error %q; expected %q at rank %d alone", comm.Rank(), err, says, wrong)
			}
		}
		return nil
	})
}
