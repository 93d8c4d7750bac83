package live

import (
	"errors"
	"fmt"
	"musubi/rma"
	"strings"
	"testing"
)

func TestHistoriesBetweenProcessesAreLinearizable(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			if _, output, err := start(t.Context(), way.of(4), "histories"); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// triesInVain lets all ranks try to change words of the others and of their own that never
// become what they should. Rank 1 ends meanwhile.
func triesInVain(p rma.Process) ([]byte, error) {
	window, _, err := p.ExposeWindow(8)
	if err != nil {
		return nil, err
	}
	own := p.Expose(make([]byte, 8))
	for i := 0; err == nil; i++ {
		var op rma.Op
		at := rma.Address{Rank: i % p.Size(), Segment: []int{window, own}[i%2]}
		if at.Rank == 1 { // else this rank hears of its end in Wait
			at.Rank = p.Rank()
		}
		if op, err = p.(rma.Atomics).CompareSwap(at, 1, 2, nil); err == nil {
			err = p.Wait(op)
		}
		if p.Rank() == 1 && i == 1000 {
			err = errors.New("no luck")
		}
	}
	fmt.Println("told:", err)
	return nil, err
}

// Such a rank never waits, but is told all the same.
func TestWhoTriesInVainHearsOfFailures(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			_, output, err := start(t.Context(), way.of(3), "tries in vain")
			if err == nil || !strings.Contains(err.Error(), "rank 1") || !strings.Contains(err.Error(), "no luck") {
				t.Errorf("the job ends with %v; expected that of rank 1", err)
			}
			for _, rank := range []int{0, 2} {
				if told := fmt.Sprintf("rank %d: told: live: the program of rank 1", rank); !strings.Contains(output, told) {
					t.Errorf("the output does not have %q:\n%s", told, output)
				}
			}
		})
	}
}
