//go:build linux

package soak

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"musubi/live"
)

const ranks = 4

// Transports of jobs: memory, TCP, both with two groups of ranks, and the same with a
// network between the groups.
var allTransports = []string{"shm", "tcp", "mixed", "net"}

// trouble is what happens to a rank of a job.
type trouble int

const (
	nothing trouble = iota
	killed
	stopped
	failing
	parted // the network is cut; only where there is one
)

func (t trouble) String() string {
	return [...]string{"nothing happens", "a rank is killed", "a rank is stopped", "a program fails", "the network is cut"}[t]
}

// assignment is what the ranks of a job are told. They do Rounds of something, or go on
// for ever if there is trouble to come.
type assignment struct {
	Seed      uint64
	Rounds    int
	Failing   int // rank whose program fails, -1: none
	FailRound int
}

const assignmentVariable = "SOAK_ASSIGNMENT"

// job is one of the jobs of a soak.
type job struct {
	assignment
	transport string
	network   *network // nil but for net
	first     int      // ranks of the first of two groups
	noDirect  bool
	trouble   trouble
	victim    int
	after     time.Duration // that the victim has told of itself

	mu    sync.Mutex
	text  bytes.Buffer
	pids  map[int]int  // by rank
	told  map[int]bool // ranks that have said what has ended them
	over  bool
	cause error // that the trouble could not be made

	hang  *time.Timer
	hangs atomic.Bool
}

// bound is how long a rank may be silent, and patience how long a job may take before it
// counts as hanging: to begin, for a round, which waits for others a few hundred times at
// most, and to end when the victim begins no more rounds.
const (
	bound    = 2 * time.Second
	patience = time.Minute
)

// dumpTime is how long ranks of a job that hangs have to say where they are.
const dumpTime = 5 * time.Second

// A rank that is stopped cannot end by itself. It is killed when all others have said what
// has ended them, or, as some may not have come to begin, after stoppedGrace.
const stoppedGrace = 5 * bound

// newJob draws what happens in a job.
func newJob(seed uint64, transport string, n *network) *job {
	rng := rand.New(rand.NewPCG(seed, 1))
	j := &job{
		assignment: assignment{Seed: seed, Rounds: 1 << 30, Failing: -1},
		transport:  transport, noDirect: rng.IntN(4) == 0,
		victim: rng.IntN(ranks), pids: map[int]int{}, told: map[int]bool{},
	}
	j.trouble = trouble(rng.IntN(int(parted)))
	if transport == "net" {
		j.network, j.trouble = n, trouble(rng.IntN(int(parted)+1))
	}
	if rng.IntN(4) > 0 {
		j.after = time.Duration(rng.IntN(1000)) * time.Millisecond
	}
	switch j.trouble {
	case nothing:
		j.Rounds = 1 + rng.IntN(100)
	case failing:
		j.Failing, j.FailRound = j.victim, rng.IntN(50)
	}
	j.first = 1 + rng.IntN(ranks-1)
	return j
}

func (j *job) String() string {
	what := fmt.Sprintf("job %d over %s (groups: %v, direct: %v)", j.Seed, j.transport, j.groups(), !j.noDirect)
	if j.trouble == nothing {
		return fmt.Sprintf("%s of %d rounds", what, j.Rounds)
	}
	return fmt.Sprintf("%s in which %v, rank %d after %v", what, j.trouble, j.victim, j.after)
}

// groups returns how many ranks each group has that shares memory.
func (j *job) groups() []int {
	switch j.transport {
	case "tcp":
		return slices.Repeat([]int{1}, ranks)
	case "mixed", "net":
		return []int{j.first, ranks - j.first}
	}
	return []int{ranks}
}

// run runs the job and compares what becomes of it.
func (j *job) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j.hang = time.AfterFunc(patience, func() {
		j.hangs.Store(true)
		j.dump()
		time.AfterFunc(dumpTime, cancel)
	})
	defer j.hang.Stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	told, err := json.Marshal(j.assignment)
	if err != nil {
		return err
	}
	cfg := live.Config{
		Ranks: ranks, Output: j, Command: []string{self}, NoDirect: j.noDirect, Bound: bound,
		Env: []string{assignmentVariable + "=" + string(told)}, Grace: patience,
	}
	switch j.transport {
	case "tcp":
		cfg.Transport = live.TransportTCP
	case "mixed", "net":
		cfg.Ranks, cfg.Hosts = 0, []live.Host{{Ranks: j.first}, {Ranks: ranks - j.first}}
	}
	if j.network != nil {
		j.network.cut.Store(false)
		cfg.Hosts[1].Name, cfg.SSH, cfg.RemoteMusubi = j.network.namespace, j.network.ssh, self
	}
	if j.trouble == stopped {
		cfg.Grace = stoppedGrace
	}
	_, err = live.Run(ctx, cfg, nil)
	j.mu.Lock()
	j.over = true
	j.mu.Unlock()
	if j.hangs.Load() {
		return errors.New("it hangs")
	}
	return cmp.Or(j.cause, j.judge(err), j.survivors(), j.strays())
}

// Write takes the output of the ranks, makes trouble when the victim is there, and is patient
// again when that begins a round: without it there is none.
func (j *job) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text.Write(line)
	var rank, pid, round int
	if n, _ := fmt.Sscanf(string(line), "rank %d: round %d", &rank, &round); n == 2 && rank == j.victim && j.hang.Stop() {
		j.hang.Reset(patience)
	}
	if n, _ := fmt.Sscanf(string(line), "rank %d: told:", &rank); n == 1 && bytes.Contains(line, []byte(": told:")) {
		j.told[rank] = true
		if j.trouble == stopped && len(j.told) == ranks-1 {
			j.cause = cmp.Or(j.cause, syscall.Kill(j.pids[j.victim], syscall.SIGKILL))
		}
	}
	if n, _ := fmt.Sscanf(string(line), "rank %d: process %d", &rank, &pid); n == 2 {
		j.pids[rank] = pid
		if rank == j.victim {
			time.AfterFunc(j.after, func() { j.disturb(pid) })
		}
	}
	return len(line), nil
}

func (j *job) disturb(pid int) {
	var err error
	switch j.trouble {
	case killed:
		err = syscall.Kill(pid, syscall.SIGKILL)
	case stopped:
		err = syscall.Kill(pid, syscall.SIGSTOP)
		time.AfterFunc(bound+stoppedGrace/2, j.dump)
	case parted:
		j.network.cut.Store(true)
	}
	if err != nil {
		j.mu.Lock()
		j.cause = fmt.Errorf("signal to rank %d: %w", j.victim, err)
		j.mu.Unlock()
	}
}

// dump lets the ranks say where they are that have not said that they end: they hang.
func (j *job) dump() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for rank, pid := range j.pids {
		if !j.told[rank] && !j.over {
			_ = syscall.Kill(pid, syscall.SIGQUIT)
		}
	}
}

func (j *job) output() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// judge compares the error that a job has ended with.
func (j *job) judge(err error) error {
	if j.trouble == nothing {
		if err != nil {
			return fmt.Errorf("it ends with %w", err)
		}
		return nil
	}
	var failed *live.RankError
	if !errors.As(err, &failed) || !j.mayName(failed.Rank) {
		return fmt.Errorf("it ends with %v; want an error that names rank %d", err, j.victim)
	}
	want := map[trouble]string{killed: "killed", failing: errOnPurpose.Error()}[j.trouble]
	if !strings.Contains(failed.Error(), want) {
		return fmt.Errorf("it ends with %v; want that it tells of %q", err, want)
	}
	return nil
}

// mayName reports whether an error may name a rank: the victim, or any if none is one.
func (j *job) mayName(rank int) bool { return rank == j.victim || j.trouble == parted }

// survivors fails if ranks that have begun were not told which rank has failed.
func (j *job) survivors() error {
	output := j.output()
	for rank := range j.pids {
		want := regexp.MustCompile(fmt.Sprintf(`(?m)^rank %d: done$`, rank))
		switch j.trouble {
		case nothing:
		case parted:
			want = regexp.MustCompile(fmt.Sprintf(`(?m)^rank %d: told: .*live: .*\b(rank \d|launcher)\b`, rank))
		default:
			want = regexp.MustCompile(fmt.Sprintf(`(?m)^rank %d: told: .*live: .*\brank %d\b`, rank, j.victim))
		}
		if (j.trouble == nothing || j.trouble == parted || rank != j.victim) && !want.MatchString(output) {
			return fmt.Errorf("rank %d does not say what matches %v", rank, want)
		}
	}
	return nil
}
