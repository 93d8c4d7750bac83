package abi

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"musubi/mpi/abi/standard"
)

// threads lets one thread of a program call at a time. A thread that waits for messages lets others in.
// What the program does in functions of its own, which this package calls, is the same call.
type threads struct {
	Main  int64
	mutex sync.Mutex
	owner atomic.Int64 // thread that calls
	wish  atomic.Int64 // how many others want to
	depth int          // of its calls
	idle  int          // how often a thread has waited since one has begun a call
}

// SetLevel sets what threads may do.
func (p *Process) SetLevel(level int64) {
	p.Level = min(level, standard.ThreadMultiple)
	if p.Level == standard.ThreadMultiple && p.Threads == nil {
		p.Threads = &threads{Main: p.Host.Thread()}
		if p.Lanes != nil {
			p.Lanes.Share()
		}
		if p.Engine != nil {
			p.Engine.Share = p.LetOthers
		}
	}
}

// callDepth is how many calls are under way of the thread that calls.
func (p *Process) callDepth() int {
	if p.Threads != nil {
		return p.Threads.depth
	}
	return p.depth
}

func (t *threads) lock(thread int64) {
	if t.owner.Load() != thread {
		t.wish.Add(1)
		t.mutex.Lock()
		t.wish.Add(-1)
		t.owner.Store(thread)
	}
	t.depth++
	t.idle = 0
}

func (t *threads) unlock() {
	if t.depth--; t.depth == 0 {
		t.owner.Store(0)
		t.mutex.Unlock()
	}
}

// A thread looks for messages briefIdle times before it leaves its processor to others, and mostIdle times before it sleeps in
// between, for restTime.
const (
	briefIdle = 100
	mostIdle  = 1000
	restTime  = 20 * time.Microsecond
)

// LetOthers lets other threads of the program call.
func (p *Process) LetOthers() {
	t := p.Threads
	if t == nil || t.depth == 0 { // there is one thread, or it is still in the call that lets others in from now on
		return
	}
	t.idle++
	if t.idle <= briefIdle && t.wish.Load() == 0 && p.Host.OwnsProcessor() { // to change threads takes longer than a message does
		return
	}
	thread, depth := t.owner.Load(), t.depth
	rest := t.idle > mostIdle
	t.depth = 0
	t.owner.Store(0)
	t.mutex.Unlock()
	if rest && !p.Host.Simulated() {
		time.Sleep(restTime)
	} else {
		p.Host.Yield()
		runtime.Gosched()
	}
	t.mutex.Lock()
	t.owner.Store(thread)
	t.depth = depth
}

// LevelName returns what the threads of a session may do.
func (p *Process) LevelName() string {
	if p.Threads != nil {
		return ThreadLevels[3]
	}
	return ThreadLevels[2]
}

// ThreadLevels are the levels that the info of a session may ask for.
var ThreadLevels = []string{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"}
