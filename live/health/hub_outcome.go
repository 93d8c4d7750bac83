package health

import (
	"cmp"
	"context"
	"musubi/live/tcp"
	"time"
)

// That a connection has ended says little of a rank: its process may have been killed, or
// its program have failed. The rank itself, or its parent, says that as well, but what comes
// on one connection may be read before what was sent earlier on another one. So the hub does
// not judge by connections as long as somebody may know better.

// Outcome is why a job has failed. Its failure has no cause if it has not.
type Outcome struct {
	Failure  Failure
	standing string // what all ranks wait for, if the job is stuck
}

func (v Outcome) message() ControlMessage {
	return ControlMessage{Failure: v.Failure.Encode(), Standing: v.standing}
}

// PartingTime is how long the hub waits for somebody to say why a rank has gone that has no
// parent that would tell.
const PartingTime = 300 * time.Millisecond

// parting returns how long the hub waits for somebody to say why a member has gone. Its parent
// does as soon as the process has ended, and that may take long on a busy machine; but all
// must be told no later than of a rank that is silent.
func (h *Hub) parting(m *member) time.Duration {
	if m.Watched {
		return cmp.Or(h.Bound, UsualBound)
	}
	return PartingTime
}

// left notes that a member has gone. That is a failure, unless all programs are done, or
// somebody gives another reason in time.
func (h *Hub) left(m *member) {
	h.mu.Lock()
	m.gone = true
	early := h.ended < h.Size && !h.closed
	h.mu.Unlock()
	if !early {
		return
	}
	h.tasks.Go(func() { // of which the caller is one
		if h.listens(h.parting(m)) {
			h.Fail(Outcome{Failure: Failure{Cause: gone, Rank: m.Rank}})
		}
	})
}

// listens lets some time go by, in which others can be heard; a hub that was stopped meanwhile has heard nobody. It
// reports false if the hub has ended.
func (h *Hub) listens(d time.Duration) bool {
	passed, end := tcp.Patience(h.running, d)
	defer end()
	<-passed.Done()
	return context.Cause(passed) == context.DeadlineExceeded
}

// hear takes a failure that a member tells of.
func (h *Hub) hear(f Failure) {
	if f.Cause == Cut {
		h.suspect(f)
		return
	}
	h.Fail(Outcome{Failure: f})
}

// suspect takes that a member has lost its connection with another one. If that one has
// gone, there is more to say about it than that. So it is asked whether it is there: either
// it answers, behind all that it has said before, or it goes.
func (h *Hub) suspect(f Failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.members[f.Rank]; m != nil && !m.gone && m.suspicion.Cause == 0 {
		m.suspicion = f
		m.out.post(ControlMessage{Here: true})
	}
}

// confirm takes that a member is there, so that what it is suspected of is so.
func (h *Hub) confirm(m *member) {
	h.mu.Lock()
	f := m.suspicion
	h.mu.Unlock()
	if f.Cause != 0 {
		h.Fail(Outcome{Failure: f})
	}
}

// Fail ends the job, unless it has failed or is done.
func (h *Hub) Fail(v Outcome) {
	h.mu.Lock()
	done := h.ended == h.Size && v.Failure.Cause.isOfConnections() || h.closed
	first := h.outcome.Failure.Cause == 0 && !done
	if first {
		h.outcome = v
		h.tell(v.message())
	}
	h.mu.Unlock()
	if first {
		h.Failed(v)
	}
}

// Standing says what all ranks waited for when the job was stuck.
func (h *Hub) Standing() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outcome.standing
}
