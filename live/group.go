package live

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// group is a group of ranks on this host, as their parent sees it. The ranks are
// killed when the thread ends that has started them.
type group struct {
	spec     groupSpec
	output   *labelled
	memory   *os.File
	job      *region
	children []*child
}

// newGroup makes the memory of a group.
func newGroup(p groupSpec, output *labelled) (*group, error) {
	file, job, err := newRegion(p.Size, p.Ranks, ringBytesFor(p.Size))
	if err != nil {
		return nil, err
	}
	if p.NoDirect {
		job.header.noDirect = 1
	}
	if p.sleeps() {
		job.header.sleeps = 1
	}
	return &group{spec: p, output: output, memory: file, job: job}, nil
}

// start is that of party.
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
	for _, rank := range g.spec.Ranks {
		c, err := g.startRank(ctx, rank, path, args)
		if err != nil {
			return fmt.Errorf("live: starting rank %d: %w", rank, err)
		}
		g.children = append(g.children, c)
	}
	return nil
}

// wait is that of party. Meanwhile it looks for failures that ranks cannot tell of
// themselves.
func (g *group) wait(ended func(ending), failed func(failure)) {
	watching, stop := context.WithCancel(context.Background())
	var watcher sync.WaitGroup
	watcher.Go(func() { g.job.watch(watching, failed) })
	var all sync.WaitGroup
	for _, c := range g.children {
		all.Go(func() { ended(c.wait(g.job)) })
	}
	all.Wait()
	stop()
	watcher.Wait()
}

func (g *group) fail(f failure) { g.job.fail(f) }

func (g *group) standing() string { return g.job.standing() }

func (g *group) describe() []Process {
	host := g.spec.Host
	if host == "" {
		host, _ = os.Hostname() // without it a table has a gap
	}
	g.job.askAndWait()
	return g.job.describe(host)
}

func (g *group) release() {
	g.memory.Close()
	unmapMemory(g.job.bytes)
}
