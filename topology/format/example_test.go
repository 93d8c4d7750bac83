package format_test

import (
	"fmt"
	"os"

	"musubi/topology/format"
	"musubi/topology/generate"
)

func ExampleFormat_Write() {
	n, err := generate.Network("ring:3", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	edges, err := format.Named("edges")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := edges.Write(os.Stdout, n); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # 3 switches, 3 links
	// s0 s2
	// s0 s1
	// s1 s2
}
