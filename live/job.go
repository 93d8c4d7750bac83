package live

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Job is what a job does at some moment.
type Job struct {
	PID     int            `json:"pid"` // of its parent
	Command []string       `json:"command"`
	Ranks   int            `json:"ranks"`
	Seconds float64        `json:"seconds"`           // since it was started
	Refused map[string]int `json:"refused,omitempty"` // what its sockets have turned away in all, by reason

	Processes []Process `json:"processes"`
}

// Process is what a rank of a job does.
type Process struct {
	Rank  int    `json:"rank"`
	Host  string `json:"host"`
	PID   int    `json:"pid"` // 0: it has not come so far
	State State  `json:"state"`
	// Call is what a rank waits in, such as "Receive from rank 3 with tag 7".
	Call string `json:"call,omitempty"`
	// Seconds is for how long a rank has waited, or, if it runs, has been in no call of
	// package rma.
	Seconds float64 `json:"seconds"`
	// Refused is what its sockets have turned away, by reason.
	Refused map[string]int `json:"refused,omitempty"`
}

// State is what a rank does.
type State string

// States of ranks.
const (
	Starting State = "starting" // not all ranks are there
	Running  State = "running"
	Waiting  State = "waiting"
	Ended    State = "ended"  // its program has returned
	Silent   State = "silent" // its host does not answer
)

// describe says what the ranks of a group do.
func (g *region) describe(host string) []Process {
	var all []Process
	for _, rank := range g.locals() {
		p := g.process(rank)
		p.Host = host
		all = append(all, p)
	}
	return all
}

func (g *region) process(rank int) Process {
	state := &g.ranks[rank]
	p := Process{Rank: rank, PID: int(state.pid.Load()), Refused: state.refused.byReason()}
	why := reason(state.waiting.Load())
	switch {
	case state.ended.Load() == 1:
		p.State = Ended
	case why == inStart || p.PID == 0:
		p.State = Starting
	case why == 0:
		p.State, p.Seconds = Running, g.since(state.statement.called.Load())
	default:
		p.State, p.Seconds = Waiting, g.since(state.statement.since.Load())
		p.Call = cmp.Or(state.statement.read(), why.call())
	}
	return p
}

// since returns how many seconds ago it was something o'clock.
func (g *region) since(clock uint64) float64 {
	now := g.header.clock.Load()
	return float64(now-min(clock, now)) / 1000
}

// answerTime is how long ranks may take to say what they wait for.
const answerTime = 200 * time.Millisecond

// ask lets all ranks that wait say so, and what for. It returns the number of the
// question, which those have answered whose answer is no less.
func (g *region) ask() uint64 {
	wave := g.header.probe.Add(1)
	g.wakeAll()
	return wave
}

// askAndWait is ask that gives the ranks some time to answer.
func (g *region) askAndWait() {
	wave := g.ask()
	for end := time.Now().Add(answerTime); time.Now().Before(end) && !g.answered(wave); {
		time.Sleep(time.Millisecond)
	}
}

// answered reports whether all ranks that wait have answered.
func (g *region) answered(wave uint64) bool {
	for rank := range g.ranks {
		state := &g.ranks[rank]
		if state.waiting.Load() != 0 && state.answer.Load() < wave {
			return false
		}
	}
	return true
}

// Print writes the job as a table for people.
func (j *Job) Print(w io.Writer) error {
	age := time.Duration(j.Seconds) * time.Second
	if _, err := fmt.Fprintf(w, "job %d: %s (%d ranks, %v)\n", j.PID, strings.Join(j.Command, " "), j.Ranks, age); err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(j.Refused)) {
		if _, err := fmt.Fprintf(w, "  refused: %s (%d times)\n", reason, j.Refused[reason]); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  RANK\tHOST\tPID\tSTATE\n") // errors come with Flush
	for _, p := range j.Processes {
		pid := "-"
		if p.PID != 0 {
			pid = strconv.Itoa(p.PID)
		}
		fmt.Fprintf(table, "  %d\t%s\t%s\t%v\n", p.Rank, p.Host, pid, p)
	}
	return table.Flush()
}

// noCall is from when on it is told that a rank that runs is in no call, in seconds.
const noCall = 1

// String says what the process does: "waits in Receive from rank 3 with tag 7 for 12s".
func (p Process) String() string {
	d := time.Duration(p.Seconds * float64(time.Second)).Round(100 * time.Millisecond)
	switch {
	case p.State == Waiting && d == 0:
		return "waits in " + p.Call
	case p.State == Waiting:
		return fmt.Sprintf("waits in %s for %v", p.Call, d)
	case p.State == Running && p.Seconds >= noCall:
		return fmt.Sprintf("runs, and has been in no call for %v", d)
	case p.State == Running:
		return "runs"
	case p.State == Ended:
		return "has ended"
	case p.State == Silent:
		return "is on a host that does not answer"
	}
	return "has not met the other ranks yet"
}
