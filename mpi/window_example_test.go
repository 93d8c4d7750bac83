package mpi_test

import (
	"errors"
	"fmt"

	"musubi/mpi"
)

// Each rank adds its number to an element of rank 0, and draws a ticket there.
func ExampleWindow() {
	run("ndr", 4, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int](c, 2)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		const sum, tickets = 0, 1 // indices
		if err := w.Accumulate(0, sum, []int{c.Rank()}, mpi.Sum[int]()); err != nil {
			return err
		}
		ticket, err := w.FetchAndOp(0, tickets, 1, mpi.Sum[int]())
		if err != nil {
			return err
		}
		if ticket >= c.Size() {
			return fmt.Errorf("rank %d has ticket %d", c.Rank(), ticket)
		}
		if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println("sum", w.Memory()[sum], "and", w.Memory()[tickets], "tickets")
		}
		return w.Free()
	})
	// Output:
	// sum 6 and 4 tickets
}

// Each rank puts its number to the next one, all at the same time.
func ExampleWindow_Fence() {
	run("dimmnet2", 4, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int](c, 1)
		if err != nil {
			return err
		}
		next := (c.Rank() + 1) % c.Size()
		if err := errors.Join(w.Fence(), w.Put(next, 0, []int{c.Rank()}), w.Fence()); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println("rank 0 has got", w.Memory()[0])
		}
		return w.Free()
	})
	// Output:
	// rank 0 has got 3
}
