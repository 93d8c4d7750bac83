package routing_test

import (
	"fmt"

	"musubi/routing"
	"musubi/topology/generate"
)

// Shortest paths on a ring wait for each other in a circle. Descending layers
// take the same paths, but change the virtual channel where the circle would
// close.
func ExampleVerify() {
	net, err := generate.Network("ring:5", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"minimal", "dl"} {
		algorithm, err := routing.Lookup(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		routes, err := algorithm.Build(net, routing.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		proof := routing.Verify(routes)
		fmt.Printf("%s: free of deadlock %v\n", name, proof.DeadlockFree())
		for _, d := range proof.Cycle {
			c := d.Hop.Channel()
			fmt.Printf("  %s to %s, held by packets from %s to %s\n",
				net.SwitchName(net.From(c).Switch), net.SwitchName(net.To(c).Switch),
				net.EndPointName(d.By.Src), net.EndPointName(d.By.Dst))
		}
	}
	// Output:
	// minimal: free of deadlock false
	//   s0 to s4, held by packets from h0 to h3
	//   s4 to s3, held by packets from h4 to h2
	//   s3 to s2, held by packets from h3 to h1
	//   s2 to s1, held by packets from h2 to h0
	//   s1 to s0, held by packets from h1 to h4
	// dl: free of deadlock true
}
