package live

import (
	"context"
	"time"
)

// A process that is alive says so beatsPerBound times in the time for which it may be
// silent.
const beatsPerBound = 8

// leastBound is the shortest time after which a silent rank may count as lost. A
// processor that is shared can keep it waiting for as long.
const leastBound = 50 * time.Millisecond

// beats ticks as often as a process has to beat, until it is stopped; never if there is
// no bound.
func beats(bound time.Duration) *time.Ticker {
	if bound == 0 {
		return &time.Ticker{}
	}
	return time.NewTicker(bound / beatsPerBound)
}

// silence tells when somebody has been silent for too long. It counts ticks, not time:
// who was stopped himself has not listened, and blames nobody. Nor does it count those at
// which the system says that the other one is slow rather than gone; see isRunning.
type silence struct {
	heard uint64
	ticks int
}

// tick takes how much was heard so far, and reports whether it was nothing for too long.
// It asks whether the other one is running only if that is silent.
func (s *silence) tick(heard uint64, running func() bool) bool {
	if heard != s.heard {
		s.heard, s.ticks = heard, 0
		return false
	}
	if !running() {
		s.ticks++
	}
	return s.ticks > beatsPerBound
}

// beat lets a rank beat in the memory of its group.
func (g *region) beat(ctx context.Context, rank int, bound time.Duration) {
	ticker := beats(bound)
	defer ticker.Stop()
	for {
		g.ranks[rank].beat.Add(1)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// listener is the parent of a group that listens for the beats of its ranks.
type listener struct {
	job     *region
	silence []silence // by rank
}

// silent returns a rank that has begun to beat and stopped, -1 if there is none.
func (l *listener) silent() int {
	if l.job.header.ended.Load() == uint32(l.job.header.local) {
		return -1
	}
	for _, rank := range l.job.locals() {
		beat := l.job.ranks[rank].beat.Load()
		running := func() bool { return isRunning(int(l.job.ranks[rank].pid.Load())) }
		if l.silence[rank].tick(beat, running) && beat > 0 {
			return rank
		}
	}
	return -1
}
