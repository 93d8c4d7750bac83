package job

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"musubi/live/health"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// remote is a group of ranks on another host, as the launcher sees it: a connection to
// the agent that is their parent there. It is a party.
type remote struct {
	spec  groupSpec
	input io.Reader
	ssh   []string // the command that the agent is started with

	cmd     *exec.Cmd
	problem *lastLine // on the way
	agent   *talker[toAgent]
	from    *gob.Decoder
	hangUp  func() error

	writers map[int]rankOutputs
	begun   chan struct{} // the ranks run, or err says why not
	err     error
	taken   chan struct{} // rank 0 has taken its input
	answers chan []Process
	over    chan struct{} // the group has ended
	last    string        // standing
}

// newRemote prepares a group on another host.
func newRemote(p groupSpec, cfg Config, output outputs) (*remote, error) {
	if strings.HasPrefix(p.Host, "-") || strings.ContainsAny(p.Host, " \t\n") {
		return nil, fmt.Errorf("live: host %q; expected a name without blanks that does not begin with -", p.Host)
	}
	if p.Command == nil {
		path, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("live: finding the program to start: %w", err)
		}
		p.Command = append([]string{path}, os.Args[1:]...)
	}
	if p.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("live: finding the directory to start in: %w", err)
		}
		p.Dir = dir
	}
	r := &remote{
		spec: p, input: cfg.Input, ssh: cfg.agentCommand(p.Host), writers: map[int]rankOutputs{}, begun: make(chan struct{}),
		taken: make(chan struct{}, 1), answers: make(chan []Process), over: make(chan struct{}),
	}
	for _, rank := range p.Ranks {
		stdout, stderr := output.of(rank)
		r.writers[rank] = rankOutputs{stdout, stderr}
	}
	return r, nil
}

// rankOutputs is where a rank writes to.
type rankOutputs struct{ stdout, stderr io.Writer }

// feed sends rank 0 its input. Nobody waits for the end of that, which may never come.
func (r *remote) feed() {
	for {
		data := make([]byte, 32<<10)
		n, err := r.input.Read(data)
		if n > 0 {
			r.agent.say(toAgent{Input: data[:n]})
			select {
			case <-r.taken:
			case <-r.over:
				return
			}
		}
		if err != nil {
			r.agent.say(toAgent{EndOfInput: true})
			return
		}
	}
}

// wait listens to the agent until all ranks have ended.
func (r *remote) wait(_ context.Context, ended func(ending), failed func(health.Failure)) {
	if r.cmd == nil || r.started() != nil {
		return
	}
	left := slices.Clone(r.spec.Ranks)
	for m := (fromAgent{}); !m.Done; {
		m = fromAgent{}
		if err := r.from.Decode(&m); err != nil {
			break
		}
		if m.Ending != nil && slices.Contains(left, m.Ending.Rank) {
			left = slices.DeleteFunc(left, func(rank int) bool { return rank == m.Ending.Rank })
			ended(*m.Ending)
		}
		r.take(&m, failed)
	}
	close(r.over)
	for _, rank := range left {
		ended(ending{Rank: rank, Failure: health.Failure{Cause: health.CutOff, Rank: rank}.Encode()})
	}
	_ = r.hangUp()
	late := time.AfterFunc(r.cmd.WaitDelay, func() { _ = r.cmd.Process.Kill() }) // the network may be cut
	defer late.Stop()
	_ = r.cmd.Wait()
}

// take does what a message of the agent says, but for the end of ranks.
func (r *remote) take(m *fromAgent, failed func(health.Failure)) {
	switch {
	case m.Output != nil:
		r.write(m)
	case m.Taken:
		select {
		case r.taken <- struct{}{}:
		default: // it has not been given any
		}
	case m.Failed != 0:
		if f := health.DecodeFailure(m.Failed); slices.Contains(r.spec.Ranks, f.Rank) {
			failed(f)
		}
	case m.Answer:
		select {
		case r.answers <- m.Processes:
		default: // nobody waits for it any more
		}
	case m.Done:
		r.last = m.Standing
	}
}

// write passes on what a rank has written. An agent that names a rank that is not its own
// writes nowhere.
func (r *remote) write(m *fromAgent) {
	to, ok := r.writers[m.Rank]
	switch {
	case !ok:
	case m.Errors:
		_, _ = to.stderr.Write(m.Output)
	default:
		_, _ = to.stdout.Write(m.Output)
	}
}

// fail tells the agent that the job has failed. It does not wait for a connection that is cut.
func (r *remote) fail(f health.Failure) {
	if r.runs() {
		go r.agent.say(toAgent{Failed: f.Encode()})
	}
}

func (r *remote) standing() string { return r.last }

// agentTime is how long an agent has to say what its ranks do.
const agentTime = 2 * time.Second

func (r *remote) describe() []Process {
	state := Starting
	if r.runs() {
		state = Silent
		go r.agent.say(toAgent{Ask: true})
		select {
		case all := <-r.answers:
			return all
		case <-r.over:
		case <-time.After(agentTime):
		}
	}
	var all []Process
	for _, rank := range r.spec.Ranks {
		all = append(all, Process{Rank: rank, Host: r.spec.Host, State: state})
	}
	return all
}

func (r *remote) release() {}
