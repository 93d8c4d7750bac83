package job

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"musubi/live/health"
	"musubi/live/tcp"
	"musubi/live/wire"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// launcher is the parent of a job.
type launcher struct {
	cfg    Config
	output *labelled
	groups []party
	hub    *health.Hub // nil with one group
	begun  time.Time
	kill   context.CancelFunc // all ranks

	failure atomic.Uint64 // the first one, encoded; 0 if there is none
	ends    []ending      // of ranks
	hosts   []string      // of ranks
}

// party is a group of ranks, wherever it runs.
type party interface {
	// start begins to start the ranks, which are killed when ctx ends. After an error some
	// may run.
	start(ctx context.Context) error
	// started waits until all ranks have been started.
	started() error
	// wait waits for the end of all ranks that were started. It calls ended for each, and
	// failed when it finds out that the job has failed, from any goroutine.
	wait(ctx context.Context, ended func(ending), failed func(health.Failure))
	// fail tells the ranks that the job has failed.
	fail(health.Failure)
	// standing says what each rank does, for a job that is stuck.
	standing() string
	// describe is what each rank does, for those who ask.
	describe() []Process
	// release gives back what the group has taken, when no rank is left.
	release()
}

// newParty prepares a group of a job.
func (l *launcher) newParty(p groupSpec) (party, error) {
	if p.Host != "" {
		return newRemote(p, l.cfg, l.output)
	}
	return newGroup(p, l.output, l.cfg.Input)
}

// launch starts the ranks and waits for their end.
func launch(ctx context.Context, cfg Config, parts []groupSpec) ([]byte, error) {
	l := &launcher{cfg: cfg, begun: time.Now(), output: cfg.outputs()}
	l.ends = make([]ending, parts[0].Size)
	defer l.release()
	if len(parts) > 1 {
		if err := l.openHub(parts); err != nil {
			return nil, err
		}
	}
	for _, p := range parts {
		for range p.Ranks {
			l.hosts = append(l.hosts, p.Host)
		}
		g, err := l.newParty(p)
		if err != nil {
			return nil, err
		}
		l.groups = append(l.groups, g)
	}
	return l.run(ctx)
}

// openHub opens the hub of a job of several groups, and enters it into their specs.
func (l *launcher) openHub(parts []groupSpec) error {
	key := make([]byte, tcp.KeyBytes)
	_, _ = rand.Read(key) // never fails
	job, err := tcp.NewAuthority(key)
	if err != nil {
		return err
	}
	id, err := hubOf(job)
	if err != nil {
		return err
	}
	groups := make([]int, len(l.ends))
	for _, p := range parts {
		for _, rank := range p.Ranks {
			groups[rank] = p.Group
		}
	}
	l.hub, err = health.NewHub(id, hubAddress(parts), health.HubConfig{
		Size: len(groups), Bound: l.cfg.bound(),
		Divide: func([]health.Introduction) []int { return groups },
		Failed: func(v health.Outcome) { l.settle(v.Failure) },
	})
	if err != nil {
		return err
	}
	for i := range parts {
		parts[i].Hub = l.hub.Address()
		for _, rank := range parts[i].Ranks {
			self, err := job.Issue(tcp.Party(rank))
			if err != nil {
				return err
			}
			parts[i].Selves = append(parts[i].Selves, self)
		}
	}
	return nil
}

// hubOf returns the identity of the hub of a job.
func hubOf(job *tcp.Authority) (*tcp.Identity, error) {
	self, err := job.Issue(tcp.Hub)
	if err != nil {
		return nil, err
	}
	return tcp.NewIdentity(self)
}

// hubAddress returns where the hub of a job listens: at all addresses if there are ranks
// on other hosts.
func hubAddress(parts []groupSpec) string {
	if slices.ContainsFunc(parts, func(p groupSpec) bool { return p.Host != "" }) {
		return ":0"
	}
	return "127.0.0.1:0"
}

func (l *launcher) release() {
	if l.hub != nil {
		l.hub.Close()
	}
	for _, g := range l.groups {
		g.release()
	}
}

// run is the life of a job. The ranks are killed when the thread ends that has
// started them, so it is kept.
func (l *launcher) run(ctx context.Context) ([]byte, error) {
	defer answerQuestions(l.describe)()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	killable, kill := context.WithCancel(ctx)
	defer kill()
	l.kill = kill
	startErr := l.start(killable)
	if startErr != nil {
		kill()
	}
	var all sync.WaitGroup
	for _, g := range l.groups {
		all.Go(func() { g.wait(killable, l.ended, l.fail) })
	}
	all.Wait()
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
	for _, g := range l.groups {
		if err := g.start(ctx); err != nil {
			return err
		}
	}
	for _, g := range l.groups {
		if err := g.started(); err != nil {
			return err
		}
	}
	return nil
}

// ended notes the end of a rank.
func (l *launcher) ended(e ending) {
	l.ends[e.Rank] = e
	switch {
	case e.Failure != 0:
		f := health.DecodeFailure(e.Failure)
		if f.Rank >= len(l.ends) { // this launcher is silent, as the rank has it; so it is to this one
			f.Rank = e.Rank
		}
		l.fail(f)
	case e.Absent && l.hub != nil:
		l.hub.Lack(e.Rank)
	}
}

// fail ends the job, unless it has failed before. The first failure is what the hub
// takes for it, if there is one.
func (l *launcher) fail(f health.Failure) {
	if l.hub != nil {
		l.hub.Fail(health.Outcome{Failure: f})
		return
	}
	l.settle(f)
}

// settle tells all ranks that the job has failed. Those that do not end in time are
// killed.
func (l *launcher) settle(f health.Failure) {
	if !l.failure.CompareAndSwap(0, f.Encode()) {
		return
	}
	for _, g := range l.groups {
		g.fail(f)
	}
	time.AfterFunc(cmp.Or(l.cfg.Grace, time.Second), l.kill)
}

// result is what the job has come to.
func (l *launcher) result() ([]byte, error) {
	word := l.failure.Load()
	if word == 0 {
		l.tellObserved()
		return l.ends[0].Outcome.Result, nil
	}
	f := health.DecodeFailure(word)
	switch f.Cause {
	case health.Stuck:
		return nil, &StuckError{l.standing()}
	case health.Returned:
		return nil, l.rankError(f, cmp.Or(l.ends[f.Rank].Outcome.Problem, "its program has failed, and it was killed before it could say why"))
	}
	return nil, l.rankError(f, f.Predicate(l.nameOf))
}

// tellObserved hands on what has been observed of the ranks.
func (l *launcher) tellObserved() {
	if l.cfg.Observed == nil {
		return
	}
	for rank := range l.ends {
		l.cfg.Observed(rank, l.ends[rank].Outcome.Seen)
	}
}

func (l *launcher) rankError(f health.Failure, problem string) *RankError {
	status := l.ends[f.Rank].Status
	if status < 0 {
		status = 128 - status
	}
	return &RankError{Rank: f.Rank, Host: l.hosts[f.Rank], Status: status, Err: errors.New(problem)}
}

// standing says what each rank of a job did that was stuck.
func (l *launcher) standing() string {
	if l.hub != nil {
		return l.hub.Standing()
	}
	return l.groups[0].standing()
}

func (l *launcher) nameOf(rank int) string {
	if rank < 0 || rank >= len(l.hosts) { // as a rank or an agent has it
		return wire.RankOn(rank, "")
	}
	return wire.RankOn(rank, l.hosts[rank])
}

// describe says what the job does.
func (l *launcher) describe() *Job {
	command := l.cfg.Command
	if command == nil {
		command = os.Args
	}
	j := &Job{PID: os.Getpid(), Command: command, Ranks: len(l.ends), Seconds: time.Since(l.begun).Seconds()}
	j.Refused = map[string]int{}
	if l.hub != nil {
		maps.Copy(j.Refused, l.hub.Gate.Refused())
	}
	for _, g := range l.groups {
		j.Processes = append(j.Processes, g.describe()...)
	}
	for _, p := range j.Processes {
		for reason, n := range p.Refused {
			j.Refused[reason] += n
		}
	}
	return j
}
