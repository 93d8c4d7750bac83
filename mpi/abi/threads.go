package abi

import (
	"context"
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

	waiting int                                // threads in calls that let others in
	lively  int                                // looks to come of a thread that waits before it counts as alone again
	wake    atomic.Pointer[context.CancelFunc] // wakes a thread that waits alone; nil: none does
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
		if wake := t.wake.Load(); wake != nil {
			(*wake)()
		}
		t.mutex.Lock()
		t.wish.Add(-1)
		t.owner.Store(thread)
		if t.waiting > 0 {
			t.lively = livelyLooks
		}
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

// A thread that waits looks for messages briefIdle times before it waits as a program with one thread does, or lets others call. With others it
// looks mostIdle times before it rests in between, for restTime, and livelyLooks times since the last call of another one before it
// counts as alone: to be woken takes longer than a call does.
const (
	briefIdle   = 100
	mostIdle    = 1000
	livelyLooks = 1000
	restTime    = 20 * time.Microsecond
)

// LetOthers lets other threads of the program call. If there are none it waits until something is so or anything comes.
func (p *Process) LetOthers(until func() bool) {
	t := p.Threads
	if t == nil || t.depth == 0 { // there is one thread, or it is still in the call that lets others in from now on
		return
	}
	t.idle++
	t.lively = max(0, t.lively-1)
	wanted := t.wish.Load() != 0
	alone := !wanted && t.waiting == 0 && t.lively == 0
	switch {
	case !wanted && t.idle <= briefIdle && p.Host.OwnsProcessor(): // to change threads takes longer than a message does
	case alone && !p.Host.Simulated():
		p.waitAlone(until)
	default:
		p.changePlaces()
	}
}

// waitAlone waits for as long as no other thread calls.
func (p *Process) waitAlone(until func() bool) {
	t := p.Threads
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t.wake.Store(&cancel)
	defer t.wake.Store(nil)
	if t.wish.Load() > 0 { // that one may have found nobody to wake
		return
	}
	_ = p.Engine.AwaitContext(ctx, until) // it fails with the job, and so does whoever waits when it looks the next time
}

// changePlaces lets other threads call, and comes back some time later.
func (p *Process) changePlaces() {
	t := p.Threads
	thread, depth := t.owner.Load(), t.depth
	rest := t.idle > mostIdle
	t.depth = 0
	t.waiting++
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
	t.waiting--
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
