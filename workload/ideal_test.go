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
// latency later. What is not said to take time takes none.
type ideal struct {
	latency, perByte units.Time
	write            units.Time  // per byte that the processor writes by BOTF; twice that if the byte is not in the cache
	copying          units.Time  // per byte of Load and Take; twice that if uncached
	windows          int         // for BOTF; 0: the interface takes whatever is written
	cache            int         // bytes; 0: all is in the cache
	packet           int         // bytes in rings that tell of packets; 0: a message is one packet
	rings            []rma.Rings // of each rank, if the user has chosen them
	able             bool        // ranks are rma.Multicaster and rma.Atomics

	now   units.Time
	queue idealQueue
	count int
	ranks []*idealRank
	// misplaced counts bytes that some machines have to bring elsewhere first: sent by
	// DMA out of memory that is not exposed, or by BOTF out of memory that is.
	misplaced int
}

type idealRank struct {
	w         *ideal
	number    int
	segments  [][]byte
	withdrawn []int
	next      func() (struct{}, bool)
	yield     func(struct{}) bool
	watching  bool
	blocked   bool // in Wait

	open     map[rma.Op]*idealOp
	ops      rma.Op
	arrivals map[int]units.Time // of what was sent last, by target
	windows  idealWindows
	inbox    *idealInbox // nil until it is needed
}

// idealOp is an operation; at is when it is complete, units.Never if that is not
// known yet.
type idealOp struct {
	at     units.Time
	err    error
	fences []*idealFence // that wait to know at
}

// idealStop is the panic that unwinds a program that is not done at the end.
type idealStop struct{}

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
		r := &idealRank{w: w, number: i, open: map[rma.Op]*idealOp{}, arrivals: map[int]units.Time{}}
		w.ranks = append(w.ranks, r)
		var stop func()
		r.next, stop = iter.Pull(func(yield func(struct{}) bool) {
			r.yield = yield
			defer func() {
				if p := recover(); p != nil && p != (idealStop{}) {
					panic(p)
				}
			}()
			errs[i] = program(r.process())
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

// settled fails if ranks have not waited for what they started, or not taken what
// they got.
func (w *ideal) settled() error {
	for i, r := range w.ranks {
		if len(r.open) > 0 {
			return fmt.Errorf("rank %d has not waited for %d operations", i, len(r.open))
		}
		if r.inbox != nil && len(r.inbox.held) > 0 {
			return fmt.Errorf("rank %d has not taken %d arrivals", i, len(r.inbox.held))
		}
	}
	return nil
}

// runIdeal prepares a workload and runs it on an ideal machine of 1 us and 1 ns
// per byte.
func runIdeal(name string, settings map[string]string, env Env) (Rows, error) {
	world := ideal{latency: units.Microsecond, perByte: units.Nanosecond}
	return world.measure(name, settings, env)
}

// measure prepares a workload and runs it.
func (w *ideal) measure(name string, settings map[string]string, env Env) (Rows, error) {
	var rows Rows
	load, err := Lookup(name)
	if err != nil {
		return rows, err
	}
	plan, err := load.Prepare(settings, env)
	if err != nil {
		return rows, err
	}
	if err := w.run(env.Ranks, func(p rma.Process) error { return plan.Program(p, &rows) }); err != nil {
		return rows, err
	}
	if load == collectiveWorkload || load == osuWorkload || load == unexpectedWorkload || load == atomicsWorkload {
		return rows, nil // package mpi does not wait for the last messages that it sends
	}
	return rows, w.settled()
}
