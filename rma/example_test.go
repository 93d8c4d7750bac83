package rma_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"musubi"
	"musubi/rma"
)

// run runs a program on some ranks of a simulated machine.
func run(machine string, ranks int, program func(rma.Process) error) {
	scenario := musubi.Scenario{Machine: machine, Ranks: ranks}
	if _, err := musubi.Run(context.Background(), scenario, program); err != nil {
		log.Fatal(err)
	}
}

// Rank 0 writes into the memory of rank 1.
func Example() {
	run("ndr", 2, func(p rma.Process) error {
		inbox := make([]byte, 1)
		segment := p.Expose(inbox)
		if p.Rank() == 0 {
			op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, []byte{42}, rma.DMA)
			if err != nil {
				return err
			}
			return p.Wait(op)
		}
		err := p.WaitUntil(func() bool { return inbox[0] == 42 })
		fmt.Println("rank 1 has got", inbox[0])
		return err
	})
	// Output:
	// rank 1 has got 42
}

// Rank 0 reads a column of a matrix of 4 x 4 bytes that rank 1 has exposed.
func ExampleStrided() {
	run("dimmnet2", 2, func(p rma.Process) error {
		matrix := []byte("abcdefghijklmnop")
		segment := p.Expose(matrix)
		if p.Rank() == 1 {
			return nil
		}
		column := make([]byte, 4)
		op, err := p.PullLayout(rma.Address{Rank: 1, Segment: segment, Offset: 1}, rma.Strided(1, 4, 4), column, rma.Layout{})
		if err != nil {
			return err
		}
		err = p.Wait(op)
		fmt.Printf("%s\n", column)
		return err
	})
	// Output:
	// bfjn
}

// All ranks but one send to it, without knowing where it has room. Their packets
// share one ring.
func ExampleReceiver() {
	const ranks = 3
	run("dimmnet2", ranks, func(p rma.Process) error {
		if p.Rank() > 0 {
			op, err := p.IPush(0, bytes.Repeat([]byte{'a' + byte(p.Rank())}, 2000*p.Rank()), rma.DMA)
			if err != nil {
				return err
			}
			return p.Wait(op)
		}
		if err := p.Rings(rma.SharedRing(4 << 10)); err != nil {
			return err
		}
		r := rma.NewReceiver(p)
		for range ranks - 1 {
			m, err := r.Receive()
			if err != nil {
				return err
			}
			fmt.Printf("%d times %c from rank %d\n", len(m.Data), m.Data[0], m.From)
		}
		return nil
	})
	// Output:
	// 2000 times b from rank 1
	// 4000 times c from rank 2
}
