package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"musubi/sim/engine"
	"musubi/units"

	"golang.org/x/sys/unix"
)

// Threads that call at once. Each call of such a program is a coroutine, so one that waits for messages can be left while
// another thread calls. As computation takes no simulated time unless it is told to, simulated time may go on only
// when all threads of the program wait: in calls, or asleep. The kernel knows the latter.

// thread is a call under way.
type thread struct {
	slot   *slot
	call   *engine.Coroutine
	result int64
}

// take carries out a call, at least until it waits, and then looks whether it lets others go on.
func (r *rank) take(s *slot) error {
	s.take()
	if r.abi.Threads == nil {
		r.at = s
		r.carryOut()
		return nil
	}
	t := &thread{slot: s}
	t.call = engine.NewCoroutine(func(*engine.Coroutine) {
		words := s.words
		t.result = r.abi.Call(int(s.number), words[:])
	})
	r.waiting = append(r.waiting, t)
	if ended, err := r.run(t); err != nil || !ended {
		return err
	}
	_, err := r.goOn()
	return err
}

// run lets a call go on until it is complete or waits again. It reports whether it is complete.
func (r *rank) run(t *thread) (bool, error) {
	r.at, r.running = t.slot, t
	waits := t.call.Resume()
	r.running = nil
	if waits {
		return false, nil
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(other *thread) bool { return other == t })
	if err := t.call.Failure(); err != nil {
		return true, err
	}
	t.slot.result = t.result
	t.slot.give(callReturns)
	return true, nil
}

// goOn lets all calls that wait look once. It reports whether one is complete.
func (r *rank) goOn() (bool, error) {
	some := false
	for _, t := range slices.Clone(r.waiting) {
		ended, err := r.run(t)
		if err != nil {
			return some, err
		}
		some = some || ended
	}
	return some, nil
}

// Yield lets another thread of the program call. It returns when it is this one's turn to look again.
func (r *rank) Yield() {
	if t := r.running; t != nil {
		t.call.Suspend()
	}
}

// Thread returns a number of the thread whose call is carried out.
func (r *rank) Thread() int64 { return int64(r.slots.indexOf(r.at)) + 1 }

// mostAwake is how long simulated time waits for threads that neither call nor sleep, in time of this computer; napping is
// how often it looks.
const (
	mostAwake = 50 * time.Millisecond
	napping   = 100 * time.Microsecond
)

// next waits for the next call of the program, and returns nil when that has ended. As long as threads wait it lets
// simulated time go on when no other can call.
func (r *rank) next() (*slot, error) {
	var s *slot
	isThere := func() bool {
		s = r.slots.called(r.last + 1)
		return s != nil
	}
	if len(r.waiting) == 0 {
		r.slots.await(isThere, r.ended, r.program.Stop)
	}
	for limit := time.Now().Add(mostAwake); len(r.waiting) > 0; {
		seen := atomic.LoadUint32(&r.slots.bell)
		if isThere() || r.hasEnded() {
			break
		}
		if !r.areAsleep() && time.Now().Before(limit) {
			r.slots.awaitBell(seen, napping)
			continue
		}
		for ended := false; !ended && !isThere() && !r.hasEnded(); {
			var err error
			if ended, err = r.letTimePass(); err != nil {
				return nil, err
			}
		}
		limit = time.Now().Add(mostAwake)
	}
	if s == nil && !r.hasEnded() {
		return r.next()
	}
	if s != nil {
		r.last = r.slots.indexOf(s)
	}
	return s, nil
}

// mostPassing is how much simulated time passes before the program is looked at again, whose threads may have slept for a time.
const mostPassing = 100 * units.Microsecond

// letTimePass lets the calls that wait look, and if none is complete simulated time pass until something comes. It reports
// whether one is complete.
func (r *rank) letTimePass() (bool, error) {
	ended, err := r.goOn()
	if err == nil && !ended {
		err = r.abi.Engine.BlockBefore(r.rma.Now() + mostPassing)
	}
	return ended, err
}

func (r *rank) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	case <-r.program.Stop:
		return true
	default:
		return false
	}
}

// areAsleep reports whether all threads of the program sleep: those in calls do. A thread that is woken while
// the others are looked at shows in the second look, as one has run then.
func (r *rank) areAsleep() bool {
	if r.threads() == len(r.waiting) {
		return true
	}
	first, asleep := r.look()
	if !asleep {
		return false
	}
	second, asleep := r.look()
	return asleep && first == second
}

// threads returns how many threads the program has, by the links that their folder has; 0: nobody knows.
func (r *rank) threads() int {
	var folder unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d/task", r.command.Process.Pid), &folder); err != nil {
		return 0
	}
	return int(folder.Nlink) - 2
}

// look returns how often the threads of the program have stopped running, and whether all sleep.
func (r *rank) look() (stops string, asleep bool) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", r.command.Process.Pid))
	if err != nil {
		return "", false
	}
	var all []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // it has ended
		}
		if err != nil || bytes.Contains(text, []byte("State:\tR")) {
			return "", false
		}
		if at := bytes.Index(text, []byte("voluntary_ctxt_switches")); at >= 0 {
			all = append(all, text[at:]...)
		}
	}
	return string(all), true
}

// stopThreads ends the calls that are under way when the program has ended.
func (r *rank) stopThreads() {
	for _, t := range r.waiting {
		t.call.Stop()
	}
}
