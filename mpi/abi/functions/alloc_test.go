//go:build !race

// Under the race detector sync.Pool forgets some of what it is given.

package functions_test

import (
	"context"
	"fmt"
	"testing"

	"musubi"
	"musubi/mpi/abi/abitest"
	_ "musubi/mpi/abi/functions"
	"musubi/mpi/abi/standard"
	"musubi/rma"
)

// The memory that a call has allocated is fresh, and the first look at a page of it takes longer than tens of short
// calls. So calls use again what others have allocated.
func TestShortCallsAllocateNothing(t *testing.T) {
	const in, out, counts, at, types, requests, world = 64, 128, 192, 256, 320, 384, standard.CommWorld
	const float, byteType, sum = standard.Float, standard.Byte, standard.Sum
	wait := []int64{requests, 0}
	waitAll := []int64{2, requests, 0}
	for _, c := range []struct {
		name string
		args []int64
		more string // that takes the request of the first
		and  []int64
	}{
		{name: "MPI_Barrier", args: []int64{world}},
		{name: "MPI_Bcast", args: []int64{in, 8, byteType, 0, world}},
		{name: "MPI_Reduce", args: []int64{in, out, 2, float, sum, 0, world}},
		{name: "MPI_Allreduce", args: []int64{in, out, 2, float, sum, world}},
		{name: "MPI_Reduce_scatter", args: []int64{in, out, counts, float, sum, world}},
		{name: "MPI_Reduce_scatter_block", args: []int64{in, out, 2, float, sum, world}},
		{name: "MPI_Scan", args: []int64{in, out, 2, float, sum, world}},
		{name: "MPI_Gather", args: []int64{in, 8, byteType, out, 8, byteType, 0, world}},
		{name: "MPI_Gatherv", args: []int64{in, 8, byteType, out, counts, at, byteType, 0, world}},
		{name: "MPI_Scatter", args: []int64{in, 8, byteType, out, 8, byteType, 0, world}},
		{name: "MPI_Scatterv", args: []int64{in, counts, at, byteType, out, 8, byteType, 0, world}},
		{name: "MPI_Allgather", args: []int64{in, 8, byteType, out, 8, byteType, world}},
		{name: "MPI_Allgatherv", args: []int64{in, 8, byteType, out, counts, at, byteType, world}},
		{name: "MPI_Alltoall", args: []int64{in, 8, byteType, out, 8, byteType, world}},
		{name: "MPI_Alltoallv", args: []int64{in, counts, at, byteType, out, counts, at, byteType, world}},
		{name: "MPI_Alltoallw", args: []int64{in, counts, at, types, out, counts, at, types, world}},
		{name: "MPI_Sendrecv", args: []int64{in, 8, byteType, 0, 1, out, 8, byteType, 0, 1, world, 0}},
		{"MPI_Ibarrier", []int64{world, requests}, "MPI_Wait", wait},
		{"MPI_Ibcast", []int64{in, 8, byteType, 0, world, requests}, "MPI_Wait", wait},
		{"MPI_Iallreduce", []int64{in, out, 2, float, sum, world, requests}, "MPI_Wait", wait},
		{"MPI_Igatherv", []int64{in, 8, byteType, out, counts, at, byteType, 0, world, requests}, "MPI_Wait", wait},
		{"MPI_Ialltoallw", []int64{in, counts, at, types, out, counts, at, types, world, requests}, "MPI_Wait", wait},
		{"MPI_Ibarrier", []int64{world, requests}, "MPI_Waitall", waitAll},
		{"MPI_Ibarrier", []int64{world, requests}, "MPI_Waitsome", []int64{2, requests, in, out, 0}},
		{"MPI_Ibarrier", []int64{world, requests}, "MPI_Testany", []int64{2, requests, in, out, 0}},
	} {
		for _, level := range []int64{standard.ThreadSingle, standard.ThreadMultiple} {
			t.Run(fmt.Sprint(c.name, c.more, level), func(t *testing.T) {
				_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "loggp", Ranks: 1}, func(r rma.Process) error {
					p := &abitest.Program{Process: r}
					length := int32(2) // of a part, in elements of type Float
					if c.name == "MPI_Gatherv" || c.name == "MPI_Igatherv" || c.name == "MPI_Scatterv" || c.name == "MPI_Allgatherv" {
						length = 8 // of type Byte
					}
					p.PutInt(counts, length)
					p.PutWord(types, byteType)
					p.PutWord(requests+8, standard.RequestNull)
					caller := p.Caller(t)
					call := func(name string, args []int64) {
						if code := caller(name, args...); code != standard.Success {
							t.Errorf("%s: code %d", name, code)
						}
					}
					call("MPI_Init_thread", []int64{0, 0, level, in})
					got := testing.AllocsPerRun(200, func() {
						if call(c.name, c.args); c.more != "" {
							call(c.more, c.and)
						}
					})
					if got != 0 {
						t.Errorf("%v allocations a call; expected 0", got)
					}
					call("MPI_Finalize", nil)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
