package networks_test

import (
	"fmt"

	"musubi/topology/networks"
)

func ExampleOpen() {
	n, err := networks.Open("torus:4x4", 2)
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
