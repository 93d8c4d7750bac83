package musubi_test

import (
	"context"
	"fmt"
	"log"

	"musubi"
	"musubi/rma"
)

// Rank 0 writes into the memory of rank 1, on two hosts of a simulated cluster.
func Example() {
	result, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "loggp", Ranks: 2}, func(p rma.Process) error {
		inbox := make([]byte, 1)
		segment := p.Expose(inbox)
		if p.Rank() == 0 {
			op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, []byte{42}, rma.DMA)
			if err != nil {
				return err
			}
			return p.Wait(op)
		}
		err := p.WaitUntil(func() bool { return inbox[0] != 0 })
		fmt.Printf("rank %d has got %d after %v\n", p.Rank(), inbox[0], p.Now())
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("all was over after", result.Simulation.Time)
	// Output:
	// rank 1 has got 42 after 5.5us
	// all was over after 6.5us
}

// A workload, by name.
func ExampleRunWorkload() {
	result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{
		Workload: "pingpong",
		Machine:  "loggp",
		Set:      map[string]string{"bytes": "1,1001"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range result.Rows[:2] {
		fmt.Printf("%s of %d bytes: %.1f %s\n", row.Metric, row.Bytes, row.Value, row.Unit)
	}
	// Output:
	// latency of 1 bytes: 5.5 us
	// latency of 1001 bytes: 11.5 us
}
