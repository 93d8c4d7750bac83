package job

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"musubi/live/shm"
	"musubi/live/tcp"
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
	// Lanes is how many messages a program in C has sent and received by itself, see shm.Lane.
	Lanes uint64 `json:"lanes,omitempty"`
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
func describe(g *shm.Region, host string) []Process {
	var all []Process
	for _, rank := range g.Locals() {
		p := processOf(g, rank)
		p.Host = host
		all = append(all, p)
	}
	return all
}

func processOf(g *shm.Region, rank int) Process {
	state := &g.Ranks[rank]
	p := Process{Rank: rank, PID: int(state.Pid.Load()), Refused: tcp.RefusalsByReason(state.Refused[:]), Lanes: state.Statement.Lanes.Load()}
	why := shm.Reason(state.Waiting.Load())
	switch {
	case state.Ended.Load() == 1:
		p.State = Ended
	case why == shm.InStart || p.PID == 0:
		p.State = Starting
	case why == 0:
		p.State, p.Seconds = Running, g.Since(state.Statement.Called.Load())
	default:
		p.State, p.Seconds = Waiting, g.Since(state.Statement.Since.Load())
		p.Call = cmp.Or(state.Statement.Read(), why.Call())
	}
	return p
}

// counted says how many there are of something.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Print writes the job as a table for people.
func (j *Job) Print(w io.Writer) error {
	age := time.Duration(j.Seconds) * time.Second
	if _, err := fmt.Fprintf(w, "job %d: %s (%s, %v)\n", j.PID, strings.Join(j.Command, " "), counted(j.Ranks, "rank"), age); err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(j.Refused)) {
		if _, err := fmt.Fprintf(w, "  refused: %s (%s)\n", reason, counted(j.Refused[reason], "time")); err != nil {
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
