package health

import (
	"context"
	"musubi/live/shm"
	"musubi/live/wire"
	"time"
)

// LeastBound is the shortest time after which a silent rank may count as lost. A
// processor that is shared can keep it waiting for as long.
const LeastBound = 50 * time.Millisecond

// silence tells when somebody has been silent for too long. It counts ticks, not time:
// who was stopped himself has not listened, and blames nobody. Nor does it count those at
// which the system says that the other one is slow rather than gone; see isRunning and hasUnread.
type silence struct {
	heard uint64
	ticks int
}

// tick takes how much was heard so far, and reports whether it was nothing for too long.
// It asks whether the other one is there only if that is silent.
func (s *silence) tick(heard uint64, isThere func() bool) bool {
	if heard != s.heard {
		s.heard, s.ticks = heard, 0
		return false
	}
	if !isThere() {
		s.ticks++
	}
	return s.ticks > wire.HeartbeatsPerBound
}

// Heartbeat counts up the heartbeats of a rank in the memory of its group until ctx is over. The first
// has been when it returns: a rank that has none is taken for one that has not begun, and is not missed.
func Heartbeat(ctx context.Context, g *shm.Region, rank int, bound time.Duration) {
	heartbeats := &g.Ranks[rank].Heartbeats
	heartbeats.Add(1)
	go func() {
		ticker := wire.Heartbeats(bound)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				heartbeats.Add(1)
			}
		}
	}()
}

// heartbeatDetector is the parent of a group that looks at the heartbeats of its ranks.
type heartbeatDetector struct {
	job     *shm.Region
	silence []silence // by rank
}

// silent returns a rank whose heartbeats have begun and stopped, -1 if there is none.
func (l *heartbeatDetector) silent() int {
	if l.job.Header.Ended.Load() == uint32(l.job.Header.Local) {
		return -1
	}
	for _, rank := range l.job.Locals() {
		beat := l.job.Ranks[rank].Heartbeats.Load()
		running := func() bool { return isRunning(int(l.job.Ranks[rank].Pid.Load())) }
		if l.silence[rank].tick(beat, running) && beat > 0 {
			return rank
		}
	}
	return -1
}

// UsualBound is how long a peer may be silent, if nobody says otherwise.
const UsualBound = 10 * time.Second
