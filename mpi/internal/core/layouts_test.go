package core

import (
	"testing"

	"musubi/rma"
)

// The beginning of a layout has the first bytes, and less than one element more; it names what the layout does.
func TestBeginningOfALayout(t *testing.T) {
	memory := make([]byte, 200)
	for i := range memory {
		memory[i] = byte(i)
	}
	for _, whole := range []rma.Layout{rma.Strided(7, 11, 9), rma.Strided(1, 3, 20), rma.Strided(30, 40, 3), rma.List(5, 100, 0, 50, 20), rma.List(60, 70, 5)} {
		all := make([]byte, whole.Bytes())
		whole.Gather(all, memory, 0)
		for n := 1; n < len(all); n++ {
			cut := beginning(&whole, n)
			if err := cut.Check(len(memory)); err != nil || cut.Bytes() < n || cut.Bytes() >= n+whole.Element {
				t.Fatalf("%d bytes of %v are %v, %d bytes (%v)", n, whole, cut, cut.Bytes(), err)
			}
			got := make([]byte, cut.Bytes())
			cut.Gather(got, memory, 0)
			if string(got[:n]) != string(all[:n]) {
				t.Fatalf("%d bytes of %v are %v, want %v", n, whole, got[:n], all[:n])
			}
		}
	}
}
