package live

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// parentProcess is a launcher in a process of its own, for tests that do something to it.
type parentProcess struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner // of its output, and that of its ranks
}

// startParent starts a launcher of four ranks, divided in one of divisions, that run one of
// programs.
func startParent(t *testing.T, division, program string, env ...string) *parentProcess {
	t.Helper()
	p := &parentProcess{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	p.cmd.Env = append(append(os.Environ(), parentVariable+"="+division, programVariable+"="+program), env...)
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(output)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// runParent is what such a process does.
func runParent() {
	cfg := divisions[os.Getenv(parentVariable)]
	cfg.Output, cfg.Bound, cfg.Grace = os.Stdout, cmp.Or(externConfig().Bound, shortBound), time.Minute
	_, err := Main(context.Background(), cfg, nil)
	fmt.Println("the job has ended:", err)
}

// processes reads the output until some ranks have said which process they are, and returns
// that by rank.
func (p *parentProcess) processes(ranks int) map[int]int {
	p.t.Helper()
	of := map[int]int{}
	for len(of) < ranks && p.lines.Scan() {
		var rank, pid int
		if n, _ := fmt.Sscanf(p.lines.Text(), "rank %d: process %d", &rank, &pid); n == 2 {
			of[rank] = pid
		}
	}
	if len(of) < ranks {
		p.t.Fatalf("the ranks are processes %v, want %d", of, ranks)
	}
	return of
}

func (p *parentProcess) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// rest waits for the end of the process, and returns what has come until then.
func (p *parentProcess) rest() string {
	var text strings.Builder
	for p.lines.Scan() {
		fmt.Fprintln(&text, p.lines.Text())
	}
	_ = p.cmd.Wait()
	return text.String()
}
