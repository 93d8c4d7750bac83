package mpi_test

import (
	"fmt"

	"musubi/mpi"
)

// All ranks learn the sum of their numbers, and where the largest one is.
func ExampleAllReduce() {
	run("ndr", 5, func(c *mpi.Comm) error {
		number := float64(c.Rank() * (6 - c.Rank()))
		sum := []float64{number}
		if err := mpi.AllReduce(c, sum, sum, mpi.Sum[float64]()); err != nil {
			return err
		}
		top := []mpi.Located[float64]{{Value: number, Index: c.Rank()}}
		if err := mpi.AllReduce(c, top, top, mpi.MaxLocation[float64]()); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println("sum", sum[0], "and largest", top[0].Value, "at rank", top[0].Index)
		}
		return nil
	})
	// Output:
	// sum 30 and largest 9 at rank 3
}

// Rank 0 collects words of different lengths.
func ExampleGatherV() {
	run("rhinet2", 3, func(c *mpi.Comm) error {
		word := []byte([]string{"a", "few", "words"}[c.Rank()])
		if c.Rank() > 0 {
			return mpi.GatherV(c, 0, word, nil)
		}
		text := make([]byte, 9)
		if err := mpi.GatherV(c, 0, word, [][]byte{text[:1], text[1:4], text[4:]}); err != nil {
			return err
		}
		fmt.Printf("%s\n", text)
		return nil
	})
	// Output:
	// afewwords
}

// On a grid of 2 x 3 ranks, each sends its number to the one after it in its row.
func ExampleComm_Cart() {
	run("ndr", 6, func(c *mpi.Comm) error {
		grid, err := c.Cart([]int{2, 3}, []bool{false, true}, false)
		if err != nil {
			return err
		}
		before, after, err := grid.Shift(1, 1)
		if err != nil {
			return err
		}
		got := make([]int, 1)
		if _, err := mpi.SendReceive(grid.Comm, after, 0, []int{grid.Rank()}, before, 0, got); err != nil {
			return err
		}
		all := make([]int, 6)
		if err := mpi.Gather(grid.Comm, 0, got, all); err != nil {
			return err
		}
		if grid.Rank() == 0 {
			fmt.Println(all[:3], all[3:])
		}
		return nil
	})
	// Output:
	// [2 0 1] [5 3 4]
}
