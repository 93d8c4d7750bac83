package rma_test

import (
	"fmt"
	"testing"

	"musubi/rma"
)

// What is printed names what is meant, also if there is no such thing.
func TestNamesOfReductionsAndMulticastMethods(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"barrier": rma.NoOp, "xor": rma.Xor, "replace": rma.Replace, "reduction 8": rma.Replace + 1,
		"chain": rma.Chain, "hierarchical": rma.Hierarchical, "multicast method 2": rma.Hierarchical + 1,
	} {
		if got.String() != want {
			t.Errorf("%q; expected %q", got, want)
		}
	}
}
