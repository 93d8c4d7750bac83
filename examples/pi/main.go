// Command pi computes pi on any number of ranks, in any world: in processes on this
// host, or on a simulated cluster.
//
//	go run ./examples/pi --on live -n 4
//	go run ./examples/pi --on ndr -n 64
package main

import (
	"flag"
	"fmt"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

var steps = flag.Int("steps", 1_000_000, "pieces of the integral")

func main() { musubi.Main(program) }

// program is what every rank runs.
func program(p rma.Process) error {
	if *steps < 1 {
		return fmt.Errorf("pi: -steps %d; expected at least 1", *steps)
	}
	return mpi.Run(p, func(c *mpi.Comm) error {
		start := p.Now()
		pi, err := integrate(c, *steps)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Printf("%.10f on %d ranks, after %v\n", pi, c.Size(), p.Now()-start)
		}
		return nil
	})
}

// integrate adds up 4/(1+x^2) from 0 to 1. Each rank takes every Size-th piece, and all ranks get
// the sum.
func integrate(c *mpi.Comm, n int) (float64, error) {
	sum := []float64{0}
	for i := c.Rank(); i < n; i += c.Size() {
		x := (float64(i) + 0.5) / float64(n)
		sum[0] += 4 / (1 + x*x)
	}
	err := mpi.AllReduce(c, sum, sum, mpi.Sum[float64]())
	return sum[0] / float64(n), err
}
