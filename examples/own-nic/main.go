// Command own-nic runs programs on a network interface that it describes itself: doorbell.go
// is the model, doorbell.toml a machine that has it, and docs/nic.md explains both.
//
//	go run ./examples/own-nic examples/own-nic/doorbell.toml
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
	"musubi/sim/host"
)

func init() { host.Register(entry) }

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: own-nic MACHINE.toml")
	}
	if err := run(os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// run compares the network interface with that of machine ndr, which has the same network.
func run(out io.Writer, file string) error {
	for _, machine := range []string{"ndr", file} {
		for _, set := range []map[string]string{{"bytes": "8", "mechanism": "pio"}, {"bytes": "4096", "mechanism": "push"}} {
			result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{Workload: "pingpong", Machine: machine, Set: set})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s: %s B by %s: %.3f %s\n", result.Machine, set["bytes"], set["mechanism"], result.Rows[0].Value, result.Rows[0].Unit)
		}
		result, err := musubi.Run(context.Background(), musubi.Scenario{Machine: machine, Ranks: 8}, sum)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: sum over 8 ranks: %.3f us\n", result.Machine, result.Simulation.Time.Microseconds())
	}
	return nil
}

// sum is a program on package mpi.
func sum(p rma.Process) error {
	return mpi.Run(p, func(c *mpi.Comm) error {
		total := make([]int, 1)
		if err := mpi.AllReduce(c, []int{c.Rank()}, total, mpi.Sum[int]()); err != nil {
			return err
		}
		if want := c.Size() * (c.Size() - 1) / 2; total[0] != want {
			return fmt.Errorf("the sum of all ranks is %d; expected %d", total[0], want)
		}
		return nil
	})
}
