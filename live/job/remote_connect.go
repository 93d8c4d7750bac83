package job

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// UsualSSH is how other hosts are reached, if nobody says otherwise: without questions,
// for which there would be nobody.
const UsualSSH = "ssh -T -o BatchMode=yes"

// agentCommand returns the command that starts an agent on a host.
func (c Config) agentCommand(host string) []string {
	ssh, musubi := c.SSH, c.RemoteMusubi
	if ssh == "" {
		ssh = UsualSSH
	}
	if musubi == "" {
		musubi = "musubi"
	}
	quoted := "'" + strings.ReplaceAll(musubi, "'", `'\''`) + "'" // for the shell there
	return append(strings.Fields(ssh), host, quoted, "agent")
}

// connectTime is how long it may take until an agent has answered.
const connectTime = time.Minute

// start starts the agent, which starts the ranks.
func (r *remote) start(ctx context.Context) error {
	r.cmd = exec.CommandContext(ctx, r.ssh[0], r.ssh[1:]...)
	r.cmd.SysProcAttr = childAttributes()
	r.problem = &lastLine{}
	r.cmd.Stderr = r.problem
	to, err := r.cmd.StdinPipe()
	if err != nil {
		return err
	}
	from, err := r.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	r.agent, r.hangUp = newTalker[toAgent](to), to.Close
	lines := bufio.NewReader(from)
	r.cmd.Cancel = func() error { go r.agent.say(toAgent{End: true}); return nil }
	r.cmd.WaitDelay = 2*r.spec.grace() + time.Second // the agent takes no longer
	if err := r.cmd.Start(); err != nil {
		r.err = r.errorf("%w", err)
		close(r.begun)
		return r.err
	}
	go func() {
		r.err = r.begin(lines)
		close(r.begun)
	}()
	return nil
}

// started waits until the agent has started the ranks.
func (r *remote) started() error {
	<-r.begun
	return r.err
}

// runs reports whether the ranks have been started by now.
func (r *remote) runs() bool {
	select {
	case <-r.begun:
		return r.err == nil
	default:
		return false
	}
}

// begin lets the agent start the ranks.
func (r *remote) begin(lines *bufio.Reader) error {
	impatient := time.AfterFunc(connectTime, func() { _ = r.cmd.Process.Kill() })
	defer impatient.Stop()
	if err := r.greet(lines); err != nil {
		return err
	}
	from := gob.NewDecoder(lines)
	r.agent.say(toAgent{Spec: &r.spec})
	for m := (fromAgent{}); !m.Started; {
		m = fromAgent{}
		if err := from.Decode(&m); err != nil {
			return r.lost()
		}
		if m.Problem != "" {
			_ = r.cmd.Wait()
			return r.errorf("%s", strings.TrimPrefix(m.Problem, "live: "))
		}
		r.write(&m) // ranks that have been started may be ahead of the others
	}
	if r.input != nil && slices.Contains(r.spec.Ranks, 0) {
		go r.feed()
	}
	r.from = from
	return nil
}

// mostGreeting is what may come before an agent has said what it is, in bytes.
const mostGreeting = 64 << 10

// greet reads the first line of an agent.
func (r *remote) greet(from *bufio.Reader) error {
	for read := 0; read < mostGreeting; {
		line, err := from.ReadSlice('\n')
		read += len(line)
		text := strings.TrimSpace(string(line))
		switch {
		case text == agentGreeting:
			return nil
		case strings.HasPrefix(text, greetingBegins):
			return r.errorf("its musubi greets with %q; expected %q, of the same version as this one", text, agentGreeting)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return r.lost()
		}
	}
	return r.errorf("%s says something else than %q", strings.Join(r.ssh, " "), agentGreeting)
}

// lost returns why the agent is gone.
func (r *remote) lost() error {
	err := r.cmd.Wait()
	if line := r.problem.text(); line != "" {
		return r.errorf("%s", line)
	}
	return r.errorf("%s: %w", r.ssh[0], cmp.Or(err, errors.New("it has ended without a word")))
}

func (r *remote) errorf(format string, args ...any) error {
	return fmt.Errorf("live: host %s: %w", r.spec.Host, fmt.Errorf(format, args...))
}

// lastLine is a writer that keeps the last line that is not empty.
type lastLine struct {
	mu   sync.Mutex
	rest []byte
	last string
}

// longestProblem is how much of a line is kept, in bytes.
const longestProblem = 1 << 10

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte{'\n'})
		if !found {
			l.rest = l.rest[:min(len(l.rest), longestProblem)]
			return len(p), nil
		}
		l.keep(line)
		l.rest = rest
	}
}

func (l *lastLine) keep(line []byte) {
	if text := strings.TrimSpace(string(line[:min(len(line), longestProblem)])); text != "" {
		l.last = text
	}
}

// text returns the last line.
func (l *lastLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(l.rest)
	return l.last
}
