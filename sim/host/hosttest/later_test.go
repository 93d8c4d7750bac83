package hosttest_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// flights are operations of a rank. All but the last are tested, some at a time.
type flights struct {
	p      rma.Process
	ops    []rma.Op
	left   int          // tests until the next message
	awaits rma.Op       // beside a message
	times  []units.Time // when something has come
}

func (f *flights) NextTest() rma.Op {
	if f.left == 0 || len(f.ops) < 2 {
		return 0
	}
	f.left--
	return f.ops[0]
}

func (f *flights) Tested(done bool, err error) error {
	if done {
		f.ops = f.ops[1:]
	} else {
		f.left = 0
	}
	return err
}

func (f *flights) Awaits() rma.Op { return f.awaits }

func (f *flights) Room(a rma.Arrival) []byte { return make([]byte, a.Bytes) }

// Arrived notes when a message has been taken.
func (f *flights) Arrived(rma.Arrival) (more bool, err error) {
	f.times = append(f.times, f.p.Now())
	return false, nil
}

// Ended notes when the operation that is awaited has been tested.
func (f *flights) Ended(done bool, err error) (more bool, failed error) {
	f.times = append(f.times, f.p.Now())
	if done {
		f.awaits = 0
	}
	return false, err
}

// serve is Serve, one call after the other.
func (f *flights) serve() error {
	for op := f.NextTest(); op != 0; op = f.NextTest() {
		if err := f.Tested(f.p.Test(op)); err != nil {
			return err
		}
	}
	if f.awaits != 0 {
		if err := f.p.Await(f.awaits); err != nil {
			return err
		}
		if arrived, err := f.p.Poll(); !arrived || err != nil {
			_, err = f.Ended(f.p.Test(f.awaits))
			return err
		}
	}
	a, err := f.p.Next()
	if err != nil {
		return err
	}
	if err := f.p.Take(a, f.Room(a), rma.Cached); err != nil {
		return err
	}
	_, err = f.Arrived(a)
	return err
}

// exchange lets ranks compute, send and receive messages of random sizes, and returns when each has received them. The
// programs run ahead or not; early is how often they have.
func exchange(t *testing.T, machine string, ahead bool) (times [6][]units.Time, early int) {
	c := hosttest.NewRanks(t, machine, len(times))
	hosttest.Run(t, c, func(p rma.Process) error {
		later, rng, sent := p.(rma.Later), rand.New(rand.NewPCG(1, uint64(p.Rank()))), flights{p: p}
		defer func() { times[p.Rank()] = sent.times }()
		for round := range 60 {
			if rng.IntN(2) == 0 {
				p.Compute(units.Time(rng.IntN(3000)) * units.Nanosecond)
			}
			to, messages := (p.Rank()+1+round%(p.Size()-1))%p.Size(), 1+round%7
			for range messages {
				data, op, started := make([]byte, 1+rng.IntN(1500)), rma.Op(0), false
				if ahead && later.RunsAhead() {
					op, started = later.IPushLater(to, data, rma.DMA)
				}
				if !started {
					var err error
					if op, err = p.IPush(to, data, rma.DMA); err != nil {
						return err
					}
				} else {
					early++
				}
				sent.ops = append(sent.ops, op)
			}
			for range messages {
				sent.left = 2
				serve := sent.serve
				if ahead && later.RunsAhead() {
					serve = func() error { return later.Serve(&sent) }
				}
				if err := serve(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return times, early
}

// Programs that run ahead of their processors do so in no time: whatever they send, look at and wait for comes when it did.
func TestRunningAheadTakesNoTime(t *testing.T) {
	for _, machine := range []string{"loggp", "ndr", "tofu2", "rhinet2", "dimmnet2"} {
		want, _ := exchange(t, machine, false)
		got, early := exchange(t, machine, true)
		for rank := range want {
			if !slices.Equal(got[rank], want[rank]) {
				t.Errorf("%s: rank %d receives at %v; expected %v", machine, rank, got[rank], want[rank])
			}
		}
		if can := slices.Contains([]string{"loggp", "ndr", "tofu2"}, machine); (early > 0) != can { // on others starting takes no time, or only Start can tell
			t.Errorf("%s: %d messages have been started ahead; expected some: %v", machine, early, can)
		}
	}
}

// What a program calls after messages that it has started ahead waits for the processor.
func TestCallsWaitForTheProcessor(t *testing.T) {
	c := hosttest.NewRanks(t, "loggp", 2)
	hosttest.Run(t, c, func(p rma.Process) error {
		if p.Rank() == 1 {
			_, err := p.Next()
			return err
		}
		if err := p.Rings(rma.SharedRing(1 << 20)); err != nil {
			return err
		}
		begin := p.Now()
		const messages = 7
		for range messages {
			if _, started := p.(rma.Later).IPushLater(1, []byte{1}, rma.DMA); !started {
				t.Error("nothing is started")
			}
		}
		if got, want := p.Now()-begin, messages*1500*units.Nanosecond; got != want {
			t.Errorf("the processor is free after %v; expected %v", got, want)
		}
		return nil
	})
}

// A rank that is stopped before its processor has come to messages never sends them.
func TestStoppedRanksSendNothing(t *testing.T) {
	c := hosttest.NewRanks(t, "loggp", 2)
	hosttest.Run(t, c, func(p rma.Process) error {
		if err := p.Rings(rma.SharedRing(1 << 20)); err != nil {
			return err
		}
		if p.Rank() == 1 {
			for range 3 {
				p.(rma.Later).IPushLater(0, []byte{1}, rma.DMA)
			}
			return p.(rma.Later).Serve(&flights{p: p})
		}
		p.Compute(units.Microsecond)
		c.Ranks[1].Stop()
		p.Compute(units.Millisecond)
		if arrived, err := p.Poll(); arrived || err != nil {
			t.Errorf("a message has arrived: %v, %v", arrived, err)
		}
		return nil
	})
}
