package mpi_test

import (
	"fmt"

	"musubi/mpi"
)

// Ranks in a ring tell both neighbours how warm they are, step by step. All is prepared
// before the first step; between Start and Wait the interfaces do it.
func ExampleNeighbourAllToAllInit() {
	run("tofu2", 4, func(c *mpi.Comm) error {
		ring, err := c.Cart([]int{c.Size()}, []bool{true}, false)
		if err != nil {
			return err
		}
		mine, before, after := []float64{0}, []float64{0}, []float64{0}
		if ring.Rank() == 0 {
			mine[0] = 64
		}
		p, err := mpi.NeighbourAllToAllInit(ring, [][]float64{mine, mine}, [][]float64{before, after})
		if err != nil {
			return err
		}
		for range 4 {
			if err := p.Start(); err != nil {
				return err
			}
			// What does not need the neighbours is computed here.
			if _, err := p.Wait(); err != nil {
				return err
			}
			mine[0] = (before[0] + 2*mine[0] + after[0]) / 4
		}
		if ring.Rank() == 0 {
			plan := p.Plan()
			fmt.Println("it is", mine[0], "at rank 0")
			fmt.Println(plan.Protocol, "on", plan.Queues, "queues of engines", plan.Engines)
			fmt.Println(plan.Reason)
		}
		return p.Free()
	})
	// Output:
	// it is 18 at rank 0
	// FAST on 2 queues of engines [0 1]
	// predicted to take the least time with the 24 command queues that are free
}

// The queues of a process are divided among its operations, when the first one starts.
func ExamplePersistent_Plan() {
	run("tofu2", 9, func(c *mpi.Comm) error {
		grid, err := c.Cart([]int{3, 3}, []bool{true, true}, false)
		if err != nil {
			return err
		}
		var all []*mpi.Persistent
		for _, o := range []mpi.ExchangeOptions{{}, {Protocol: mpi.MRC}, {Protocol: mpi.PRDMA}, {Protocol: mpi.Shared, Queues: 3}} {
			p, err := mpi.NeighbourAllToAllInit(grid, parts(4, 1000), parts(4, 1000), o)
			if err != nil {
				return err
			}
			all = append(all, p)
		}
		if err := mpi.StartAll(all...); err != nil {
			return err
		}
		for _, p := range all {
			if _, err := p.Wait(); err != nil {
				return err
			}
			if plan := p.Plan(); grid.Rank() == 0 {
				fmt.Println(plan.Protocol, "on engines", plan.Engines)
				fmt.Println("   ", plan.Reason)
			}
		}
		return grid.Free()
	})
	// Output:
	// FAST on engines [0 1 2 3]
	//     predicted to take the least time with the 24 command queues that are free for 4 operations together
	// MRC on engines [0]
	//     the program asks for MRC
	// PRDMA on engines []
	//     the program asks for PRDMA
	// shared on engines [0 1 2]
	//     the program asks for 3 command queues
}

func parts(n, elements int) [][]float64 {
	list := make([][]float64, n)
	for i := range list {
		list[i] = make([]float64, elements)
	}
	return list
}
