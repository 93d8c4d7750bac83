package hosttest_test

import (
	"testing"
	"unsafe"

	"musubi/rma"
	"musubi/sim/host/hosttest"
)

// Memory that nobody changes is the same at all ranks, filled once, and that of different calls is not.
func TestRanksShareConstantMemory(t *testing.T) {
	const ranks = 4
	c := hosttest.NewRanks(t, "ndr", ranks)
	var got [ranks][3][]byte
	filled := 0
	err := c.Run(func(p rma.Process) error {
		for i, n := range []int{1000, 2000, 1000 + p.Rank()} {
			got[p.Rank()][i] = rma.Constant(p, n, func(memory []byte) {
				filled++
				memory[n-1] = byte(i + 1)
			})
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
			if len(got[rank][i]) != n || got[rank][i][n-1] != byte(i+1) {
				t.Errorf("memory %d of rank %d has %d bytes, the last %d; expected %d, and %d", i, rank, len(got[rank][i]), got[rank][i][len(got[rank][i])-1], n, i+1)
			}
		}
		if first(got[rank][0]) == first(got[rank][1]) {
			t.Errorf("two memories of rank %d are the same", rank)
		}
	}
	if want := 2 + ranks; filled != want { // the third has another size at each rank
		t.Errorf("memory has been filled %d times; expected %d", filled, want)
	}
}

// Messages refer to parts of constant memory only, and only on machines whose data is moved from memory to memory.
func TestMessagesReferToConstantMemory(t *testing.T) {
	for machine, refers := range map[string]bool{"ndr": true, "loggp": true, "dimmnet2": false} {
		c := hosttest.NewRanks(t, machine, 2)
		err := c.Run(func(p rma.Process) error {
			first := rma.Constant(p, 1000, func([]byte) {})
			second := rma.Constant(p, 100, func([]byte) {})
			for _, data := range [][]byte{first, first[:0], first[999:], first[400:500], second, second[99:]} {
				if got := p.(rma.Sharer).Reference(data) != nil; got != refers {
					t.Errorf("%s: messages refer to constant memory: %v; expected %v", machine, got, refers)
				}
			}
			for _, data := range [][]byte{make([]byte, 10), make([]byte, 3000)} {
				if p.(rma.Sharer).Reference(data) != nil {
					t.Errorf("%s: messages refer to memory that may change", machine)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
