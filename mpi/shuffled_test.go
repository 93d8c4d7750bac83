package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"musubi/nic/cmdq"
	"musubi/rma"
	"musubi/units"
)

// shuffled is a world without time: of all that can happen next, anything does. Its
// interfaces have command queues, from package cmdq.
type shuffled struct {
	rng        *rand.Rand
	engines    int
	perProcess int // queues
	entries    int // of each queue
	perHost    int // ranks; 0: each has a host for itself
	board      *cmdq.Board
	ranks      []*shuffledRank
	ways       [][][]func() // what is on its way between two ranks, in order
	steps      int
	agents     int // rounds of ranks that had one
}

type shuffledRank struct {
	w        *shuffled
	number   int
	segments [][]byte
	free     []int
	inbox    []shuffledMessage
	queues   map[int]*shuffledQueue
	open     map[rma.Op]*error // nil while one is not complete
	under    map[rma.Op]bool   // those that are not
	ops      rma.Op
	fences   []rma.Op // that may wait for operations
	resume   func() (struct{}, bool)
	yield    func(struct{}) bool
	waits    func() bool // nil: it can go on
	done     bool
}

type shuffledMessage struct {
	from int
	data []byte
}

// shuffledQueue is a command queue of which one command at a time is being carried out.
type shuffledQueue struct {
	*cmdq.Queue[rma.Command]
	r              *shuffledRank
	number, engine int
	running        func() // writes the put that is under way
}

var errStopped = errors.New("stopped")

// run runs a program on some ranks. It fails if they wait for ever.
func (w *shuffled) run(n int, program func(p rma.Process) error) error {
	w.board = cmdq.NewBoard(w.engines, n*w.perProcess, n, w.perProcess)
	w.ways = make([][][]func(), n)
	errs := make([]error, n)
	for i := range n {
		w.ways[i] = make([][]func(), n)
		r := &shuffledRank{w: w, number: i, queues: map[int]*shuffledQueue{}, open: map[rma.Op]*error{}, under: map[rma.Op]bool{}}
		w.ranks = append(w.ranks, r)
		var stop func()
		r.resume, stop = iter.Pull(func(yield func(struct{}) bool) {
			r.yield = yield
			defer func() {
				if p := recover(); p != nil && p != errStopped {
					panic(p)
				}
			}()
			errs[i] = program(r)
			r.done = true
		})
		defer stop()
	}
	for w.step() {
	}
	for i, r := range w.ranks {
		if errs[i] != nil {
			return fmt.Errorf("rank %d: %w", i, errs[i])
		}
		if !r.done {
			return fmt.Errorf("rank %d waits for ever", i)
		}
	}
	return nil
}

// step lets something happen that can, and reports whether there is anything.
func (w *shuffled) step() bool {
	var can []func()
	for i, r := range w.ranks {
		if !r.done && (r.waits == nil || r.waits()) {
			can = append(can, func() { r.resume() })
		}
		for to, way := range w.ways[i] {
			if len(way) > 0 {
				can = append(can, func() {
					w.ways[i][to] = way[1:]
					way[0]()
				})
			}
		}
		for number := range w.perProcess {
			if q := r.queues[number+1]; q != nil && q.running != nil {
				can = append(can, q.running)
			} else if q != nil && q.Ready() > 0 {
				can = append(can, q.begin)
			}
		}
	}
	if len(can) == 0 {
		return false
	}
	w.steps++
	can[w.rng.IntN(len(can))]()
	return true
}

// block waits until a condition holds, and in any case lets others go on.
func (r *shuffledRank) block(condition func() bool) {
	r.waits = condition
	if !r.yield(struct{}{}) {
		panic(errStopped)
	}
	r.waits = nil
}

func (r *shuffledRank) Rank() int             { return r.number }
func (r *shuffledRank) Size() int             { return len(r.w.ranks) }
func (r *shuffledRank) Now() units.Time       { return units.Time(r.w.steps) }
func (r *shuffledRank) Compute(units.Time)    { r.block(nil) }
func (r *shuffledRank) Windows(int) error     { return nil }
func (r *shuffledRank) Rings(rma.Rings) error { return nil }

func (r *shuffledRank) Expose(memory []byte) int {
	if n := len(r.free); n > 0 {
		segment := r.free[n-1]
		r.free = r.free[:n-1]
		r.segments[segment] = memory
		return segment
	}
	r.segments = append(r.segments, memory)
	return len(r.segments) - 1
}

func (r *shuffledRank) ExposeWindow(n int) (int, []byte, error) {
	memory := make([]byte, n)
	return r.Expose(memory), memory, nil
}

func (r *shuffledRank) Withdraw(segment int) error {
	r.segments[segment] = nil
	r.free = append(r.free, segment)
	return nil
}

// reach returns memory that is exposed.
func (w *shuffled) reach(a rma.Address, n int) ([]byte, error) {
	r := w.ranks[a.Rank]
	if a.Segment >= len(r.segments) || a.Offset+n > len(r.segments[a.Segment]) {
		return nil, fmt.Errorf("%d bytes at %v are not exposed", n, a)
	}
	return r.segments[a.Segment][a.Offset:][:n], nil
}

// send starts an operation that does something at a rank behind all before it.
func (r *shuffledRank) send(to int, do func() error) rma.Op {
	r.ops++
	id := r.ops
	r.open[id], r.under[id] = nil, true
	r.w.ways[r.number][to] = append(r.w.ways[r.number][to], func() {
		failed := do()
		r.open[id] = &failed
		delete(r.under, id)
	})
	return id
}

// Fence is complete when no operation of a smaller number is under way.
func (r *shuffledRank) Fence() (rma.Op, error) {
	r.ops++
	r.fences = append(r.fences, r.ops)
	r.open[r.ops] = nil
	return r.ops, nil
}

func (r *shuffledRank) Push(to rma.Address, data []byte, _ rma.Mechanism) (rma.Op, error) {
	return r.send(to.Rank, func() error {
		memory, err := r.w.reach(to, len(data))
		copy(memory, data)
		return err
	}), nil
}

func (r *shuffledRank) Pull(from rma.Address, into []byte) (rma.Op, error) {
	return r.send(from.Rank, func() error {
		memory, err := r.w.reach(from, len(into))
		copy(into, memory)
		return err
	}), nil
}

func (r *shuffledRank) IPush(to int, data []byte, _ rma.Mechanism) (rma.Op, error) {
	return r.send(to, func() error {
		other := r.w.ranks[to]
		other.inbox = append(other.inbox, shuffledMessage{r.number, bytes.Clone(data)})
		return nil
	}), nil
}

var errNotHere = errors.New("this world has no layouts")

func (r *shuffledRank) PushLayout(rma.Address, rma.Layout, []byte, rma.Layout, rma.Mechanism) (rma.Op, error) {
	return 0, errNotHere
}

func (r *shuffledRank) PullLayout(rma.Address, rma.Layout, []byte, rma.Layout) (rma.Op, error) {
	return 0, errNotHere
}

func (r *shuffledRank) Load(segment, offset int, gather rma.Layout, into []byte, _ rma.Caching) error {
	if !gather.IsContiguous() {
		return errNotHere
	}
	memory, err := r.w.reach(rma.Address{Rank: r.number, Segment: segment, Offset: offset}, len(into))
	copy(into, memory)
	return err
}

func (r *shuffledRank) isComplete(op rma.Op) bool {
	if slices.Contains(r.fences, op) {
		for other := range r.under {
			if other < op {
				return false
			}
		}
		return true
	}
	failed, open := r.open[op]
	return !open || failed != nil
}

func (r *shuffledRank) Test(op rma.Op) (bool, error) {
	if !r.isComplete(op) {
		return false, nil
	}
	failed := r.open[op]
	delete(r.open, op)
	r.fences = slices.DeleteFunc(r.fences, func(f rma.Op) bool { return f == op })
	if failed == nil {
		return true, nil
	}
	return true, *failed
}

func (r *shuffledRank) Wait(op rma.Op) error {
	r.block(func() bool { return r.isComplete(op) })
	_, err := r.Test(op)
	return err
}

func (r *shuffledRank) WaitUntil(condition func() bool) error {
	r.block(condition)
	return nil
}

func (r *shuffledRank) Await(ops ...rma.Op) error {
	return r.AwaitUntil(func() bool { return false }, ops...)
}

func (r *shuffledRank) AwaitUntil(condition func() bool, ops ...rma.Op) error {
	ops = append([]rma.Op(nil), ops...)
	r.block(func() bool {
		for _, op := range ops {
			if r.isComplete(op) {
				return true
			}
		}
		return len(r.inbox) > 0 || condition()
	})
	return nil
}

func (r *shuffledRank) Poll() (bool, error) { return len(r.inbox) > 0, nil }

func (r *shuffledRank) Next() (rma.Arrival, error) {
	r.block(func() bool { return len(r.inbox) > 0 })
	return rma.Arrival{From: r.inbox[0].from, Bytes: len(r.inbox[0].data), Last: true}, nil
}

func (r *shuffledRank) Take(_ rma.Arrival, into []byte, _ rma.Caching) error {
	copy(into, r.inbox[0].data)
	r.inbox = r.inbox[1:]
	return nil
}

func (r *shuffledRank) Engines() int    { return r.w.engines }
func (r *shuffledRank) FreeQueues() int { return r.w.board.Free(r.number) }

func (r *shuffledRank) OpenQueue(c rma.QueueConfig) (rma.Queue, error) {
	number, engine, err := r.w.board.Open(r.number, c.Engine)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", rma.ErrNoQueue, err)
	}
	if c.Entries == 0 {
		c.Entries = r.w.entries
	}
	if c.Entries > r.w.entries {
		r.w.board.Close(r.number, number)
		return nil, fmt.Errorf("a queue of %d entries; there are %d", c.Entries, r.w.entries)
	}
	q, err := cmdq.NewQueue[rma.Command](cmdq.QueueConfig{Session: c.Session, Lead: c.Lead, Entries: c.Entries, Notices: 1000})
	if err != nil {
		return nil, err
	}
	own := &shuffledQueue{Queue: q, r: r, number: number, engine: engine}
	r.queues[number] = own
	return own, nil
}

func (w *shuffled) hostOf(rank int) int { return rank / max(1, w.perHost) }

func (r *shuffledRank) HostRanks() (list []int) {
	for rank := range r.w.ranks {
		if r.w.hostOf(rank) == r.w.hostOf(r.number) {
			list = append(list, rank)
		}
	}
	return list
}

func (r *shuffledRank) MemoryOf(a rma.Address, n int) ([]byte, error) { return r.w.reach(a, n) }

func (r *shuffledRank) Release(q rma.QueueAddress, steps int) (rma.Op, error) {
	return r.send(q.Rank, func() error {
		return r.w.carryOut(r.number, &rma.Command{Put: true, TargetQueue: q, Advance: steps})
	}), nil
}

func (r *shuffledRank) ProgressOf(q rma.QueueAddress) (func() uint64, error) {
	queue := r.w.ranks[q.Rank].queues[q.Queue]
	if queue == nil {
		return nil, fmt.Errorf("there is no queue %d at rank %d", q.Queue, q.Rank)
	}
	return func() uint64 { return queue.Done }, nil
}

func (q *shuffledQueue) Number() int { return q.number }
func (q *shuffledQueue) Engine() int { return q.engine }

func (q *shuffledQueue) Post(commands ...rma.Command) error {
	if !q.Queue.Post(commands...) {
		return rma.ErrQueueFull
	}
	return nil
}

func (q *shuffledQueue) Notice() (rma.Notice, bool) {
	n, ok := q.Queue.Notice()
	return rma.Notice{From: n.From, Word: n.Word}, ok
}

func (q *shuffledQueue) Close() error {
	if err := q.Queue.Close(); err != nil {
		return err
	}
	delete(q.r.queues, q.number)
	q.r.w.board.Close(q.r.number, q.number)
	return nil
}

// begin lets the engine take the next command. A put is written later; only then is its
// data read.
func (q *shuffledQueue) begin() {
	position, command, _ := q.Next()
	q.running = func() {
		q.running = nil
		q.Complete(position, q.r.w.carryOut(q.r.number, command))
	}
}

func (w *shuffled) carryOut(from int, c *rma.Command) error {
	if !c.Put {
		return nil
	}
	if len(c.Data) > 0 {
		memory, err := w.reach(c.To, len(c.Data))
		if err != nil {
			return err
		}
		copy(memory, c.Data)
	}
	if c.TargetQueue.Queue == 0 {
		return nil
	}
	taker := w.ranks[c.TargetQueue.Rank].queues[c.TargetQueue.Queue]
	if taker == nil {
		return fmt.Errorf("there is no queue %d at rank %d", c.TargetQueue.Queue, c.TargetQueue.Rank)
	}
	var notice *cmdq.Notice
	if c.Notice {
		taker.Admit()
		notice = &cmdq.Notice{From: from, Word: c.Word}
	}
	taker.Arrive(c.Advance, notice)
	return nil
}
