package rank

import (
	"fmt"
	"testing"

	"musubi/rma"
)

// A rank looks into the rings of those only that have written to it, and finds all of them.
func TestRanksKnowWhoWritesToThem(t *testing.T) {
	const ranks = 70 // more than bits in a word
	for name, distances := range map[string][]int{"sleeping": {1, 7, 65}, "small rings": {1}} {
		err := inProcess(variants[name], ranks, func(p rma.Process) error {
			memory := make([]byte, len(distances))
			segment := p.Expose(memory)
			for i, d := range distances {
				at := rma.Address{Rank: (p.Rank() + d) % ranks, Segment: segment, Offset: i}
				op, err := p.Push(at, []byte{1}, rma.DMA)
				if err != nil {
					return err
				}
				if err := p.Wait(op); err != nil {
					return err
				}
			}
			err := p.WaitUntil(func() bool {
				for _, b := range memory {
					if b == 0 {
						return false
					}
				}
				return true
			})
			if err != nil {
				return err
			}
			seen := map[int]bool{}
			for _, in := range p.(*Rank).sources {
				seen[in.from] = true
			}
			for _, d := range distances {
				if from := (p.Rank() + ranks - d) % ranks; !seen[from] {
					return fmt.Errorf("has not noticed rank %d", from)
				}
			}
			if len(p.(*Rank).sources) != len(distances) {
				return fmt.Errorf("looks into %d rings; expected %d", len(p.(*Rank).sources), len(distances))
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s, to %v: %v", name, distances, err)
		}
	}
}
