package routing

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A packet corrects X, Y, Z, A, C and B in this order, each at once.
func TestTofuOrder(t *testing.T) {
	turn := map[byte]int{'X': 0, 'Y': 1, 'Z': 2, 'A': 3, 'C': 4, 'B': 5}
	seeds := uint64(8)
	if *Long {
		seeds = 200
	}
	for seed := range seeds {
		net := anyTofu(t, rand.New(rand.NewPCG(seed, 2)))
		r := build(t, "tofu", net, Options{})
		for src := range net.EndPoints {
			for dst := range net.EndPoints {
				path, _ := r.Path(src, dst)
				last := 0
				for _, hop := range path {
					axis := changed(net.Shape.Coordinates(nil, net.From(hop.Channel()).Switch), net.Shape.Coordinates(nil, net.To(hop.Channel()).Switch))
					if now := turn["XYZABC"[axis]]; now < last {
						t.Fatalf("%s: the path from %d to %d goes along %c after a later axis", net.Name, src, dst, "XYZABC"[axis])
					} else {
						last = now
					}
				}
			}
		}
	}
}

// changed returns the first coordinate in which two nodes differ.
func changed(a, b []int) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	panic(fmt.Sprintf("%v twice", a))
}
