package live

import (
	"bytes"
	"context"
	"encoding/gob"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
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
	cmd := exec.CommandContext(ctx, path, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Env = append(os.Environ(), g.spec.Env...)
	cmd.Env = append(cmd.Env, rankVariable+"="+strconv.Itoa(rank))
	cmd.ExtraFiles = []*os.File{g.memory, write, told} // memoryFile and so on
	cmd.SysProcAttr = childAttributes()
	lines := g.output.of(rank)
	cmd.Stdout, cmd.Stderr = lines, lines
	cmd.WaitDelay = time.Second // for output of processes that a rank has left behind
	if err := cmd.Start(); err != nil {
		report.Close()
		return nil, err
	}
	return &child{rank: rank, cmd: cmd, report: report}, nil
}

// wait waits for a rank, and fails the job if it has not ended well.
func (c *child) wait(job *region) ending {
	e := ending{Rank: c.rank}
	told, err := io.ReadAll(c.report)
	c.report.Close()
	if err == nil {
		e.Heard = gob.NewDecoder(bytes.NewReader(told)).Decode(&e.Outcome) == nil
	}
	_ = c.cmd.Wait()
	if !e.Heard || e.Outcome.Problem != "" {
		job.fail(c.failure(e.Heard))
	}
	e.Failure = job.header.failure.Load()
	return e
}

// failure says how a rank has failed that has ended.
func (c *child) failure(heard bool) failure {
	f := failure{cause: died, rank: c.rank, status: c.cmd.ProcessState.ExitCode()}
	if s, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		f.status = -int(s.Signal())
	}
	if heard {
		f.cause = returned
	}
	return f
}
