package topology_test

import (
	"fmt"
	"os"

	"musubi/topology"
)

func ExampleOpen() {
	n, err := topology.Open("torus:4x4", 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	diameter, _ := n.Diameter()
	fmt.Println(n.Summary())
	fmt.Println("diameter", diameter)
	// Output:
	// 16 switches, 32 links, 32 hosts
	// diameter 4
}

func ExampleFormat_Write() {
	n, err := topology.Open("ring:3", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	edges, err := topology.FormatNamed("edges")
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
