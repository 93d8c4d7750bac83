package host

import (
	"math/rand/v2"
	"testing"

	"musubi/units"
)

// TestProcessorIsShared compares with a clock that looks at every nanosecond.
func TestProcessorIsShared(t *testing.T) {
	const ns = units.Nanosecond
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		quantum, share := units.Time(1+rng.IntN(20))*ns, 1.0
		if rng.IntN(4) > 0 {
			share = 1 / float64(1+rng.IntN(4))
		}
		p := NewProcessor(share, quantum, 0)
		if p.period > 0 {
			p.phase = units.Time(rng.Int64N(int64(p.period/ns))) * ns
		}
		now := units.Time(rng.IntN(50)) * ns
		work := units.Time(rng.IntN(60)) * ns
		p.begin(now, work)
		busy, left := units.Time(0), work
		for ; ; now += ns {
			if busy <= now && rng.IntN(12) == 0 {
				busy = now + units.Time(rng.IntN(10))*ns
				p.Lose(now, busy)
			}
			runs := p.IsScheduled(now) && busy <= now
			if got := p.ends(now); (got == now) != (left == 0 && runs) || got < now {
				t.Fatalf("seed %d: at %v with %v left, running %v: work ends at %v", seed, now, left, runs, got)
			}
			if left == 0 && runs {
				break
			}
			if runs {
				left -= ns
			}
		}
	}
}
