package shm

import (
	"fmt"
	"strings"
	"time"
)

// Reason is what a rank waits for, or in; 0 if it runs.
type Reason uint32

const (
	InWait Reason = 1 + iota
	InWaitUntil
	InAwait
	InNext
	InWithdraw
	InClose
	InConnect
	InStart
	InEnd
)

var reasonNames = [...]string{
	0: "runs", InWait: "waits in Wait", InWaitUntil: "waits in WaitUntil", InAwait: "waits in Await",
	InNext: "waits in Next", InWithdraw: "waits in Withdraw", InClose: "waits in Close", InConnect: "waits in connecting", InStart: "has not met the other ranks yet", InEnd: "has ended",
}

func (w Reason) String() string { return reasonNames[w] }

// Call returns the name of the call in which a rank waits.
func (w Reason) Call() string { return strings.TrimPrefix(w.String(), "waits in ") }

// Tick sets the clock of the job, which counts milliseconds. Whoever watches the job
// keeps it.
func (g *Region) Tick(since time.Time) {
	g.Header.Clock.Store(uint64(time.Since(since).Milliseconds()) + 1)
}

// Doing says what a rank was last seen to wait for.
func (g *Region) Doing(rank int) string {
	state := &g.Ranks[rank]
	if state.Ended.Load() == 1 {
		return InEnd.String()
	}
	if text := state.Statement.Read(); text != "" {
		return "waits in " + text
	}
	return Reason(state.Last.Load()).String()
}

// Standing says what each rank of the group does, for a job that is stuck.
func (g *Region) Standing() string {
	var parts []string
	for _, rank := range g.Locals() {
		parts = append(parts, fmt.Sprintf("rank %d %s", rank, g.Doing(rank)))
	}
	return strings.Join(parts, ", ")
}

// Quiet reports whether a rank waits and has found nothing to do in a wave, and which
// activity that is true of. The order counts: a rank that goes on says first that it does
// not wait, and then changes its activity.
func (g *Region) Quiet(rank int, wave uint64) (activity uint64, ok bool) {
	state := &g.Ranks[rank]
	activity = state.Activity.Load()
	return activity, state.Waiting.Load() != 0 && state.Answer.Load() >= wave
}

// Missing returns a rank of the group that will never join it, while others have; -1 if
// there is none.
func (g *Region) Missing() int {
	if g.Header.Joined.Load() == 0 {
		return -1
	}
	for rank := range g.Ranks {
		if g.Ranks[rank].Absent.Load() == 1 {
			return rank
		}
	}
	return -1
}

// Since returns how many seconds ago it was something o'clock.
func (g *Region) Since(clock uint64) float64 {
	now := g.Header.Clock.Load()
	return float64(now-min(clock, now)) / 1000
}

// answerTime is how long ranks may take to say what they wait for.
const answerTime = 200 * time.Millisecond

// Ask lets all ranks that wait say so, and what for. It returns the number of the
// question, which those have answered whose answer is no less.
func (g *Region) Ask() uint64 {
	wave := g.Header.Probe.Add(1)
	g.WakeAll()
	return wave
}

// AskAndWait is ask that gives the ranks some time to answer.
func (g *Region) AskAndWait() {
	wave := g.Ask()
	for end := time.Now().Add(answerTime); time.Now().Before(end) && !g.answered(wave); {
		time.Sleep(time.Millisecond)
	}
}

// answered reports whether all ranks that wait have answered.
func (g *Region) answered(wave uint64) bool {
	for rank := range g.Ranks {
		state := &g.Ranks[rank]
		if state.Waiting.Load() != 0 && state.Answer.Load() < wave {
			return false
		}
	}
	return true
}

// Fail writes down how the job has failed, in one word, unless it has failed before, and wakes all
// ranks of the group. It reports whether it has.
func (g *Region) Fail(how uint64) (first bool) {
	first = g.Header.Failure.CompareAndSwap(0, how)
	g.WakeAll()
	return first
}

// Pid returns the process of a rank of the group, 0 if it has not come.
func (g *Region) Pid(rank int) int { return int(g.Ranks[rank].Pid.Load()) }
