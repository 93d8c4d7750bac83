package rank

import (
	"fmt"
	"runtime"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Barriers and short operations between ranks that share memory allocate nothing.
func TestSharedBarriersHardlyAllocate(t *testing.T) {
	skipCountsWithRace(t)
	const times = 500
	for _, name := range []string{"windows", "small arenas"} {
		err := inProcess(variants[name], 3, func(p rma.Process) error {
			c, err := mpi.New(p, mpi.Options{Check: mpi.CheckOff})
			if err != nil {
				return err
			}
			sum := mpi.Sum[float64]()
			some, all := make([]float64, 4), make([]float64, 12)
			var before, after runtime.MemStats
			for i := range times {
				if i == times/10 {
					runtime.ReadMemStats(&before)
				}
				if err := mpi.AllReduce(c, some, some, sum); err != nil {
					return err
				}
				for _, err := range [...]error{mpi.Barrier(c), mpi.Broadcast(c, 1, some), mpi.Gather(c, 2, some, all), mpi.AllToAll(c, all, all)} {
					if err != nil {
						return err
					}
				}
			}
			runtime.ReadMemStats(&after)
			if n := after.Mallocs - before.Mallocs; n > times/5 {
				return fmt.Errorf("%s: %d barriers of 3 ranks allocate %d times", name, times, n)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
