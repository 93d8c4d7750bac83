package rank

import (
	"fmt"
	"musubi/live/livetest"
	"testing"
)

// haloRounds are enough for each queue to wrap around; with -long there are more.
func haloRounds() int {
	if *long {
		return 20
	}
	return 6
}

func TestHalosInOneProcess(t *testing.T) {
	for name, v := range variants {
		if livetest.Race && name != "spinning" && name != "small rings" {
			continue // of windows it sees nothing
		}
		for _, ranks := range []int{1, 2, 3} {
			if livetest.Race && ranks == 2 {
				continue
			}
			for _, queues := range []int{1, 2} {
				for _, window := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/ranks=%d/queues=%d/window=%v", name, ranks, queues, window), func(t *testing.T) {
						if err := inProcess(v, ranks, livetest.ExchangeHalos(haloRounds(), 40<<10, queues, window)); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

func TestHalosBetweenGroups(t *testing.T) {
	for name, groupOf := range mixes {
		for _, v := range []string{"sleeping", "without copies"} {
			if livetest.Race && name+v != "each alonesleeping" && name+v != "in pairswithout copies" {
				continue
			}
			for _, queues := range []int{1, 2} {
				for _, ranks := range []int{2, 4} {
					if (ranks == 2*queues) == *long { // half of them are for -long
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/ranks=%d/queues=%d", name, v, ranks, queues), func(t *testing.T) {
						if err := newTestJob(t, variants[v], ranks, groupOf).run(livetest.ExchangeHalos(haloRounds(), 40<<10, queues, false)); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}
