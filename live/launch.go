package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// launcher is the parent of a job.
type launcher struct {
	cfg    Config
	memory *os.File
	job    *region
	output *labelled
	kill   context.CancelFunc // all ranks

	children []*child
}

// child is a rank as its parent sees it.
type child struct {
	rank   int
	cmd    *exec.Cmd
	report *os.File // what the rank tells, until it ends
	told   outcome
	heard  bool // told is valid
}

// launch starts the ranks and waits for their end.
func launch(ctx context.Context, cfg Config) ([]byte, error) {
	ringBytes := ringBytesFor(cfg.Ranks)
	file, memory, err := newMemory(regionBytes(cfg.Ranks, ringBytes))
	if err != nil {
		return nil, err
	}
	defer unmapMemory(memory)
	defer file.Close()
	l := &launcher{cfg: cfg, memory: file, job: format(memory, cfg.Ranks, ringBytes)}
	if cfg.NoDirect {
		l.job.header.noDirect = 1
	}
	l.output = newLabelled(cmp.Or(cfg.Output, io.Writer(os.Stderr)))
	return l.run(ctx)
}

// run is the life of a job. The ranks are killed when the thread ends that has
// started them, so it is kept.
func (l *launcher) run(ctx context.Context) ([]byte, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	killable, kill := context.WithCancel(ctx)
	defer kill()
	l.kill = kill
	startErr := l.start(killable)
	if startErr != nil {
		kill()
	}
	watching, stop := context.WithCancel(context.Background())
	var watcher sync.WaitGroup
	watcher.Go(func() { l.job.watch(watching) })
	l.wait()
	stop()
	watcher.Wait()
	l.output.flush()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case startErr != nil:
		return nil, startErr
	}
	return l.result()
}

// start starts the ranks. After an error those that it has started run.
func (l *launcher) start(ctx context.Context) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("live: finding the program to start: %w", err)
	}
	args := l.cfg.Command
	if args == nil {
		args = os.Args
	} else if path, err = exec.LookPath(args[0]); err != nil {
		return fmt.Errorf("live: %w", err)
	}
	for rank := range l.cfg.Ranks {
		c, err := l.startRank(ctx, rank, path, args)
		if err != nil {
			return fmt.Errorf("live: starting rank %d: %w", rank, err)
		}
		l.children = append(l.children, c)
	}
	return nil
}

func (l *launcher) startRank(ctx context.Context, rank int, path string, args []string) (*child, error) {
	report, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	cmd := exec.CommandContext(ctx, path, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Env = append(os.Environ(), l.cfg.Env...)
	cmd.Env = append(cmd.Env, rankVariable+"="+strconv.Itoa(rank))
	cmd.ExtraFiles = []*os.File{l.memory, write}
	cmd.SysProcAttr = childAttributes()
	lines := l.output.of(rank)
	cmd.Stdout, cmd.Stderr = lines, lines
	cmd.WaitDelay = time.Second // for output of processes that a rank has left behind
	if err := cmd.Start(); err != nil {
		report.Close()
		return nil, err
	}
	return &child{rank: rank, cmd: cmd, report: report}, nil
}

// wait waits for the ranks. When the job has failed, those that do not end in time
// are killed.
func (l *launcher) wait() {
	var all sync.WaitGroup
	var grace sync.Once
	for _, c := range l.children {
		all.Go(func() {
			c.wait(l.job)
			if l.job.header.failure.Load() != 0 {
				grace.Do(func() { time.AfterFunc(cmp.Or(l.cfg.Grace, time.Second), l.kill) })
			}
		})
	}
	all.Wait()
}

// wait waits for a rank, and fails the job if it has not ended well.
func (c *child) wait(job *region) {
	told, err := io.ReadAll(c.report)
	c.report.Close()
	if err == nil {
		c.heard = gob.NewDecoder(bytes.NewReader(told)).Decode(&c.told) == nil
	}
	_ = c.cmd.Wait()
	if c.heard && c.told.Problem == "" {
		return
	}
	f := failure{cause: died, rank: c.rank, status: c.cmd.ProcessState.ExitCode()}
	if s, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		f.status = -int(s.Signal())
	}
	if c.heard {
		f.cause = returned
	}
	job.fail(f)
}

// result is what the job has come to.
func (l *launcher) result() ([]byte, error) {
	word := l.job.header.failure.Load()
	if word == 0 {
		return l.children[0].told.Result, nil
	}
	f := decodeFailure(word)
	switch f.cause {
	case stuck:
		return nil, &StuckError{l.job.standing()}
	case returned:
		return nil, &RankError{f.rank, errors.New(cmp.Or(l.children[f.rank].told.Problem, "its program has failed, and it was killed before it could say why"))}
	}
	return nil, &RankError{f.rank, errors.New("the process " + f.exit())}
}
