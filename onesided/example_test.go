package onesided_test

import (
	"fmt"

	"musubi/onesided"
)

// Scattered elements travel packed, in packets that may cut them in two.
func ExampleLayout() {
	memory := []byte("ab..cd..ef..gh..")
	pairs := onesided.Layout{Element: 2, Stride: 4, Count: 4}
	packet := make([]byte, 3)
	for from := 0; from < pairs.Bytes(); {
		n := pairs.Gather(packet, memory, from)
		fmt.Printf("%s in %d pieces\n", packet[:n], pairs.Pieces(from, n))
		from += n
	}
	// Output:
	// abc in 2 pieces
	// def in 2 pieces
	// gh in 1 pieces
}
