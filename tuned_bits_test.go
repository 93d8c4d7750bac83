package musubi_test

import (
	"errors"
	"math"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

// sums returns a hash of sums of floating-point numbers of 6 ranks of loggp, which depend on the order.
func sums(t *testing.T, tuning string) (hash uint64) {
	t.Helper()
	const ranks = 6
	_, err := musubi.Run(t.Context(), musubi.Scenario{Machine: "loggp", Ranks: ranks, Tuning: tuning}, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			var err error
			for n := 1; n <= 1<<12; n *= 8 {
				in, out, part := make([]float64, n*ranks), make([]float64, n*ranks), make([]float64, n)
				for i := range in {
					in[i] = 1 / float64(1+i*(c.Rank()+1))
				}
				err = errors.Join(err, mpi.AllReduce(c, in, out, mpi.Sum[float64]()), mpi.ReduceScatter(c, in, part, mpi.Sum[float64]()))
				if c.Rank() == 0 {
					for _, x := range append(out, part...) {
						hash = hash*31 + math.Float64bits(x)
					}
				}
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// What comes along with a machine does not change how sums are rounded; measurements that are named
// may.
func TestTablesThatComeAlongKeepResults(t *testing.T) {
	usual := sums(t, "none")
	if got := sums(t, ""); got != usual {
		t.Errorf("the sums are %x; expected %x, as without measurements", got, usual)
	}
	if got := sums(t, "loggp"); got == usual {
		t.Errorf("the sums are %x by other algorithms, too; so this test tells nothing", got)
	}
}
