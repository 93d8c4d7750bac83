//go:build !race

// Under the race detector sync.Pool forgets some of what it is given.

package functions_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"musubi"
	"musubi/mpi/abi"
	_ "musubi/mpi/abi/functions"
	"musubi/mpi/abi/standard"
	"musubi/rma"
)

// memory is a host whose program has a few bytes of memory, from address 64 on.
type memory struct {
	bytes [1024]byte
	alone rma.Process
}

func (m *memory) View(at uintptr, bytes int) []byte { return m.bytes[at-64:][:bytes] }

func (m *memory) Read(at uintptr, into []byte) { copy(into, m.View(at, len(into))) }

func (*memory) Look([]uintptr, [][]byte) bool { return false }

func (m *memory) Store(at uintptr, data []byte) { copy(m.bytes[at-64:], data) }

func (*memory) Direct() bool { return true }

func (*memory) Simulated() bool { return true }

func (*memory) Thread() int64 { return 1 }

func (*memory) Yield() {}

func (*memory) Request(abi.Demand, *[8]int64) int64 { return 0 }

func (*memory) Share(int) (int, error) { return 0, errors.ErrUnsupported }

func (*memory) Unshare(int) {}

func (*memory) Map(int, int) ([]byte, int64, error) { return nil, 0, errors.ErrUnsupported }

func (*memory) Unmap([]byte, int64) {}

func (*memory) Tell(string) {}

func (m *memory) Join() (rma.Process, func() error, error) {
	return m.alone, func() error { return nil }, nil
}

func (*memory) Name() string { return "here" }

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
					m := &memory{alone: r}
					binary.NativeEndian.PutUint32(m.bytes[counts-64:], 2)
					binary.NativeEndian.PutUint64(m.bytes[types-64:], byteType)
					binary.NativeEndian.PutUint64(m.bytes[requests+8-64:], standard.RequestNull)
					p := abi.New(m)
					words := make([]int64, abi.MostWords)
					call := func(name string, args []int64) {
						copy(words, args)
						if code := p.Call(abi.Number(name), words[:]); code != standard.Success {
							t.Errorf("%s: code %d", name, code)
						}
					}
					if c.name == "MPI_Gatherv" || c.name == "MPI_Igatherv" || c.name == "MPI_Scatterv" || c.name == "MPI_Allgatherv" {
						binary.NativeEndian.PutUint32(m.bytes[counts-64:], 8)
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
