package live

import (
	"cmp"
	"time"
)

// That a connection has ended says little of a rank: its process may have been killed, or
// its program have failed. The rank itself, or its parent, says that as well, but what comes
// on one connection may be read before what was sent earlier on another one. So the hub does
// not judge by connections as long as somebody may know better.

// verdict is why a job has failed. Its failure has no cause if it has not.
type verdict struct {
	failure  failure
	standing string // what all ranks wait for, if the job is stuck
}

func (v verdict) message() message {
	return message{Failure: v.failure.encode(), Standing: v.standing}
}

// partingTime is how long the hub waits for somebody to say why a rank has gone that has no
// parent that would tell.
const partingTime = 300 * time.Millisecond

// parting returns how long the hub waits for somebody to say why a member has gone. Its parent
// does as soon as the process has ended, and that may take long on a busy machine; but all
// must be told no later than of a rank that is silent.
func (h *hub) parting(m *member) time.Duration {
	if m.Watched {
		return cmp.Or(h.bound, usualBound)
	}
	return partingTime
}

// left notes that a member has gone. That is a failure, unless all programs are done, or
// somebody gives another reason in time.
func (h *hub) left(m *member) {
	h.mu.Lock()
	m.gone = true
	early := h.ended < h.size && !h.closed
	h.mu.Unlock()
	if !early {
		return
	}
	h.tasks.Go(func() { // of which the caller is one
		if h.listens(h.parting(m)) {
			h.fail(verdict{failure: failure{cause: gone, rank: m.Rank}})
		}
	})
}

// listens lets some time go by, in which others can be heard. It counts parts of it, as a hub
// that was stopped meanwhile has heard nobody. It reports false if the hub has ended.
func (h *hub) listens(d time.Duration) bool {
	const parts = 20
	for range parts {
		select {
		case <-time.After(d / parts):
		case <-h.stopped:
			return false
		}
	}
	return true
}

// hear takes a failure that a member tells of.
func (h *hub) hear(f failure) {
	if f.cause == cut {
		h.suspect(f)
		return
	}
	h.fail(verdict{failure: f})
}

// suspect takes that a member has lost its connection with another one. If that one has
// gone, there is more to say about it than that. So it is asked whether it is there: either
// it answers, behind all that it has said before, or it goes.
func (h *hub) suspect(f failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.members[f.rank]; m != nil && !m.gone && m.suspicion.cause == 0 {
		m.suspicion = f
		m.line.send(message{Here: true})
	}
}

// confirm takes that a member is there, so that what it is suspected of is so.
func (h *hub) confirm(m *member) {
	h.mu.Lock()
	f := m.suspicion
	h.mu.Unlock()
	if f.cause != 0 {
		h.fail(verdict{failure: f})
	}
}

// fail ends the job, unless it has failed or is done.
func (h *hub) fail(v verdict) {
	h.mu.Lock()
	done := h.ended == h.size && v.failure.cause.isOfConnections() || h.closed
	first := h.verdict.failure.cause == 0 && !done
	if first {
		h.verdict = v
		h.tell(v.message())
	}
	h.mu.Unlock()
	if first {
		h.failed(v)
	}
}

// standing says what all ranks waited for when the job was stuck.
func (h *hub) standing() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.verdict.standing
}
