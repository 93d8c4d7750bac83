package job

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"musubi/live/health"
	"musubi/live/shm"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// group is a group of ranks on this host, as their parent sees it. The ranks are
// killed when the thread ends that has started them.
type group struct {
	spec   groupSpec
	output outputs
	input  io.Reader // of rank 0; nil: there is none
	memory *os.File
	job    *shm.Region

	// Who asks what the ranks do, or tells that the job has failed, may come when there is
	// nothing left: they hold mu for reading, and who changes these two for writing.
	mu       sync.RWMutex
	children []*child // that have been started
	released bool
}

// newGroup makes the memory of a group.
func newGroup(p groupSpec, output outputs, input io.Reader) (*group, error) {
	file, job, err := shm.NewRegion(p.Size, p.Ranks, shm.RingBytesFor(p.Size))
	if err != nil {
		return nil, p.explainLimit(err)
	}
	if p.NoDirect {
		job.Header.NoDirect = 1
	}
	job.Header.Sleeps, job.Header.Wait = p.waits()
	p.Tuning = p.Tuning.For(runtime.NumCPU(), p.Size, len(p.Ranks) == p.Size)
	return &group{spec: p, output: output, input: input, memory: file, job: job}, nil
}

// start starts the ranks, one after the other.
func (g *group) start(ctx context.Context) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("live: finding the program to start: %w", err)
	}
	args := g.spec.Command
	if args == nil {
		args = os.Args
	} else if path, err = exec.LookPath(args[0]); err != nil {
		return fmt.Errorf("live: %w", err)
	}
	if info, err := os.Stat(cmp.Or(g.spec.Dir, ".")); err != nil || !info.IsDir() {
		return fmt.Errorf("live: %q is no directory for ranks to start in", g.spec.Dir)
	}
	for _, rank := range g.spec.Ranks {
		c, err := g.startRank(ctx, rank, path, args)
		if err != nil {
			return fmt.Errorf("live: starting rank %d: %w", rank, g.spec.explainLimit(err))
		}
		g.mu.Lock()
		g.children = append(g.children, c)
		g.mu.Unlock()
	}
	return nil
}

func (g *group) started() error { return nil }

// wait waits for the end of all ranks. Meanwhile it looks for failures that ranks cannot tell of
// themselves.
func (g *group) wait(ctx context.Context, ended func(ending), failed func(health.Failure)) {
	watching, stop := context.WithCancel(context.Background())
	var watcher sync.WaitGroup
	watcher.Go(func() { health.WatchGroup(watching, g.job, g.spec.Bound, failed) })
	var all sync.WaitGroup
	for _, c := range g.children {
		all.Go(func() { ended(c.wait(ctx, g)) })
	}
	all.Wait()
	stop()
	watcher.Wait()
}

// fail tells the ranks that the job has failed. Processes that are no ranks do not hear of it; they are asked to
// end.
func (g *group) fail(f health.Failure) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.released {
		return
	}
	g.job.Fail(f.Encode())
	if !g.spec.Launched {
		return
	}
	for _, c := range g.children {
		if g.job.Ranks[c.rank].Pid.Load() == 0 {
			_ = signalAll(c.cmd.Process, syscall.SIGTERM) // fails if it has ended
		}
	}
}

func (g *group) standing() string { return g.job.Standing() }

func (g *group) describe() []Process {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.released {
		return nil
	}
	host := g.spec.Host
	if host == "" {
		host, _ = os.Hostname() // without it a table has a gap
	}
	g.job.AskAndWait()
	all := describe(g.job, host)
	for i, c := range g.children { // in the order of the ranks
		if all[i].PID == 0 { // it is no rank, so far
			all[i].PID = c.cmd.Process.Pid
		}
	}
	return all
}

func (g *group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.released = true
	g.memory.Close()
	shm.UnmapMemory(g.job.Bytes)
}
