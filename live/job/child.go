package job

import (
	"context"
	"encoding/gob"
	"io"
	"musubi/live/health"
	"musubi/tuning"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// What programs that are started as ranks find in their environment, for scripts.
const (
	ScriptRank = "MUSUBI_RANK"
	ScriptSize = "MUSUBI_SIZE"
)

// child is a rank as its parent sees it.
type child struct {
	rank   int
	cmd    *exec.Cmd
	report *os.File // what the rank tells, until it ends
}

// ending is how a rank has ended.
type ending struct {
	Rank    int
	Outcome outcome
	Heard   bool   // the rank has told its outcome
	Absent  bool   // it has ended well, and never joined the job
	Status  int    // of the process; negative: the signal that has ended it
	Failure uint64 // of the job as its group knows it, encoded; 0 if there is none
}

func (g *group) startRank(ctx context.Context, rank int, path string, args []string) (*child, error) {
	told, err := g.spec.of(rank).file()
	if err != nil {
		return nil, err
	}
	defer told.Close()
	report, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	cmd := g.command(ctx, rank, path, args)
	cmd.ExtraFiles = []*os.File{g.memory, write, told} // memoryFile and so on
	start := cmd.Start
	if rank == 0 && g.input != nil {
		start = func() error { return startWithInput(cmd, g.input) }
	}
	if err := start(); err != nil {
		report.Close()
		return nil, err
	}
	return &child{rank: rank, cmd: cmd, report: report}, nil
}

// command returns the command of a rank. When ctx ends it is asked to end, and killed if
// it does not in time.
func (g *group) command(ctx context.Context, rank int, path string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Dir = g.spec.Dir
	cmd.Env = append(os.Environ(), g.spec.Env...)
	cmd.Env = append(cmd.Env, RankVariable+"="+strconv.Itoa(rank),
		ScriptRank+"="+strconv.Itoa(rank), ScriptSize+"="+strconv.Itoa(g.spec.Size))
	if by := g.spec.Tuning.Name; by != "" { // in place of what the launcher has found in its own
		cmd.Env = append(cmd.Env, tuning.Variable+"="+by)
	}
	cmd.SysProcAttr = childAttributes()
	cmd.Stdout, cmd.Stderr = g.output.of(rank)
	cmd.Cancel = func() error { return signalAll(cmd.Process, syscall.SIGTERM) }
	cmd.WaitDelay = g.spec.grace() // also for output of processes that a rank has left behind
	return cmd
}

// startWithInput starts a command and writes to its standard input what there is to
// read. Nobody waits for the end of that, which may never come.
func startWithInput(cmd *exec.Cmd, from io.Reader) error {
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(to, from) // fails when the rank has ended
		to.Close()
	}()
	return nil
}

// signalAll sends a signal to a process that leads a process group, and to all others of
// it.
func signalAll(p *os.Process, s syscall.Signal) error {
	if err := p.Signal(syscall.Signal(0)); err != nil {
		return err // it is gone, and its number may be another's
	}
	return signalGroup(p.Pid, s)
}

// wait waits for a rank, and fails the job if it has not ended well.
func (c *child) wait(ctx context.Context, g *group) ending {
	e := ending{Rank: c.rank}
	heard := make(chan bool, 1)
	go func() { heard <- gob.NewDecoder(c.report).Decode(&e.Outcome) == nil }()
	_ = c.cmd.Wait()
	_ = c.report.SetReadDeadline(time.Now().Add(c.cmd.WaitDelay)) // a process that it has left behind may hold it open
	e.Heard = <-heard
	c.report.Close()
	e.Status = c.cmd.ProcessState.ExitCode()
	if s, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		e.Status = -int(s.Signal())
	}
	state := &g.job.Ranks[c.rank]
	e.Absent = g.spec.Launched && e.Status == 0 && state.Pid.Load() == 0
	if e.Absent {
		state.Absent.Store(1)
	} else if why := g.why(e); why != 0 {
		g.job.Fail(health.Failure{Cause: why, Rank: c.rank, Status: e.Status}.Encode())
	}
	e.Failure = g.job.Header.Failure.Load()
	if e.Failure != 0 || ctx.Err() != nil {
		_ = signalGroup(c.cmd.Process.Pid, syscall.SIGKILL) // what it has left behind
	}
	return e
}

// why returns how a rank has failed the job that has ended; 0 if it has not.
func (g *group) why(e ending) health.Cause {
	switch {
	case e.Heard && e.Outcome.Problem != "":
		return health.Returned
	case e.Status != 0 && (e.Heard || g.spec.Launched && g.job.Ranks[e.Rank].Pid.Load() == 0):
		return health.Exited
	case !e.Heard:
		return health.Died
	}
	return 0
}
