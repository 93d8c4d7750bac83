// Command tasks shares work among ranks by one-sided communication, in any world: in processes on
// this host, or on a simulated cluster. It counts the lengths of the Collatz sequences of numbers,
// which take longer for some numbers than for others. So each rank takes the next piece of work
// from a counter when it has finished one, and adds its counts to a histogram. Both are at rank 0,
// which also works and answers between its pieces.
//
//	go run ./examples/tasks --on live -n 4
//	go run ./examples/tasks --on ndr -n 16
package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

const (
	bins  = 8
	width = 50 // steps in a bin
)

var (
	numbers = flag.Int("numbers", 200_000, "whose sequences are counted, from 1 on")
	piece   = flag.Int("piece", 250, "numbers that a rank takes at once")
)

func main() { musubi.Main(program) }

// program is what every rank runs.
func program(p rma.Process) error {
	return mpi.Run(p, func(c *mpi.Comm) error {
		histogram, pieces, err := count(c, *numbers, *piece)
		if err != nil || c.Rank() > 0 {
			return err
		}
		for i, n := range histogram {
			fmt.Printf("%3d to %3d steps: %6d numbers\n", i*width, (i+1)*width-1, n)
		}
		fmt.Printf("rank 0 of %d did %d pieces, after %v\n", c.Size(), pieces, p.Now())
		return nil
	})
}

// count returns how many numbers from 1 to n have sequences of which length, at rank 0,
// and how many pieces of the work this rank has done.
func count(c *mpi.Comm, n, piece int) (histogram []int, pieces int, err error) {
	elements := 0
	if c.Rank() == 0 {
		elements = bins + 1 // the last one is the counter
	}
	w, err := mpi.AllocateWindow[int](c, elements)
	if err != nil {
		return nil, 0, err
	}
	if err := w.LockAll(); err != nil {
		return nil, 0, err
	}
	if pieces, err = work(c.Process(), w, n, piece); err != nil {
		return nil, 0, err
	}
	if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil {
		return nil, 0, err
	}
	if c.Rank() == 0 {
		histogram = slices.Clone(w.Memory()[:bins])
	}
	return histogram, pieces, w.Free()
}

// work does pieces until none is left.
func work(p rma.Process, w *mpi.Window[int], n, piece int) (pieces int, err error) {
	for {
		done, err := w.FetchAndOp(0, bins, piece, mpi.Sum[int]())
		if err != nil || done >= n {
			return pieces, err
		}
		begin := p.Now()
		found, total := examine(done+1, min(done+piece, n))
		// A simulated processor computes in no time unless the program says so: 1 ns for a step.
		p.Compute(max(0, units.Time(total)*units.Nanosecond-(p.Now()-begin)))
		if err := w.Accumulate(0, 0, found, mpi.Sum[int]()); err != nil {
			return pieces, err
		}
		pieces++
	}
}

// examine counts how long the sequences of some numbers are, and all their steps.
func examine(first, last int) (found []int, total int) {
	found = make([]int, bins)
	for i := first; i <= last; i++ {
		n := steps(i)
		found[min(n/width, bins-1)]++
		total += n
	}
	return found, total
}

// steps returns how many steps lead from a number to 1.
func steps(n int) int {
	count := 0
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		count++
	}
	return count
}
