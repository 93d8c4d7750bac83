// Command hello-mpi is a first program on package mpi: a message goes round all ranks
// of a simulated cluster, and each of them adds its number.
//
//	go run ./examples/hello-mpi
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	cluster := musubi.Scenario{Machine: "ndr", Ranks: 8}
	_, err := musubi.Run(context.Background(), cluster, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			visited, err := round(c)
			if err == nil && c.Rank() == 0 {
				fmt.Fprintf(out, "Hello from ranks %d, after %.1f us\n", visited, p.Now().Microseconds())
			}
			return err
		})
	})
	return err
}

// round sends a list of ranks from each to the next, and returns what has come back to
// rank 0.
func round(c *mpi.Comm) ([]int, error) {
	const tag = 0
	next := (c.Rank() + 1) % c.Size()
	if c.Rank() == 0 {
		if err := mpi.Send(c, next, tag, []int{0}); err != nil {
			return nil, err
		}
	}
	visited := make([]int, c.Size())
	status, err := mpi.Receive(c, mpi.AnySource, tag, visited)
	if err != nil {
		return nil, err
	}
	visited = visited[:mpi.Count[int](status)]
	if c.Rank() == 0 {
		return visited, nil
	}
	return nil, mpi.Send(c, next, tag, append(visited, c.Rank()))
}
