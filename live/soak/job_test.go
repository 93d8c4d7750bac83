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
	"slices"
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
	hardship  hardship
	narrow    bool // sockets have little room; only where there is a network
	first     int  // ranks of the first of two groups
	noDirect  bool
	trouble   trouble
	victim    int
	after     time.Duration // that the victim has told of itself

	mu        sync.Mutex
	text      bytes.Buffer
	processes map[int]*os.Process // by rank
	told      map[int]bool        // ranks that have said what has ended them
	over      bool
	cause     error // that the trouble could not be made

	met  chan struct{} // closed when the ranks have met
	left chan struct{} // closed when it is over

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
func newJob(seed uint64, transport string, n *network, hardships []hardship) *job {
	rng := rand.New(rand.NewPCG(seed, 1))
	j := &job{
		assignment: assignment{Seed: seed, Rounds: 1 << 30, Failing: -1},
		transport:  transport, noDirect: rng.IntN(4) == 0,
		victim: rng.IntN(ranks), processes: map[int]*os.Process{}, told: map[int]bool{},
		met: make(chan struct{}), left: make(chan struct{}),
	}
	j.trouble = trouble(rng.IntN(int(parted)))
	if transport == "net" {
		j.network, j.trouble, j.narrow = n, trouble(rng.IntN(int(parted)+1)), rng.IntN(4) == 0
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
	j.hardship = hardships[rng.IntN(len(hardships))]
	if transport == "net" && j.trouble == nothing && rng.IntN(2) == 0 {
		j.hardship, j.Rounds = apart, j.Rounds+100
	}
	return j
}

func (j *job) String() string {
	what := fmt.Sprintf("job %d over %s (groups: %v, direct: %v, narrow: %v), %v,", j.Seed, j.transport, j.groups(), !j.noDirect, j.narrow, j.hardship)
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
		Env: append(j.hardship.environment(), assignmentVariable+"="+string(told)),
	}
	switch j.transport {
	case "tcp":
		cfg.Transport = live.TransportTCP
	case "mixed", "net":
		cfg.Ranks, cfg.Hosts = 0, []live.Host{{Ranks: j.first}, {Ranks: ranks - j.first}}
	}
	if j.network != nil {
		if err := cmp.Or(j.network.cut(false), j.network.setRoom(j.narrow)); err != nil {
			return err
		}
		cfg.Hosts[1].Name, cfg.SSH, cfg.RemoteMusubi = j.network.namespace, j.network.ssh, self
	}
	if j.hardship == apart {
		cfg.Bound = longBound
	}
	switch j.trouble {
	case nothing: // the usual one must do
	case stopped:
		cfg.Grace = stoppedGrace + j.hardship.delay()
	default:
		cfg.Grace = patience
	}
	end, err := j.begin(ctx)
	if err != nil {
		return err
	}
	_, err = live.Main(ctx, cfg, nil)
	end()
	j.leave()
	if j.hangs.Load() {
		return errors.New("it hangs")
	}
	return cmp.Or(j.cause, j.judge(err), j.survivors(), j.strays())
}

// leave lets go of the processes of a job that is over.
func (j *job) leave() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
	close(j.left)
	for _, process := range j.processes {
		_ = process.Release() // never fails
	}
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
			j.cause = cmp.Or(j.cause, j.processes[j.victim].Kill())
		}
	}
	if n, _ := fmt.Sscanf(string(line), "rank %d: process %d", &rank, &pid); n == 2 {
		process, _ := os.FindProcess(pid) // on Linux it never fails
		j.processes[rank] = process
		if rank == j.victim {
			close(j.met)
			time.AfterFunc(j.after, func() { j.disturb(process) })
		}
	}
	return len(line), nil
}

func (j *job) disturb(victim *os.Process) {
	var err error
	switch j.trouble {
	case killed:
		err = victim.Kill()
	case stopped:
		err = victim.Signal(syscall.SIGSTOP)
		go j.dumpLater()
	case parted:
		err = j.network.cut(true)
	}
	if err != nil {
		j.mu.Lock()
		j.cause = fmt.Errorf("signal to rank %d: %w", j.victim, err)
		j.mu.Unlock()
	}
}

// dumpLater is dump when all ranks should have been told of one that is stopped. It counts
// parts of that time, so that a test that was stopped or starved itself does not blame them.
func (j *job) dumpLater() {
	const parts = 20
	part := (bound + stoppedGrace/2 + j.hardship.delay()) / parts
	for range parts {
		select {
		case <-j.left:
			return
		case <-time.After(part):
		}
	}
	j.dump()
}

// dump lets the ranks say where they are that have not said that they end: they hang.
func (j *job) dump() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for rank, process := range j.processes {
		if !j.told[rank] && !j.over {
			_ = process.Signal(syscall.SIGQUIT) // it may have ended
		}
	}
}

func (j *job) output() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
