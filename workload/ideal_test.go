package workload

import (
	"container/heap"
	"fmt"
	"iter"

	"musubi/rma"
	"musubi/units"
)

// ideal is a world without contention for tests: a transfer of n bytes is in its
// target's memory latency + n*perByte after its start, and complete another
// latency later. Processors and everything else take no time.
type ideal struct {
	latency, perByte units.Time

	now   units.Time
	queue idealQueue
	count int
	ranks []*idealRank
}

type idealRank struct {
	w        *ideal
	number   int
	segments [][]byte
	next     func() (struct{}, bool)
	yield    func(struct{}) bool
	done     map[rma.Op]units.Time
	watching bool
	ops      rma.Op
}

type idealEvent struct {
	at  units.Time
	seq int
	do  func()
}

type idealQueue []idealEvent

func (q idealQueue) Len() int { return len(q) }
func (q idealQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q idealQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *idealQueue) Push(x any)   { *q = append(*q, x.(idealEvent)) }
func (q *idealQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (w *ideal) at(t units.Time, do func()) {
	w.count++
	heap.Push(&w.queue, idealEvent{t, w.count, do})
}

// run runs a program on n ranks until all have returned.
func (w *ideal) run(n int, program func(rma.Process) error) error {
	errs := make([]error, n)
	running := n
	for i := range n {
		r := &idealRank{w: w, number: i, done: map[rma.Op]units.Time{}}
		w.ranks = append(w.ranks, r)
		var stop func()
		r.next, stop = iter.Pull(func(yield func(struct{}) bool) {
			r.yield = yield
			errs[i] = program(r)
			running--
		})
		defer stop()
		w.at(0, r.resume)
	}
	for len(w.queue) > 0 {
		e := heap.Pop(&w.queue).(idealEvent)
		w.now = e.at
		e.do()
	}
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("rank %d: %w", i, err)
		}
	}
	if running > 0 {
		return fmt.Errorf("%d ranks wait for ever", running)
	}
	return nil
}

func (r *idealRank) resume()         { r.next() }
func (r *idealRank) suspend()        { r.yield(struct{}{}) }
func (r *idealRank) Rank() int       { return r.number }
func (r *idealRank) Size() int       { return len(r.w.ranks) }
func (r *idealRank) Now() units.Time { return r.w.now }

func (r *idealRank) Compute(d units.Time) {
	r.w.at(r.w.now+d, r.resume)
	r.suspend()
}

func (r *idealRank) Expose(memory []byte) int {
	r.segments = append(r.segments, memory)
	return len(r.segments) - 1
}

func (r *idealRank) Push(to rma.Address, data []byte, _ rma.Mechanism) (rma.Op, error) {
	t := r.w.ranks[to.Rank]
	arrival := r.w.now + r.w.latency + units.Time(len(data))*r.w.perByte
	r.w.at(arrival, func() {
		copy(t.segments[to.Segment][to.Offset:][:len(data)], data)
		if t.watching {
			t.watching = false
			t.resume()
		}
	})
	return r.complete(arrival + r.w.latency)
}

func (r *idealRank) Pull(from rma.Address, into []byte) (rma.Op, error) {
	r.w.at(r.w.now+r.w.latency, func() { copy(into, r.w.ranks[from.Rank].segments[from.Segment][from.Offset:]) })
	return r.complete(r.w.now + 2*r.w.latency + units.Time(len(into))*r.w.perByte)
}

func (r *idealRank) complete(at units.Time) (rma.Op, error) {
	r.ops++
	r.done[r.ops] = at
	return r.ops, nil
}

func (r *idealRank) Wait(op rma.Op) error {
	if op == 0 {
		return nil
	}
	at, open := r.done[op]
	if !open {
		return fmt.Errorf("operation %d is not open", op)
	}
	delete(r.done, op)
	if at > r.w.now {
		r.Compute(at - r.w.now)
	}
	return nil
}

func (r *idealRank) WaitUntil(condition func() bool) error {
	for !condition() {
		r.watching = true
		r.suspend()
	}
	return nil
}

// runIdeal prepares a workload and runs it on an ideal machine of 1 us and 1 ns
// per byte.
func runIdeal(name string, settings map[string]string, env Env) (Rows, error) {
	var rows Rows
	w, err := Lookup(name)
	if err != nil {
		return rows, err
	}
	plan, err := w.Prepare(settings, env)
	if err != nil {
		return rows, err
	}
	world := ideal{latency: units.Microsecond, perByte: units.Nanosecond}
	if err := world.run(env.Ranks, func(p rma.Process) error { return plan.Program(p, &rows) }); err != nil {
		return rows, err
	}
	for i, r := range world.ranks {
		if len(r.done) > 0 {
			return rows, fmt.Errorf("rank %d has not waited for %d operations", i, len(r.done))
		}
	}
	return rows, nil
}
