package ideal

import (
	"bytes"
	"container/heap"
	"fmt"
	"iter"

	"musubi/rma"
	"musubi/units"
)

// World is a world without contention for tests: a transfer of n bytes is in its
// target's memory latency + n*perByte after its start, and complete another
// latency later. What is not said to take time takes none.
type World struct {
	Latency, PerByte units.Time
	Write            units.Time  // per byte that the processor writes by BOTF; twice that if the byte is not in the cache
	Copying          units.Time  // per byte of Load and Take; twice that if uncached
	Windows          int         // for BOTF; 0: the interface takes whatever is written
	Cache            int         // bytes; 0: all is in the cache
	Packet           int         // bytes in rings that tell of packets; 0: a message is one packet
	Rings            []rma.Rings // of each rank, if the user has chosen them
	Able             bool        // ranks are rma.Multicaster and rma.Atomics
	Corrupt          int         // the last byte of what has as many bytes or more arrives wrong; 0: nothing does

	now   units.Time
	queue eventQueue
	count int
	ranks []*Member
	// misplaced counts bytes that some machines have to bring elsewhere first: sent by
	// DMA out of memory that is not exposed, or by BOTF out of memory that is.
	Misplaced int
}

// Member is a rank of the world.
type Member struct {
	w         *World
	number    int
	Segments  [][]byte
	withdrawn []int
	next      func() (struct{}, bool)
	yield     func(struct{}) bool
	watching  bool
	blocked   bool // in Wait

	open     map[rma.Op]*operation
	ops      rma.Op
	arrivals map[int]units.Time // of what was sent last, by target
	windows  botfWindows
	Inbox    *ringInbox // nil until it is needed
}

// operation is an operation; at is when it is complete, units.Never if that is not
// known yet.
type operation struct {
	at     units.Time
	err    error
	fences []*fence // that wait to know at
}

// stopped is the panic that unwinds a program that is not done at the end.
type stopped struct{}

type event struct {
	at  units.Time
	seq int
	do  func()
}

type eventQueue []event

func (q eventQueue) Len() int { return len(q) }
func (q eventQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q eventQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *eventQueue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *eventQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// carried returns data as it arrives.
func (w *World) carried(data []byte) []byte {
	data = bytes.Clone(data)
	if w.Corrupt > 0 && len(data) >= w.Corrupt {
		data[len(data)-1]++
	}
	return data
}

func (w *World) at(t units.Time, do func()) {
	w.count++
	heap.Push(&w.queue, event{t, w.count, do})
}

// Run runs a program on n ranks until all have returned.
func (w *World) Run(n int, program func(rma.Process) error) error {
	errs := make([]error, n)
	running := n
	for i := range n {
		r := &Member{w: w, number: i, open: map[rma.Op]*operation{}, arrivals: map[int]units.Time{}}
		w.ranks = append(w.ranks, r)
		var stop func()
		r.next, stop = iter.Pull(func(yield func(struct{}) bool) {
			r.yield = yield
			defer func() {
				if p := recover(); p != nil && p != (stopped{}) {
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
		e := heap.Pop(&w.queue).(event)
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

// Settled fails if ranks have not waited for what they started, or not taken what
// they got.
func (w *World) Settled() error {
	for i, r := range w.ranks {
		if len(r.open) > 0 {
			return fmt.Errorf("rank %d has not waited for %d operations", i, len(r.open))
		}
		if r.Inbox != nil && len(r.Inbox.held) > 0 {
			return fmt.Errorf("rank %d has not taken %d arrivals", i, len(r.Inbox.held))
		}
	}
	return nil
}
