//go:build linux

package soak

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// hardship is what makes ranks slow that are well. It changes nothing about what a job must
// come to.
type hardship int

const (
	none      hardship = iota
	paused             // ranks are stopped again and again, for less than the bound
	confined           // all ranks have one processor
	collected          // the garbage collector always runs, and ranks execute one goroutine at a time
	starved            // others take all processors again and again, also for longer than the bound
	apart              // the network is cut for most of the bound; only where there is one
)

// Where the network is cut for a while the bound is longer: as long as it usually is.
const (
	longBound = 10 * time.Second
	apartTime = 4 * longBound / 5
)

func (h hardship) String() string {
	return [...]string{"at ease", "paused", "on one processor", "collecting garbage", "starved", "apart for a while"}[h]
}

// environment returns what the ranks have in their environment because of it.
func (h hardship) environment() []string {
	switch h {
	case confined:
		return []string{confinedVariable + "=1"}
	case collected:
		return []string{"GOGC=1", "GOMAXPROCS=1"}
	}
	return nil
}

// delay returns how much longer something may take because of it: processes that starve have
// some twentieth of their time.
func (h hardship) delay() time.Duration {
	if h == starved {
		return 10 * bound
	}
	return 0
}

// begin lets a job have its hardship until the returned function is called.
func (j *job) begin(ctx context.Context) (end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	switch j.hardship {
	case paused:
		running.Go(func() { j.pause(ctx) })
	case apart:
		running.Go(func() { j.part(ctx) })
	case starved:
		if err := startStarving(ctx, &running, j.Seed); err != nil {
			cancel()
			return nil, err
		}
	}
	return func() { cancel(); running.Wait() }, nil
}

// pause stops ranks, one at a time, and lets them go on.
func (j *job) pause(ctx context.Context) {
	rng := rand.New(rand.NewPCG(j.Seed, 11))
	for ctx.Err() == nil {
		rank, length := rng.IntN(ranks), time.Duration(rng.Int64N(int64(bound/2)))
		if process := j.process(rank); process != nil {
			_ = process.Signal(syscall.SIGSTOP) // it may have ended
			sleep(ctx, length)
			_ = process.Signal(syscall.SIGCONT)
		}
		sleep(ctx, time.Duration(rng.Int64N(int64(bound/8))))
	}
}

// part cuts the network when the ranks have met, and lets it be whole again.
func (j *job) part(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-j.met:
	}
	sleep(ctx, j.after)
	_ = j.network.cut(true) // the next job will see that the carrier has ended
	sleep(ctx, apartTime)
	_ = j.network.cut(false)
}

// process returns that of a rank, nil if it has not told of itself, or is stopped by the
// trouble of the job.
func (j *job) process(rank int) *os.Process {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.trouble == stopped && rank == j.victim {
		return nil
	}
	return j.processes[rank]
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// startStarving starts a process that starves all others until ctx ends.
func startStarving(ctx context.Context, running *sync.WaitGroup, seed uint64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, starvingRole, strconv.FormatUint(seed, 10))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	running.Go(func() { _ = cmd.Wait() }) // it is killed
	return nil
}

// Lengths of the times in which a process starves others, and in which it does not.
const (
	shortStarving = 300 * time.Millisecond
	longStarving  = 2 * bound
	recovery      = time.Second
)

// starve takes all processors, at a priority above that of all usual processes, again and
// again, as a seed says.
func starve() error {
	seed, err := strconv.ParseUint(os.Args[len(os.Args)-1], 10, 64)
	if err != nil {
		return err
	}
	if err := prioritize(starvingPriority); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 12))
	for {
		time.Sleep(time.Duration(rng.Int64N(int64(recovery))))
		most := shortStarving
		if rng.IntN(4) == 0 {
			most = longStarving
		}
		end := time.Now().Add(time.Duration(rng.Int64N(int64(most))))
		var all sync.WaitGroup
		for range runtime.NumCPU() {
			all.Go(func() {
				for time.Now().Before(end) {
				}
			})
		}
		all.Wait()
	}
}
