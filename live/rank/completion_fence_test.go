package rank

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"musubi/live/livetest"
	"musubi/rma"
)

// When a fence is complete, all is that was started before, whatever it is, to whom it
// goes, whether it fails and whether it was waited for.
func TestFenceCoversWhatWasStarted(t *testing.T) {
	rounds := 10
	if *long {
		rounds = 30
	}
	program := func(p rma.Process) error { return fenceAmongOthers(p, rounds) }
	for name, v := range variants {
		if livetest.Race && name != "small rings" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if err := inProcess(v, 3, program); err != nil {
				t.Error(err)
			}
		})
	}
	for name, groupOf := range mixes {
		if livetest.Race && name != "in pairs" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if err := newTestJob(t, variants["small rings"], 4, groupOf).run(program); err != nil {
				t.Error(err)
			}
		})
	}
}

func fenceAmongOthers(p rma.Process, rounds int) error {
	const most, size = 40, 2 * directBytes
	r := p.(*Rank)
	own := p.Expose(make([]byte, size))
	window, _, err := p.ExposeWindow(size)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, uint64(p.Rank())))
	for round := range rounds {
		var started []rma.Op
		for range rng.IntN(most) {
			op, err := startAny(p, rng, own, window, size)
			if err == nil && rng.IntN(4) == 0 {
				_ = p.Wait(op) // some fail
				op = 0
			}
			if err != nil {
				return err
			}
			started = append(started, op)
		}
		fence, err := r.Fence()
		if err := errors.Join(err, p.Wait(fence)); err != nil {
			return err
		}
		for i, op := range started {
			if e := r.ops.find(op); e != nil && !r.isComplete(e) {
				return fmt.Errorf("round %d: operation %d of %d to rank %d is not complete; the fence behind it is", round, i, len(started), e.at.Rank)
			}
		}
	}
	return nil
}

// startAny starts something, which may fail.
func startAny(p rma.Process, rng *rand.Rand, own, window, size int) (rma.Op, error) {
	at := rma.Address{Rank: rng.IntN(p.Size()), Segment: []int{own, window}[rng.IntN(2)], Offset: rng.IntN(size)}
	data := make([]byte, rng.IntN([]int{10, 1000, size}[rng.IntN(3)]))
	odd := rma.Strided(1, 2, len(data)/2)
	switch rng.IntN(4) {
	case 0:
		return p.Pull(at, data)
	case 1:
		return p.PullLayout(at, odd, data, odd)
	case 2:
		return p.PushLayout(at, odd, data, odd, rma.DMA)
	}
	return p.Push(at, data, rma.DMA)
}

// A fence does not wait for what is started after it, nor holds it back; and it is not
// complete while the target of what was started before is in no call.
func TestFenceWaitsForNothingElse(t *testing.T) {
	for name, groupOf := range mixes {
		t.Run(name, func(t *testing.T) {
			var mayTake [3]atomic.Bool
			err := newTestJob(t, variants["sleeping"], 3, groupOf).run(func(p rma.Process) error {
				memory := make([]byte, 8)
				to := rma.Address{Segment: p.Expose(memory)}
				if p.Rank() > 0 {
					for !mayTake[p.Rank()].Load() {
						runtime.Gosched()
					}
					return nil // it takes records until all have ended
				}
				return fenceBetween(p, to, &mayTake)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// fenceBetween starts an operation on rank 1, a fence, and an operation on rank 2.
func fenceBetween(p rma.Process, to rma.Address, mayTake *[3]atomic.Bool) error {
	var ops [3]rma.Op
	for target := 1; target <= 2; target++ {
		to.Rank = target
		op, err := p.Push(to, one, rma.DMA)
		if err != nil {
			return err
		}
		ops[target] = op
		if target == 1 {
			if ops[0], err = p.(*Rank).Fence(); err != nil {
				return err
			}
		}
	}
	for range 100 {
		if done, err := p.Test(ops[0]); done || err != nil {
			return fmt.Errorf("the fence ends with %v, %v before the target has done anything", done, err)
		}
	}
	mayTake[1].Store(true)
	if err := p.Wait(ops[0]); err != nil {
		return err
	}
	if done, err := p.Test(ops[2]); done || err != nil {
		return fmt.Errorf("what was started after the fence ends with %v, %v before its target has done anything", done, err)
	}
	mayTake[2].Store(true)
	return errors.Join(p.Wait(ops[1]), p.Wait(ops[2]))
}

// A fence does not wait for messages that are no operations, of which the target takes none, but
// for what was started before and behind them.
func TestFenceWaitsForNoMessages(t *testing.T) {
	for name, groupOf := range mixes {
		t.Run(name, func(t *testing.T) {
			var mayTake atomic.Bool
			err := newTestJob(t, variants["sleeping"], 3, groupOf).run(func(p rma.Process) error {
				to := rma.Address{Segment: p.Expose(make([]byte, 8))}
				if p.Rank() > 0 {
					for !mayTake.Load() {
						runtime.Gosched()
					}
					return nil // it takes records until all have ended
				}
				defer mayTake.Store(true)
				if err := fenceBehindMessages(p); err != nil {
					return err
				}
				to.Rank = 1
				op, err := p.Push(to, one, rma.DMA)
				if err != nil {
					return err
				}
				if err := sendAtOnce(p, 1); err != nil {
					return err
				}
				fence, err := p.Fence()
				if err != nil {
					return err
				}
				if done, err := p.Test(fence); done || err != nil {
					return fmt.Errorf("a fence ends with %v, %v before the push in front of it is done", done, err)
				}
				mayTake.Store(true)
				return errors.Join(p.Wait(fence), p.Wait(op))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// fenceBehindMessages sends messages of several lengths to ranks that take none.
func fenceBehindMessages(p rma.Process) error {
	for target := 1; target <= 2; target++ {
		if err := sendAtOnce(p, target); err != nil {
			return err
		}
	}
	fence, err := p.Fence()
	if err != nil {
		return err
	}
	if done, err := p.Test(fence); !done || err != nil {
		return fmt.Errorf("a fence behind messages ends with %v, %v", done, err)
	}
	return nil
}

func sendAtOnce(p rma.Process, to int) error {
	for _, n := range []int{1, 100, 1000} {
		if sent, err := p.(rma.Messenger).IPushCopy(to, one, make([]byte, n)); !sent || err != nil {
			return fmt.Errorf("a message of %d bytes to rank %d is sent: %v, %v", 1+n, to, sent, err)
		}
	}
	return nil
}
