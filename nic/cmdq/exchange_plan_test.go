package cmdq

import "fmt"

// exchange is a persistent exchange of data with neighbours on command queues, a number of
// rounds of it: what session mode is for. After Hatanaka et al., Prototype Implementation
// and Evaluation of an MPI Persistent Neighborhood Collective Operation Using Tofu2
// Protocol Offloading Capability, 2016: a receiver sends RTR (ready to receive), which
// releases SD (the data) and EOD (end of data) in the queue of the sender.
type exchange struct {
	processes int
	edges     []edge
	queues    []queuePlan
	in, out   []int // queue of each edge at its receiver and its sender
	rounds    int
	acks      bool // completions come some time after puts are written, else with them
	hasty     bool // a fault: processes start a round before they have waited for the last one
}

// edge is a way that data takes. There may be several between two processes.
type edge struct{ from, to int }

// queuePlan is how a process uses one of its queues.
type queuePlan struct {
	owner   int
	in, out []int // edges
	clients []int // other processes whose edges an agent's queue serves
	polled  bool  // normal mode: the processor looks for RTRs, and posts SD and EOD then (PRDMA)
	notices bool  // SDs leave notices here that the receiver counts; else EODs write to memory
	config  QueueConfig
	program []command // of a round; with polled the commands that Start posts
}

// command is one of a round's.
type command struct {
	what    commandKind
	edge    int // of RTR, SD and EOD
	to      int // queue that takes the put
	advance int
	notice  bool
	lost    bool // a fault: its completion gets lost
}

type commandKind uint8

const (
	nop     commandKind = iota
	rtr                 // ready to receive
	selfRTR             // a put to the queue itself
	begun               // a put to the agent's queue: a process of its host has started
	sd                  // send data
	eod                 // end of data
)

var commandNames = [...]string{"NOP", "RTR", "self RTR", "begun", "SD", "EOD"}

func (c command) String() string { return fmt.Sprint(commandNames[c.what], " of edge ", c.edge) }

// way is how the processes of an exchange use queues.
type way struct {
	queues  int    // of each process, at most; 0: one for each neighbour (FAST); 1: MRC
	notices bool   // else EODs
	polled  []bool // processes that have queues in normal mode only
	host    int    // processes of each host, which have an agent; 0: there are none
}

// newExchange divides the edges of each process among its queues in turn, and plans what
// is posted to them.
func newExchange(processes, rounds int, w way, edges ...edge) *exchange {
	x := &exchange{processes: processes, edges: edges, rounds: rounds, in: make([]int, len(edges)), out: make([]int, len(edges))}
	if w.host > 0 {
		x.planAgents(w.host)
		return x
	}
	for p := range processes {
		x.assign(p, w)
	}
	for i := range x.queues {
		x.plan(i)
	}
	return x
}

// assign gives the edges of a process to queues, the first of both directions to its first
// queue and so on.
func (x *exchange) assign(p int, w way) {
	var in, out []int
	for e, edge := range x.edges {
		if edge.to == p {
			in = append(in, e)
		}
		if edge.from == p {
			out = append(out, e)
		}
	}
	first, n := len(x.queues), max(len(in), len(out))
	if w.queues > 0 {
		n = min(n, w.queues)
	}
	for range n {
		x.queues = append(x.queues, queuePlan{owner: p, notices: w.notices, polled: w.polled != nil && w.polled[p]})
	}
	for i, e := range in {
		x.in[e] = first + i%n
		x.queues[x.in[e]].in = append(x.queues[x.in[e]].in, e)
	}
	for i, e := range out {
		x.out[e] = first + i%n
		x.queues[x.out[e]].out = append(x.queues[x.out[e]].out, e)
	}
}

// perEdge is how many commands send the data of an edge.
func (x *exchange) perEdge(e int) int {
	if x.queues[x.in[e]].notices {
		return 1
	}
	return 2
}

// sends are the commands that send the data of an edge.
func (x *exchange) sends(e int) []command {
	if x.perEdge(e) == 1 {
		return []command{{what: sd, edge: e, to: x.in[e], notice: true}}
	}
	return []command{{what: sd, edge: e, to: x.in[e]}, {what: eod, edge: e, to: x.in[e]}}
}

// step is the advance that an RTR to a queue carries.
func (x *exchange) step(q *queuePlan) int {
	switch {
	case q.polled:
		return 0
	case len(q.out) == 1:
		return x.perEdge(q.out[0]) + len(q.in)
	}
	return 1
}

// plan fills in a queue's configuration and the commands of a round.
func (x *exchange) plan(i int) {
	q := &x.queues[i]
	for _, e := range q.in {
		q.program = append(q.program, command{what: rtr, edge: e, to: x.out[e], advance: x.step(&x.queues[x.out[e]])})
	}
	q.config = QueueConfig{Session: !q.polled, Lead: len(q.in), Entries: len(q.program), Notices: max(1, len(q.in))}
	var sends []command
	for _, e := range q.out {
		sends = append(sends, x.sends(e)...)
	}
	if q.polled {
		q.config.Lead, q.config.Entries = 0, len(q.program)+len(sends)
		return
	}
	switch len(q.out) {
	case 0: // nobody tells when the next round's RTRs may go, and nobody has to: normal mode
		q.config.Session, q.config.Lead = false, 0
	case 1:
	default:
		for range len(q.out) - 1 {
			q.program = append(q.program, command{what: nop})
		}
		q.program = append(q.program, command{what: selfRTR, to: i, advance: len(sends) + len(q.in)})
	}
	q.program = append(q.program, sends...)
	q.config.Entries = len(q.program)
}
