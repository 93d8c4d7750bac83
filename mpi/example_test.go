package mpi_test

import (
	"context"
	"fmt"
	"log"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

// run runs a program on some ranks of a simulated machine.
func run(machine string, ranks int, program func(c *mpi.Comm) error) {
	scenario := musubi.Scenario{Machine: machine, Ranks: ranks}
	_, err := musubi.Run(context.Background(), scenario, func(p rma.Process) error {
		c, err := mpi.New(p)
		if err != nil {
			return err
		}
		return program(c)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// All ranks but one send it some numbers; it takes them as they come.
func Example() {
	run("ndr", 4, func(c *mpi.Comm) error {
		if c.Rank() > 0 {
			return mpi.Send(c, 0, 0, make([]float64, c.Rank()))
		}
		numbers := make([]float64, 10)
		total := 0
		for range c.Size() - 1 {
			status, err := mpi.Receive(c, mpi.AnySource, 0, numbers)
			if err != nil {
				return err
			}
			total += mpi.Count[float64](status)
		}
		fmt.Println("rank 0 has got", total, "numbers")
		return nil
	})
	// Output:
	// rank 0 has got 6 numbers
}

// Two ranks exchange what they need of each other, and can compute meanwhile.
func ExampleIReceive() {
	run("dimmnet2", 2, func(c *mpi.Comm) error {
		mine, theirs := []int{10 + c.Rank()}, make([]int, 1)
		in, err := mpi.IReceive(c, 1-c.Rank(), 0, theirs)
		if err != nil {
			return err
		}
		out, err := mpi.ISend(c, 1-c.Rank(), 0, mine)
		if err != nil {
			return err
		}
		// Compute what does not depend on it.
		if err := mpi.WaitAll(in, out); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println("rank 1 has sent", theirs[0])
		}
		return nil
	})
	// Output:
	// rank 1 has sent 11
}

// A column of a matrix of 3 x 3 is sent, and received as a row.
func ExampleVector() {
	run("rhinet2", 2, func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			matrix := []int{
				1, 2, 3,
				4, 5, 6,
				7, 8, 9,
			}
			return mpi.SendLayout(c, 1, 0, matrix[1:], mpi.Vector(3, 1, 3))
		}
		row := make([]int, 3)
		_, err := mpi.Receive(c, 0, 0, row)
		fmt.Println(row)
		return err
	})
	// Output:
	// [2 5 8]
}
