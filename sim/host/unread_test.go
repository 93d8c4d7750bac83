package host_test

import (
	"testing"
	"unsafe"

	"musubi/rma"
	"musubi/sim/host/hosttest"
)

// Memory that nobody looks at is the same at all ranks, and that of different calls is not.
func TestRanksShareUnreadMemory(t *testing.T) {
	const ranks = 4
	c := hosttest.NewRanks(t, "ndr", ranks)
	var got [ranks][3][]byte
	err := c.Run(func(p rma.Process) error {
		for i, n := range []int{1000, 2000, 1000 + p.Rank()} {
			got[p.Rank()][i] = rma.Unread(p, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	first := func(b []byte) *byte { return unsafe.SliceData(b) }
	for rank := range got {
		for i := range 2 {
			if first(got[rank][i]) != first(got[0][i]) {
				t.Errorf("memory %d of rank %d is its own; expected that of rank 0", i, rank)
			}
		}
		for i, n := range []int{1000, 2000, 1000 + rank} {
			if len(got[rank][i]) != n || cap(got[rank][i]) != n {
				t.Errorf("memory %d of rank %d has %d bytes, and room for %d; expected %d", i, rank, len(got[rank][i]), cap(got[rank][i]), n)
			}
		}
		if first(got[rank][0]) == first(got[rank][1]) {
			t.Errorf("two memories of rank %d are the same", rank)
		}
	}
}
