package health

import (
	"context"
	"musubi/live/shm"
	"musubi/live/wire"
	"slices"
	"time"
)

// The parent looks for jobs that are stuck: in which every rank waits and nothing is
// under way. It asks all ranks, twice, whether they have looked since and found
// nothing to do. If none has done anything between the answers, nobody has sent
// anything since the first, and all have looked since; so nothing can come any more
// (Mattern, Algorithms for Distributed Termination Detection, 1987).

// watchEvery is how often the parent asks.
const watchEvery = 50 * time.Millisecond

// watch keeps the clock of a group. If the group is all of a job, it also tells that
// this is stuck, or a rank silent.
func WatchGroup(ctx context.Context, g *shm.Region, bound time.Duration, failed func(Failure)) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	heartbeat := wire.Heartbeats(bound)
	defer heartbeat.Stop()
	w, l := stuckDetector{job: g}, heartbeatDetector{g, make([]silence, g.Size())}
	start := time.Now()
	c := newCrowdDetector(g, start)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.Tick(start)
			c.look(time.Now())
			if rank := g.Missing(); rank >= 0 {
				failed(Failure{Cause: missing, Rank: rank})
				return
			}
			if g.IsWhole() && w.step() {
				failed(Failure{Cause: Stuck})
				return
			}
		case <-heartbeat.C:
			if rank := l.silent(); g.IsWhole() && rank >= 0 {
				failed(Failure{SilentFor, rank, milliseconds(bound)})
				return
			}
		}
	}
}

// KeepClock keeps the clock of a group that has no parent.
func KeepClock(ctx context.Context, g *shm.Region) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	start := time.Now()
	c := newCrowdDetector(g, start)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.Tick(start)
			c.look(time.Now())
		}
	}
}

// stuckDetector asks and compares.
type stuckDetector struct {
	job    *shm.Region
	wave   uint64
	before []uint64 // activity of all ranks at the wave before, if all were quiet
}

// step looks at the answers, and asks again. It reports whether the job is stuck.
func (w *stuckDetector) step() bool {
	now := w.quiet()
	if now != nil && w.before != nil && slices.Equal(now, w.before) {
		return true
	}
	w.before = now
	if w.allWait() {
		w.wave = w.job.Ask()
	}
	return false
}

// quiet returns the activity of all ranks, nil if one is not quiet.
func (w *stuckDetector) quiet() []uint64 {
	if w.wave == 0 || int(w.job.Header.Ended.Load()) == w.job.Size() {
		return nil
	}
	var activity []uint64
	for rank := range w.job.Ranks {
		now, ok := w.job.Quiet(rank, w.wave)
		if !ok {
			return nil
		}
		activity = append(activity, now)
	}
	return activity
}

// allWait reports whether all ranks wait for something, not only for the end.
func (w *stuckDetector) allWait() bool {
	for rank := range w.job.Ranks {
		if w.job.Ranks[rank].Waiting.Load() == 0 {
			return false
		}
	}
	return int(w.job.Header.Ended.Load()) < w.job.Size()
}
