// Command heat computes how heat spreads in a plate whose upper edge is hot, on any number of
// ranks, in any world, and shows a picture. Each rank has a block of the plate. A point depends on
// the points around it, so the ranks exchange the edges of their blocks in each step: by a
// persistent operation, while they compute all points that do not depend on other ranks.
//
//	go run ./examples/heat --on live -n 4
//	go run ./examples/heat --on tofu2 -n 12
//
// The picture does not depend on the ranks.
package main

import (
	"flag"
	"fmt"
	"os"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

var (
	size  = flag.Int("size", 96, "points of the plate in each direction")
	steps = flag.Int("steps", 2000, "of time")
	pngTo = flag.String("png", "", "`file` for the picture; none: as text")
)

func main() { musubi.Main(program) }

// program is what every rank runs.
func program(p rma.Process) error {
	return mpi.Run(p, func(c *mpi.Comm) error {
		b, err := newBlock(c, *size)
		if err != nil {
			return err
		}
		plan, err := b.spread(*steps)
		if err != nil {
			return err
		}
		plate, err := b.gather()
		if err != nil || c.Rank() > 0 {
			return err
		}
		fmt.Printf("%d steps on %d ranks, after %v; %v with %d command queues\n", *steps, c.Size(), p.Now(), plan.Protocol, plan.Queues)
		if *pngTo != "" {
			return writePNG(*pngTo, plate)
		}
		return writeText(os.Stdout, plate)
	})
}
