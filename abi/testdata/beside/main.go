// Command beside is a rank in Go of a job that also has ranks in C: ../beside.c does the same.
package main

import (
	"fmt"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

func main() {
	musubi.Main(func(p rma.Process) error { return mpi.Run(p, program) })
}

func program(c *mpi.Comm) error {
	one := int64(c.Rank() + 1)
	next := (c.Rank() + 1) % c.Size()
	sum, err := mpi.AllReduceValue(c, one, mpi.Sum)
	if err != nil {
		return err
	}
	mine, got := []float64{float64(c.Rank()) + 0.5, 20, 30}, make([]float64, 3)
	status, err := mpi.SendReceive(c, next, 7, mine, mpi.AnySource, 7, got)
	if err != nil {
		return err
	}
	text := []byte("from Go")
	if err := mpi.Broadcast(c, 0, text); err != nil {
		return err
	}
	half, err := c.Split(c.Rank()%2, c.Rank())
	if err != nil {
		return err
	}
	halves := half.Size()
	if err := mpi.Barrier(half); err != nil {
		return err
	}
	if err := half.Free(); err != nil {
		return err
	}
	fmt.Printf("Go %d: sum %d, %d from %d with %g, %s, %d in a half\n", c.Rank(), sum, mpi.Count[float64](status), status.From, got[0], text, halves)
	return nil
}
