package cmdq

import (
	"fmt"
	"slices"
)

// canStart reports whether a process can start the next round: it has waited for the one
// before, and its queues have room, now or after it has taken completions.
func (w *exchangeWorld) canStart(p int) bool {
	r := w.rounds[p]
	if r.started > r.waited && !w.hasty || r.started == w.exchange.rounds {
		return false
	}
	for i, q := range w.cqs {
		if plan := &w.queues[i]; plan.owner == p && q.Room()+q.Completed() < len(plan.program) {
			return false
		}
	}
	return true
}

// start posts the commands of the next round.
func (w *exchangeWorld) start(p int) error {
	w.rounds[p].started++
	for i := range w.cqs {
		if w.queues[i].owner == p {
			if err := w.post(i, w.rounds[p].started, w.queues[i].program); err != nil {
				return err
			}
		}
	}
	return nil
}

// post makes room in a queue, and posts commands.
func (w *exchangeWorld) post(i, round int, commands []command) error {
	for {
		if done, err := w.cqs[i].Completion(); !done || err != nil {
			break
		}
	}
	for _, c := range commands {
		if !w.cqs[i].Post(posted{c, round}) {
			return fmt.Errorf("no room for %v of round %d in queue %d", c, round, i)
		}
	}
	return nil
}

// canLook reports whether the sender of an edge polls, and will see an RTR of its round.
func (w *exchangeWorld) canLook(e int) bool {
	i, state := w.out[e], w.ways[e]
	return w.queues[i].polled && state.looked < state.ready && state.looked < w.rounds[w.queues[i].owner].started
}

// look lets the processor see an RTR, and post the data.
func (w *exchangeWorld) look(e int) error {
	w.ways[e].looked++
	return w.post(w.out[e], w.ways[e].looked, w.sends(e))
}

// canWait reports whether Wait can return: the data of all edges to a process has come,
// and that of all edges from it has been sent.
func (w *exchangeWorld) canWait(p int) bool {
	r := w.rounds[p]
	if r.started == r.waited {
		return false
	}
	for i, q := range w.cqs {
		plan := &w.queues[i]
		if plan.owner == p && (!w.received(plan, q, r.started) || !w.sent(plan, q)) {
			return false
		}
		if slices.Contains(plan.clients, p) && q.Done < uint64(r.started*len(plan.program)) {
			return false
		}
	}
	return true
}

func (w *exchangeWorld) received(plan *queuePlan, q *Queue[posted], round int) bool {
	if plan.notices {
		return q.notices.count() >= len(plan.in)
	}
	for _, e := range plan.in {
		if w.ways[e].ended < round {
			return false
		}
	}
	return true
}

// sent reports whether the data of a queue's edges has been sent. Behind it there is
// nothing in the queue; so all commands have completed.
func (w *exchangeWorld) sent(plan *queuePlan, q *Queue[posted]) bool {
	for _, e := range plan.out {
		if plan.polled && w.ways[e].looked < w.rounds[plan.owner].started {
			return false
		}
	}
	return len(plan.out) == 0 || q.Done == q.Write
}

// wait returns from Wait.
func (w *exchangeWorld) wait(p int) error {
	w.rounds[p].waited++
	for i := range w.cqs {
		if w.queues[i].owner != p {
			continue
		}
		if w.queues[i].notices {
			w.takeNotices(i)
		}
		for _, e := range w.queues[i].in {
			if s := w.ways[e]; s.data != w.rounds[p].waited || s.ended != s.data {
				return fmt.Errorf("process %d has waited for round %d, and edge %d is at %+v", p, w.rounds[p].waited, e, s)
			}
		}
	}
	return nil
}

// takeNotices takes a notice for each edge, without asking of which it is.
func (w *exchangeWorld) takeNotices(i int) {
	for range w.queues[i].in {
		if n, ok := w.cqs[i].Notice(); ok {
			w.ways[n.From].ended++
		}
	}
}

// done reports whether all rounds are done, and nothing is under way.
func (w *exchangeWorld) Done() bool {
	for _, r := range w.rounds {
		if r.waited < w.exchange.rounds {
			return false
		}
	}
	for _, q := range w.cqs {
		if !q.Idle() {
			return false
		}
	}
	return true
}

// checkDone checks that the pointers are where they must be: all commands of all rounds
// have been carried out, and the scheduling pointer is as far ahead as at the beginning.
func (w *exchangeWorld) CheckDone() error {
	for i, q := range w.cqs {
		plan := &w.queues[i]
		n := uint64(w.exchange.rounds * len(plan.program))
		if plan.polled {
			for _, e := range plan.out {
				n += uint64(w.exchange.rounds * len(w.sends(e)))
			}
		}
		if q.Read != n || q.Write != n || q.Done != n || q.Session() && q.Scheduled != n+uint64(plan.config.Lead) {
			return fmt.Errorf("queue %d ends with %+v; want all at %d, and the scheduling pointer %d ahead", i, q.Pointers, n, plan.config.Lead)
		}
		if _, ok := q.Notice(); ok {
			return fmt.Errorf("queue %d has a notice that nobody has taken", i)
		}
	}
	return nil
}
