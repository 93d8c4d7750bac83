package host_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// awaited waits for an operation like rma.Later, one call after the other.
func awaited(p rma.Process, t rma.Tests, op rma.Op) (f rma.Found, err error) {
	for tested := t.NextTest(); tested != 0; tested = t.NextTest() {
		if err := t.Tested(p.Test(tested)); err != nil {
			return f, err
		}
	}
	if err := p.Await(op); err != nil {
		return f, err
	}
	if f.Arrived, err = p.Poll(); f.Arrived || err != nil {
		return f, err
	}
	f.Done, f.Err = p.Test(op)
	return f, nil
}

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
			op, err := p.IPush((p.Rank()+1+round%(p.Size()-1))%p.Size(), make([]byte, 1+rng.IntN(1000)), rma.DMA)
			if err != nil {
				return err
			}
			sent.ops, sent.left = append(sent.ops, op), 2
			from := rma.Address{Rank: (p.Rank() + 1 + rng.IntN(p.Size()-1)) % p.Size(), Segment: segment}
			n := 1 + rng.IntN([]int{100, largest}[rng.IntN(2)])
			pull, started := rma.Op(0), false
			if ahead && later.RunsAhead() {
				pull, started = later.PullLater(from, into[:n])
			}
			if started {
				early++
			} else if pull, err = p.Pull(from, into[:n]); err != nil {
				return err
			}
			for done := false; !done; {
				var f rma.Found
				if sent.left = 1; ahead && later.RunsAhead() {
					f, err = later.AwaitLater(&sent, pull)
				} else {
					f, err = awaited(p, &sent, pull)
				}
				sent.times = append(sent.times, p.Now())
				if done = f.Done; f.Arrived && err == nil {
					var a rma.Arrival
					if a, err = p.Next(); err == nil {
						_, err = sent.Arrived(a)
					}
				}
				if err != nil || f.Err != nil {
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
	}{{"loggp", nil, true}, {"ndr", nil, true}, {"ndr", []string{"switch.engine", "flow"}, true}, {"tofu2", nil, true}, {"rhinet2", nil, false}, {"dimmnet2", nil, false}} {
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
