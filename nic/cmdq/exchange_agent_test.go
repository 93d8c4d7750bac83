package cmdq

import (
	"math"
	"slices"
	"testing"
)

// planAgents plans an exchange in which the first process of each host is an agent: its queue sends
// the data of all processes of the host. Each process has a queue in normal mode as well, the one of
// the interface itself, by which it sends its RTRs and, if it is not the agent, tells that it has begun.
func (x *exchange) planAgents(host int) {
	x.queues = make([]queuePlan, x.processes, 2*x.processes)
	for p := range x.processes {
		x.queues[p] = queuePlan{owner: p}
	}
	agents := map[int]int{} // queue by agent
	for e, edge := range x.edges {
		agent := edge.from - edge.from%host
		if _, known := agents[agent]; !known {
			agents[agent] = len(x.queues)
			x.queues = append(x.queues, queuePlan{owner: agent})
		}
		q := &x.queues[agents[agent]]
		x.in[e], x.out[e] = edge.to, agents[agent]
		x.queues[edge.to].in = append(x.queues[edge.to].in, e)
		q.out = append(q.out, e)
		if edge.from != agent && !slices.Contains(q.clients, edge.from) {
			q.clients = append(q.clients, edge.from)
		}
	}
	for i := range x.queues {
		x.planAgent(i)
	}
}

// planAgent fills in the commands of a round, of a process's own queue or of an agent's.
func (x *exchange) planAgent(i int) {
	q := &x.queues[i]
	for _, e := range q.in {
		q.program = append(q.program, command{what: rtr, edge: e, to: x.out[e], advance: 1})
	}
	for j := range x.queues {
		if i < x.processes && slices.Contains(x.queues[j].clients, i) {
			q.program = append(q.program, command{what: begun, to: j, advance: 1})
		}
	}
	if len(q.out) > 0 {
		var sends []command
		for _, e := range q.out {
			sends = append(sends, x.sends(e)...)
		}
		q.program = make([]command, len(q.out)+len(q.clients)-1)
		q.program = append(q.program, command{what: selfRTR, to: i, advance: len(sends)})
		q.program = append(q.program, sends...)
	}
	q.config = QueueConfig{Session: len(q.out) > 0, Entries: max(1, len(q.program)), Notices: 1}
}

// agentCases are hosts of two and three processes.
var agentCases = []struct {
	name string
	host int
	g    graph
}{
	{"a host for itself", 2, graph{"two at one host", 2, []edge{{0, 1}, {1, 0}}}},
	{"edges of the agent only", 2, graph{"", 3, []edge{{0, 2}, {2, 0}}}},
	{"edges of the other only", 2, graph{"", 3, []edge{{1, 2}, {2, 1}}}},
	{"one sends, both receive", 2, graph{"", 3, []edge{{2, 0}, {2, 1}, {1, 2}}}},
	{"both send to one", 2, graph{"", 3, []edge{{0, 2}, {1, 2}}}},
	{"two hosts, a ring in one direction", 2, graph{"", 4, []edge{{0, 1}, {1, 2}, {2, 3}, {3, 0}}}},
	{"two hosts, pairs across", 2, graph{"", 4, []edge{{0, 2}, {2, 0}, {1, 3}, {3, 1}}}},
	{"three of one host, a ring", 3, graph{"", 3, []edge{{0, 1}, {1, 2}, {2, 0}}}},
	{"three send to another host", 3, graph{"", 4, []edge{{0, 3}, {1, 3}, {2, 3}}}},
	{"two hosts, a ring", 2, graph{"", 4, []edge{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {3, 0}, {0, 3}}}},
}

// TestExploreAgents lets exchanges by agents happen in every order, as TestExploreExchanges does: no
// data is sent before its sender has begun the round and its receiver is ready, and none after its
// sender has waited for it.
func TestExploreAgents(t *testing.T) {
	reduced, whole := 40, 20
	if *long {
		reduced, whole = math.MaxInt, 28
	}
	for _, c := range agentCases {
		for _, acks := range []bool{false, true} {
			x := newExchange(c.g.processes, 3, way{host: c.host}, c.g.edges...)
			x.acks = acks
			if x.size() > reduced {
				continue
			}
			states, err := x.explore(true)
			if err != nil {
				t.Errorf("%s, acks %v: %v", c.name, acks, err)
			}
			t.Logf("%8d states: %s, acks %v, size %d", states, c.name, acks, x.size())
			if x.size() > whole {
				continue
			}
			if states, err = x.explore(false); err != nil {
				t.Errorf("%s, acks %v, in every order: %v", c.name, acks, err)
			}
			t.Logf("%8d states in every order", states)
		}
	}
}

// TestExploreAgentsFindsFaults plants faults, and expects the explorer to find them, also by a
// reduced search.
func TestExploreAgentsFindsFaults(t *testing.T) {
	each := func(what commandKind, change func(q *queuePlan, i int)) func(x *exchange) {
		return func(x *exchange) {
			for i := range x.queues {
				q := &x.queues[i]
				if at := slices.IndexFunc(q.program, func(c command) bool { return c.what == what }); at >= 0 {
					change(q, at)
				}
			}
		}
	}
	without := func(what commandKind) func(x *exchange) {
		return each(what, func(q *queuePlan, i int) { q.program = slices.Delete(q.program, i, i+1) })
	}
	step := func(what commandKind, more int) func(x *exchange) {
		return each(what, func(q *queuePlan, i int) { q.program[i].advance += more })
	}
	for _, f := range []struct {
		fault string
		plant func(x *exchange)
		want  outcome
	}{
		{"nothing", func(*exchange) {}, sound},
		{"a gate with a NOP too few", without(nop), violated},
		{"a gate with a NOP too many", each(nop, func(q *queuePlan, i int) {
			q.program = slices.Insert(q.program, i, q.program[i])
			q.config.Entries++
		}), deadlocked},
		{"no gate", without(selfRTR), deadlocked},
		{"a gate that leaves a command out", step(selfRTR, -1), deadlocked},
		{"a gate that reaches the next round", step(selfRTR, 1), violated},
		{"a process that does not tell that it has begun", without(begun), deadlocked},
		{"a process that tells it twice", step(begun, 1), violated},
		{"a receiver that is not ready", without(rtr), deadlocked},
		{"a receiver that is ready twice", step(rtr, 1), violated},
		{"EOD before SD", each(sd, func(q *queuePlan, i int) { q.program[i], q.program[i+1] = q.program[i+1], q.program[i] }), violated},
		{"a queue that does not wait", func(x *exchange) {
			for i := range x.queues {
				x.queues[i].config.Session = false
			}
		}, violated},
	} {
		for _, reduced := range []bool{false, true} {
			x := newExchange(3, 2, way{host: 2}, edge{1, 2}, edge{2, 1})
			f.plant(x)
			if got, err := x.finding(reduced); got != f.want {
				t.Errorf("%s, reduced %v: %v: %v; expected %v", f.fault, reduced, got, err, f.want)
			}
		}
	}
}
