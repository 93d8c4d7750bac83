package live

import (
	"context"
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

// watch keeps the clock of a group, and tells if it is all of a job that is stuck.
func (g *region) watch(ctx context.Context, failed func(failure)) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	w := watcher{job: g}
	for start := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		g.tick(start)
		if rank := g.missing(); rank >= 0 {
			failed(failure{cause: missing, rank: rank})
			return
		}
		if g.isWhole() && w.step() {
			failed(failure{cause: stuck})
			return
		}
	}
}

// watcher asks and compares.
type watcher struct {
	job    *region
	wave   uint64
	before []uint64 // activity of all ranks at the wave before, if all were quiet
}

// step looks at the answers, and asks again. It reports whether the job is stuck.
func (w *watcher) step() bool {
	now := w.quiet()
	if now != nil && w.before != nil && slices.Equal(now, w.before) {
		return true
	}
	w.before = now
	if w.allWait() {
		w.wave = w.job.ask()
	}
	return false
}

// quiet returns the activity of all ranks, nil if one has not answered the last wave.
func (w *watcher) quiet() []uint64 {
	if w.wave == 0 || !w.allWait() {
		return nil
	}
	var activity []uint64
	for rank := range w.job.ranks {
		state := &w.job.ranks[rank]
		if state.answer.Load() < w.wave {
			return nil
		}
		activity = append(activity, state.activity.Load())
	}
	return activity
}

// allWait reports whether all ranks wait for something, not only for the end.
func (w *watcher) allWait() bool {
	for rank := range w.job.ranks {
		if w.job.ranks[rank].waiting.Load() == 0 {
			return false
		}
	}
	return int(w.job.header.ended.Load()) < w.job.size()
}

// missing returns a rank of the group that will never join it, while others have; -1 if
// there is none.
func (g *region) missing() int {
	if g.header.joined.Load() == 0 {
		return -1
	}
	for rank := range g.ranks {
		if g.ranks[rank].absent.Load() == 1 {
			return rank
		}
	}
	return -1
}
