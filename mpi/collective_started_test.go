package mpi_test

import (
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
)

// Operations that together have more messages than may be on their way at once go on
// as there is room, whether their rank waits or only looks.
func TestManyOperationsAtOnceWaitForRoom(t *testing.T) {
	const ranks, at = 40, 8 // more than 256 messages
	for _, looks := range []bool{false, true} {
		onLogGP(t, ranks, func(c *mpi.Comm) error {
			var requests []*mpi.Request
			var outs [][]int32
			for i := range at {
				in, out := slices.Repeat([]int32{int32(100*c.Rank() + i)}, 100*ranks), make([]int32, 100*ranks)
				r, err := mpi.IAllToAll(c, in, out)
				if err != nil {
					return err
				}
				requests, outs = append(requests, r), append(outs, out)
			}
			for looks {
				all, err := mpi.TestAll(requests...)
				if err != nil {
					return err
				}
				if all {
					break
				}
			}
			if err := mpi.WaitAll(requests...); err != nil {
				return err
			}
			for i, out := range outs {
				for from, part := range slices.Collect(slices.Chunk(out, 100)) {
					if want := int32(100*from + i); slices.Min(part) != want || slices.Max(part) != want {
						return fmt.Errorf("operation %d: rank %d has sent %d to %d; expected %d", i, from, slices.Min(part), slices.Max(part), want)
					}
				}
			}
			return nil
		})
	}
}

// Started operations cost one allocation beyond those of the operation that waits: the
// request.
func TestStartedOperationsAllocateTheirRequest(t *testing.T) {
	onLogGP(t, 1, func(c *mpi.Comm) error {
		data := make([]float64, 100)
		waits := testing.AllocsPerRun(100, func() { must(t, mpi.Broadcast(c, 0, data)) })
		start := func() {
			r, err := mpi.IBroadcast(c, 0, data)
			must(t, err)
			_, err = r.Wait()
			must(t, err)
		}
		for range 4 { // which take the requests that are there from the beginning
			start()
		}
		started := testing.AllocsPerRun(100, start)
		if waits != 0 || started != 1 {
			return fmt.Errorf("%v allocations of a broadcast, %v of one that is started; expected 0 and 1", waits, started)
		}
		return nil
	})
}

// What operations on parts make of them they use again.
func TestOperationsOnPartsAllocateNothing(t *testing.T) {
	onLogGP(t, 1, func(c *mpi.Comm) error {
		mine, parts, others, sum := make([]int32, 5), [][]int32{make([]int32, 5)}, [][]int32{make([]int32, 5)}, mpi.Sum[int32]()
		for name, once := range map[string]func() error{
			"AllToAllV":      func() error { return mpi.AllToAllV(c, parts, others) },
			"AllGatherV":     func() error { return mpi.AllGatherV(c, mine, parts) },
			"ReduceScatterV": func() error { return mpi.ReduceScatterV(c, parts, mine, sum) },
		} {
			if n := testing.AllocsPerRun(100, func() { must(t, once()) }); n != 0 {
				return fmt.Errorf("%v allocations of %s; expected none", n, name)
			}
		}
		return nil
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
