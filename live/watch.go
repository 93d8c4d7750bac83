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

// watch keeps the clock of a group. If the group is all of a job, it also tells that
// this is stuck, or a rank silent.
func (g *region) watch(ctx context.Context, bound time.Duration, failed func(failure)) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	beat := beats(bound)
	defer beat.Stop()
	w, l := watcher{job: g}, listener{g, make([]silence, g.size())}
	for start := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.tick(start)
			if rank := g.missing(); rank >= 0 {
				failed(failure{cause: missing, rank: rank})
				return
			}
			if g.isWhole() && w.step() {
				failed(failure{cause: stuck})
				return
			}
		case <-beat.C:
			if rank := l.silent(); g.isWhole() && rank >= 0 {
				failed(failure{silentFor, rank, milliseconds(bound)})
				return
			}
		}
	}
}

// keepClock keeps the clock of a group that has no parent.
func (g *region) keepClock(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for start := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.tick(start)
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

// quiet returns the activity of all ranks, nil if one is not quiet.
func (w *watcher) quiet() []uint64 {
	if w.wave == 0 || int(w.job.header.ended.Load()) == w.job.size() {
		return nil
	}
	var activity []uint64
	for rank := range w.job.ranks {
		now, ok := w.job.quiet(rank, w.wave)
		if !ok {
			return nil
		}
		activity = append(activity, now)
	}
	return activity
}

// quiet reports whether a rank waits and has found nothing to do in a wave, and which
// activity that is true of. The order counts: a rank that goes on says first that it does
// not wait, and then changes its activity.
func (g *region) quiet(rank int, wave uint64) (activity uint64, ok bool) {
	state := &g.ranks[rank]
	activity = state.activity.Load()
	return activity, state.waiting.Load() != 0 && state.answer.Load() >= wave
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
