package hosttest_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// pulls lets ranks compute, send messages to each other and read memory of others, and returns when each has found what. The
// programs run ahead or not; early is how many reads they have started so.
func pulls(t *testing.T, machine string, ahead bool, set ...string) (times [6][]units.Time, early int) {
	const rounds, largest = 60, 100_000
	c := hosttest.NewRanks(t, machine, len(times), set...)
	hosttest.Run(t, c, func(p rma.Process) error {
		later, rng, sent := p.(rma.Later), rand.New(rand.NewPCG(2, uint64(p.Rank()))), flights{p: p}
		segment, into := p.Expose(make([]byte, largest)), make([]byte, largest)
		defer func() { times[p.Rank()] = sent.times }()
		if _, err := p.Poll(); err != nil { // it has rings from then on
			return err
		}
		for round := range rounds {
			if rng.IntN(2) == 0 {
				p.Compute(units.Time(rng.IntN(3000)) * units.Nanosecond)
			}
			op, err := p.IPush((p.Rank()+1+round%(p.Size()-1))%p.Size(), make([]byte, 1+rng.IntN(10_000)), rma.DMA)
			if err != nil {
				return err
			}
			sent.ops, sent.left = append(sent.ops, op), 2
			from := rma.Address{Rank: (p.Rank() + 1 + rng.IntN(p.Size()-1)) % p.Size(), Segment: segment}
			n := 1 + rng.IntN([]int{100, largest}[rng.IntN(2)])
			started, serve := false, sent.serve
			if ahead && later.RunsAhead() {
				sent.awaits, started = later.PullLater(from, into[:n])
				serve = func() error { return later.Serve(&sent) }
			}
			if started {
				early++
			} else if sent.awaits, err = p.Pull(from, into[:n]); err != nil {
				return err
			}
			for sent.awaits != 0 {
				sent.left = 1
				if err := serve(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return times, early
}

// Programs that wait for what they read ahead of their processors find the same at the same times. On rhinet2 starting takes no
// time, and on dimmnet2 only Start can tell.
func TestAwaitingLaterTakesNoTime(t *testing.T) {
	for _, m := range []struct {
		name string
		set  []string
		can  bool
	}{{"loggp", nil, true}, {"ndr", nil, true}, {"ndr", []string{"switch.engine", "flow"}, true}, {"ndr", []string{"host.memory", "10GB/s"}, true}, {"tofu2", nil, true}, {"rhinet2", nil, false}, {"dimmnet2", nil, false}} {
		want, _ := pulls(t, m.name, false, m.set...)
		got, early := pulls(t, m.name, true, m.set...)
		for rank := range want {
			if !slices.Equal(got[rank], want[rank]) {
				t.Errorf("%s %v: rank %d finds something at %v; expected %v", m.name, m.set, rank, got[rank], want[rank])
			}
		}
		if (early > 0) != m.can {
			t.Errorf("%s: %d reads have been started ahead; expected some: %v", m.name, early, m.can)
		}
	}
}
