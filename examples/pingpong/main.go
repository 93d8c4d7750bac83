// Command pingpong is a message-passing program of its own, run on a simulated cluster:
// two ranks write a counter into each other's memory in turn, by DMA and by
// BOTF.
//
//	go run ./examples/pingpong
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"

	"musubi"
	"musubi/rma"
	"musubi/units"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	// Ranks 0 and 1 run on hosts 0 and 63, at opposite corners of a mesh.
	far := musubi.Scenario{Machine: "rhinet2", Topology: "mesh:4x4", Place: "0,63"}
	for _, by := range []rma.Mechanism{rma.DMA, rma.BOTF} {
		var latency units.Time
		_, err := musubi.Run(context.Background(), far, func(p rma.Process) error {
			t, err := bounce(p, by, 10)
			if p.Rank() == 0 {
				latency = t
			}
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "8 bytes by %v: %.2f us\n", by, latency.Microseconds())
	}
	return nil
}

// bounce sends a counter there and back and returns the time of one way.
func bounce(p rma.Process, by rma.Mechanism, times uint64) (units.Time, error) {
	counter := make([]byte, 8)
	segment := p.Expose(counter)
	partner := rma.Address{Rank: 1 - p.Rank(), Segment: segment}
	start := p.Now()
	for i := range times {
		// Rank 0 writes 1 and waits for 2, writes 3 and waits for 4, ...
		sent, awaited := 2*i+1, 2*i+2
		if p.Rank() == 1 {
			sent, awaited = awaited, sent
			if err := await(p, counter, awaited); err != nil {
				return 0, err
			}
		}
		op, err := p.Push(partner, binary.LittleEndian.AppendUint64(nil, sent), by)
		if err != nil {
			return 0, err
		}
		if p.Rank() == 0 {
			if err := await(p, counter, awaited); err != nil {
				return 0, err
			}
		}
		if err := p.Wait(op); err != nil {
			return 0, err
		}
	}
	return (p.Now() - start) / units.Time(2*times), nil
}

func await(p rma.Process, counter []byte, value uint64) error {
	return p.WaitUntil(func() bool { return binary.LittleEndian.Uint64(counter) == value })
}
