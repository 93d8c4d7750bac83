package health

import (
	"context"
	"fmt"
	"musubi/live/tcp"
	"musubi/live/wire"
	"slices"
	"strings"
	"time"
)

// watch sends heartbeats, listens for those of ranks, and looks for jobs that are stuck.
func (h *Hub) watch(ctx context.Context) {
	ticker := wire.Heartbeats(h.Bound)
	defer ticker.Stop()
	ask := time.NewTicker(watchEvery)
	defer ask.Stop()
	limit, end := h.limit(ctx)
	defer end()
	late := limit.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			h.listen()
		case <-ask.C:
			h.ask()
		case <-late:
			late = nil
			if context.Cause(limit) == context.DeadlineExceeded {
				h.expect()
			}
		}
	}
}

// limit ends when all ranks should have come.
func (h *Hub) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.Limit == 0 {
		return context.WithCancel(ctx)
	}
	return tcp.Patience(ctx, h.Limit)
}

// listen sends heartbeats, and fails the job if a member has been silent for too long. It looks at the
// processes of those that are silent without the lock, as that takes long if there are many.
func (h *Hub) listen() {
	h.mu.Lock()
	members := h.present()
	h.mu.Unlock()
	for _, m := range members {
		m.out.beat()
	}
	for _, m := range members {
		if m.silence.tick(m.connection.heard.Load(), m.isThere) && !h.hasGone(m) {
			h.Fail(Outcome{Failure: Failure{Cause: SilentFor, Rank: m.Rank, Status: milliseconds(h.Bound)}})
			return
		}
	}
}

func (h *Hub) hasGone(m *member) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return m.gone
}

// expect fails the job if a rank has not come.
func (h *Hub) expect() {
	h.mu.Lock()
	missing := slices.Index(h.members, nil)
	h.mu.Unlock()
	if missing >= 0 {
		h.Fail(Outcome{Failure: Failure{Cause: late, Rank: missing, Status: milliseconds(h.Limit)}})
	}
}

// waves finds out whether a job is stuck: whether all ranks wait and nothing is under
// way. It asks all of them twice; see watch.go. What is under way between groups it
// finds by counting packets: as many must have been received as were sent.
type waves struct {
	question uint64   // the last one
	answers  []*quiet // to it, by rank
	count    int      // of answers
	before   []*quiet // answers to the question before; nil if there was none
}

// ask asks all ranks, if they are there, and the last question is answered.
func (h *Hub) ask() {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := &h.waves
	if h.here < h.Size || h.ended == h.Size || h.outcome.Failure.Cause != 0 || w.question > 0 && w.count < h.Size {
		return
	}
	if w.question > 0 {
		w.before = w.answers
		w.answers, w.count = make([]*quiet, h.Size), 0
	}
	w.question++
	h.tell(ControlMessage{Ask: w.question})
}

// answer takes the answer of a member, and fails the job if it is stuck.
func (h *Hub) answer(m *member, q *quiet) {
	h.mu.Lock()
	w := &h.waves
	if q.Question != w.question || w.answers[m.Rank] != nil {
		h.mu.Unlock()
		return
	}
	w.answers[m.Rank] = q
	w.count++
	stopped := w.count == h.Size && w.nothingMoves()
	standing := ""
	if stopped {
		standing = w.standing()
	}
	h.mu.Unlock()
	if stopped {
		h.Fail(Outcome{Failure{Cause: Stuck}, standing})
	}
}

// nothingMoves reports whether nobody has done anything between the last two answers,
// and no packet is under way.
func (w *waves) nothingMoves() bool {
	var sent, received uint64
	for rank, now := range w.answers {
		if w.before == nil || now.Activity != w.before[rank].Activity ||
			now.Sent != w.before[rank].Sent || now.Received != w.before[rank].Received {
			return false
		}
		sent += now.Sent
		received += now.Received
	}
	return sent == received
}

func (w *waves) standing() string {
	var all []string
	for rank, q := range w.answers {
		all = append(all, fmt.Sprintf("rank %d %s", rank, q.Doing))
	}
	return strings.Join(all, ", ")
}
