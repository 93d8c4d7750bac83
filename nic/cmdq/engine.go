package cmdq

import (
	"fmt"
	"slices"
)

// Engine picks the commands of the queues of one engine (TNI, Tofu network
// interface): one of each queue in turn, so that none waits for ever behind another.
type Engine[C any] struct {
	queues []*Queue[C]
	turn   int // queue that is asked first
}

// Add gives a queue to the engine.
func (e *Engine[C]) Add(q *Queue[C]) { e.queues = append(e.queues, q) }

// Remove takes a queue from the engine.
func (e *Engine[C]) Remove(q *Queue[C]) {
	i := slices.Index(e.queues, q)
	if i < 0 {
		return
	}
	e.queues = slices.Delete(e.queues, i, i+1)
	if e.turn > i {
		e.turn--
	}
}

// Next takes the next command that may be carried out, as Queue.Next does. The
// queue is nil if there is none.
func (e *Engine[C]) Next() (q *Queue[C], position uint64, command *C) {
	for i := range e.queues {
		at := e.turn + i
		if at >= len(e.queues) {
			at -= len(e.queues)
		}
		if position, command, ok := e.queues[at].Next(); ok {
			e.turn = at + 1
			return e.queues[at], position, command
		}
	}
	return nil, 0, nil
}

// none stands for no engine.
const none = -1

// AnyEngine is an engine that Board chooses.
const AnyEngine = -1

// Board gives out the command queues of an interface to the processes that use it.
// An engine has a number of queues, and a process may have a number of them.
type Board struct {
	perEngine, perProcess int
	used                  []int         // queues of each engine
	processes             []processSeat // and their queues
}

// processSeat holds the engine of each queue of a process by its number less 1, or none
// if the number is free.
type processSeat []int

// NewBoard is the board of an interface without open queues.
func NewBoard(engines, perEngine, processes, perProcess int) *Board {
	return &Board{
		perEngine: perEngine, perProcess: perProcess,
		used: make([]int, engines), processes: make([]processSeat, processes),
	}
}

// Open takes a queue of an engine for a process, or, with AnyEngine, of that engine with
// one left on which the process has the fewest; of equal ones the first that is least
// used. The number names it among those of the process; it begins at 1.
func (b *Board) Open(process, engine int) (number, chosen int, err error) {
	seat := &b.processes[process]
	if seat.open() == b.perProcess {
		return 0, 0, fmt.Errorf("all %d command queues that a process may have are open", b.perProcess)
	}
	if engine == AnyEngine {
		engine = b.choose(*seat)
	}
	switch {
	case engine == none:
		return 0, 0, fmt.Errorf("all %d command queues of each of the %d engines are open", b.perEngine, len(b.used))
	case engine < 0 || engine >= len(b.used):
		return 0, 0, fmt.Errorf("engine %d; expected 0 to %d", engine, len(b.used)-1)
	case b.used[engine] == b.perEngine:
		return 0, 0, fmt.Errorf("all %d command queues of engine %d are open", b.perEngine, engine)
	}
	b.used[engine]++
	return seat.take(engine), engine, nil
}

// choose returns the engine for a queue of a process, or none.
func (b *Board) choose(seat processSeat) int {
	best, fewest := none, 0
	for engine, used := range b.used {
		own := seat.on(engine)
		if used < b.perEngine && (best == none || own < fewest || own == fewest && used < b.used[best]) {
			best, fewest = engine, own
		}
	}
	return best
}

// Close gives a queue of a process back. It reports whether it was open.
func (b *Board) Close(process, number int) bool {
	seat := b.processes[process]
	if number < 1 || number > len(seat) || seat[number-1] == none {
		return false
	}
	b.used[seat[number-1]]--
	seat[number-1] = none
	return true
}

// Free returns how many more queues a process can open.
func (b *Board) Free(process int) int {
	left := 0
	for _, used := range b.used {
		left += b.perEngine - used
	}
	return min(left, b.perProcess-b.processes[process].open())
}

func (s processSeat) open() int { return len(s) - s.on(none) }

// on counts the queues on an engine.
func (s processSeat) on(engine int) int {
	n := 0
	for _, e := range s {
		if e == engine {
			n++
		}
	}
	return n
}

// take returns the lowest number that is free, now of a queue on an engine.
func (s *processSeat) take(engine int) int {
	if i := slices.Index(*s, none); i >= 0 {
		(*s)[i] = engine
		return i + 1
	}
	*s = append(*s, engine)
	return len(*s)
}
