package live_test

import (
	"context"
	"fmt"
	"os"

	"musubi/live"
	"musubi/rma"
)

// Three processes add up their numbers at rank 0. A command would leave Command out:
// this names the one example of all that the test program runs.
func Example() {
	cfg := live.Config{Ranks: 3, Command: []string{os.Args[0], "-test.run=^Example$"}}
	sum, err := live.Main(context.Background(), cfg, func(p rma.Process) ([]byte, error) {
		numbers := make([]byte, p.Size())
		segment := p.Expose(numbers)
		op, err := p.Push(rma.Address{Segment: segment, Offset: p.Rank()}, []byte{byte(10 + p.Rank())}, rma.DMA)
		if err != nil {
			return nil, err
		}
		if err := p.Wait(op); err != nil || p.Rank() > 0 {
			return nil, err
		}
		err = p.WaitUntil(func() bool { return numbers[0] > 0 && numbers[1] > 0 && numbers[2] > 0 })
		return fmt.Append(nil, numbers[0]+numbers[1]+numbers[2]), err
	})
	fmt.Println(string(sum), err)
	// Output: 33 <nil>
}
