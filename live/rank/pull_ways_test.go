package rank

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"musubi/rma"
)

// The faster way of a pull is tried, chosen, and tried again later.
func TestFasterWayOfPulls(t *testing.T) {
	for _, c := range []struct {
		ring, across time.Duration
		want         way
	}{{3, 9, byRing}, {9, 3, acrossProcesses}, {4, 4, byRing}} {
		var w pullWay
		if by, try := w.next(false); by != byRing || try {
			t.Errorf("the first pull beside others goes %d, a try: %v; want the ring, and no try", by, try)
		}
		durations := [2]time.Duration{c.ring, c.across}
		for round, until := range []int{firstPulls, morePulls, morePulls} {
			if round == 1 {
				durations[byRing], durations[acrossProcesses] = durations[acrossProcesses], durations[byRing]
				if c.ring != c.across {
					c.want = 1 - c.want
				}
			}
			var pulls [2]int
			for i := range until {
				by, try := w.next(true)
				pulls[by]++
				if try != (i < 2*triesOfWay) {
					t.Fatalf("round %d, pull %d is a try: %v", round, i, try)
				}
				if try { // the slowest one is no better than the others
					w.took(by, durations[by]+time.Duration(i%3))
				}
				if beside, _ := w.next(false); !try && beside != by {
					t.Fatalf("round %d, pull %d beside others goes %d, and alone %d", round, i, beside, by)
				}
			}
			if want := until - triesOfWay; pulls[c.want] != want {
				t.Errorf("round %d, %v by the ring and %v across: %d pulls by the ring and %d across; want %d of the faster way",
					round, durations[byRing], durations[acrossProcesses], pulls[byRing], pulls[acrossProcesses], want)
			}
		}
	}
}

// Lengths have their own ways.
func TestWaysOfLengths(t *testing.T) {
	var w pullWays
	for n, want := range map[int]int{leastAcross: 0, 2*leastAcross - 1: 0, 2 * leastAcross: 1, 4*leastAcross - 1: 1, 4 * leastAcross: 2, sharedBytes - 1: 2} {
		if w.of(n) != &w[want] {
			t.Errorf("%d bytes do not have ways %d", n, want)
		}
	}
}

// Pulls get what they should by each way, and a ring's is only timed alone.
func TestPullsByBothWays(t *testing.T) {
	const most = sharedBytes - 1
	want := noise(most, 1)
	err := inProcess(variants["spinning"], 2, func(p rma.Process) error {
		if p.Rank() == 1 {
			segment, flag := p.Expose(want), make([]byte, 1)
			if segment != 0 || p.Expose(flag) != 1 {
				return errors.New("the segments are not 0 and 1")
			}
			return p.WaitUntil(func() bool { return flag[0] == 1 })
		}
		r := p.(*Rank)
		for i := range 4 * triesOfWay {
			for _, n := range []int{leastAcross, 2*leastAcross + 1, most} {
				into := make([]byte, n)
				if op, err := p.Pull(rma.Address{Rank: 1, Offset: most - n}, into); err != nil {
					return err
				} else if err := p.Wait(op); err != nil {
					return err
				}
				if string(into) != string(want[most-n:]) {
					return fmt.Errorf("pull %d of %d bytes got something else", i, n)
				}
				if r.pulls.open != 0 || r.pulls.try != nil {
					return fmt.Errorf("%d pulls are open behind pull %d", r.pulls.open, i)
				}
			}
		}
		for n := leastAcross; n < sharedBytes; n *= 2 {
			if best := r.pulls.ways.of(n).best; r.direct && (best[byRing] > time.Minute || best[acrossProcesses] > time.Minute) {
				return fmt.Errorf("pulls of %d bytes have taken %v; want times of both ways", n, best)
			}
		}
		for range 3 { // several at once, one of which fails
			var list []rma.Op
			for i := range 4 {
				from := rma.Address{Rank: 1, Segment: 5 * (i % 2)}
				op, err := p.Pull(from, make([]byte, leastAcross-1))
				if err != nil {
					return err
				}
				list = append(list, op)
			}
			for i, op := range list {
				if err := p.Wait(op); (err != nil) != (i%2 == 1) {
					return fmt.Errorf("pull %d of several: %v", i, err)
				}
			}
			if r.pulls.open != 0 {
				return fmt.Errorf("%d pulls are open behind all", r.pulls.open)
			}
		}
		op, err := p.Push(rma.Address{Rank: 1, Segment: 1}, []byte{1}, rma.DMA)
		return errors.Join(err, p.Wait(op))
	})
	if err != nil {
		t.Error(err)
	}
}
