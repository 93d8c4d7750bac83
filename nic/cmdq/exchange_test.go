package cmdq

import (
	"flag"
	"fmt"
	"math"
	"musubi/internal/check"
	"musubi/internal/explore"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var (
	long    = flag.Bool("long", false, "run the long tests")
	nightly = flag.Bool("nightly", false, "run the tests that are too long for each change")
)

// graph is who sends to whom.
type graph struct {
	name      string
	processes int
	edges     []edge
}

var (
	pair     = graph{"pair", 2, []edge{{0, 1}, {1, 0}}}
	repeated = graph{"repeated edges", 2, []edge{{0, 1}, {0, 1}, {1, 0}, {1, 0}}}
	graphs   = []graph{
		{"self loop", 1, []edge{{0, 0}}},
		{"one way", 2, []edge{{0, 1}}},
		pair,
		{"two edges there, one back", 2, []edge{{0, 1}, {0, 1}, {1, 0}}},
		repeated,
		{"pair with self loops", 2, []edge{{0, 0}, {0, 1}, {1, 0}, {1, 1}}},
		{"directed ring of 3", 3, []edge{{0, 1}, {1, 2}, {2, 0}}},
		{"from one to two", 3, []edge{{0, 1}, {0, 2}}},
		{"from two to one", 3, []edge{{0, 2}, {1, 2}}},
		{"line of 3", 3, []edge{{0, 1}, {1, 0}, {1, 2}, {2, 1}}},
		{"ring of 3", 3, []edge{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 0}, {0, 2}}},
		{"star of 4", 4, []edge{{0, 1}, {1, 0}, {0, 2}, {2, 0}, {0, 3}, {3, 0}}},
		{"complete graph of 4", 4, []edge{{0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 3}, {3, 0}, {3, 1}, {3, 2}}},
	}
	fast    = way{}
	mrc     = way{queues: 1, notices: true}
	mrcEODs = way{queues: 1}
	ways    = []struct {
		name string
		way
	}{
		{"FAST", fast},
		{"MRC", mrc},
		{"one queue with EODs", mrcEODs},
		{"two queues", way{queues: 2, notices: true}},
		{"process 0 polls", way{polled: []bool{true, false, false, false}}},
	}
)

// TestExploreExchanges lets processes, engines and network do everything in every order.
// Never may data be sent before its RTR has come, or written before its receiver wants it or
// while the receiver works on what was there; and from each state all can be done.
//
// Each case is explored whole or not at all: by a reduced search (reducedWorld) those up to size
// 30, with -nightly all; in every order those up to size 14, with -long up to 19, with -nightly up
// to 30. The largest cases of -nightly have millions of states each.
func TestExploreExchanges(t *testing.T) {
	reduced, whole := 30, 14
	switch {
	case *nightly:
		reduced, whole = math.MaxInt, 30
	case *long:
		whole = 19
	}
	total := 0
	eachExchange(t, 3, reduced, func(t *testing.T, x *exchange) {
		explore := func(how string, reduced bool) {
			states, err := x.explore(reduced)
			if err != nil {
				t.Fatalf("%s: %v", how, err)
			}
			t.Logf("%8d states %s", states, how)
			total += states
		}
		explore("by a reduced search", true)
		if x.size() <= whole {
			explore("in every order", false)
		}
	})
	t.Logf("%d states", total)
}

// eachExchange goes through all graphs, ways, and when completions come, up to a size.
func eachExchange(t *testing.T, rounds, most int, test func(t *testing.T, x *exchange)) {
	for _, g := range graphs {
		for _, w := range ways {
			for _, acks := range []bool{false, true} {
				x := newExchange(g.processes, rounds, w.way, g.edges...)
				x.acks = acks
				if x.size() <= most {
					t.Run(fmt.Sprintf("%s/%s/acks=%v", g.name, w.name, acks), func(t *testing.T) { test(t, x) })
				}
			}
		}
	}
}

// size counts what can be in any order in a round: states grow exponentially with it.
func (x *exchange) size() int {
	n := 0
	for i := range x.queues {
		n += x.queues[i].config.Entries
		if x.queues[i].polled {
			n += x.queues[i].config.Entries
		}
	}
	if x.acks {
		return 2 * n
	}
	return n
}

// explore returns how many states an exchange has, or how many of them a reduced search visits.
func (x *exchange) explore(reduced bool) (states int, err error) {
	w, err := newExchangeWorld(x)
	if err != nil {
		return 0, err
	}
	if reduced {
		return explore.From(reducedWorld{w})
	}
	return explore.From(w)
}

// TestOneEdgeIsPRDMA: the exchange of one edge, which paired sends and receives are, is PRDMA in
// session mode: the RTR advances the sender's queue by two entries, SD and EOD.
func TestOneEdgeIsPRDMA(t *testing.T) {
	x := newExchange(2, 3, fast, edge{0, 1})
	sender, receiver := x.queues[x.out[0]], x.queues[x.in[0]]
	if got := fmt.Sprint(sender.program, receiver.program); got != "[SD of edge 0 EOD of edge 0] [RTR of edge 0]" || !sender.config.Session || sender.config.Lead != 0 {
		t.Errorf("programs %s, sender's queue %+v", got, sender.config)
	}
	if got := receiver.program[0].advance; got != 2 {
		t.Errorf("the RTR advances by %d entries; expected 2", got)
	}
}

// TestExploreExchangesFindsFaults plants faults, and expects the explorer to find them.
func TestExploreExchangesFindsFaults(t *testing.T) {
	const deadlock = "no way leads to the end"
	both := func(change func(q *queuePlan)) func(*exchange) {
		return func(x *exchange) {
			for i := range x.queues {
				change(&x.queues[i])
			}
		}
	}
	advance := func(what commandKind, more int) func(*exchange) {
		return both(func(q *queuePlan) {
			for i := range q.program {
				if q.program[i].what == what {
					q.program[i].advance += more
				}
			}
		})
	}
	lead := func(more int) func(*exchange) { return both(func(q *queuePlan) { q.config.Lead += more }) }
	for _, c := range []struct {
		fault string
		g     graph
		w     way
		plant func(*exchange)
		want  string
	}{
		{"nothing", pair, fast, func(*exchange) {}, ""},
		{"no lead", pair, fast, lead(-1), deadlock},
		{"too much lead", pair, fast, lead(1), "early data"},
		{"too much lead", repeated, mrc, lead(1), "early data"},
		{"a step of RTR that leaves the next one out", pair, fast, advance(rtr, -1), deadlock},
		{"an RTR that releases nothing", pair, fast, advance(rtr, -3), deadlock},
		{"a step of RTR over the RTR of the next round", pair, fast, advance(rtr, 1), "early data"},
		{"a step of RTR over two NOPs", repeated, mrc, advance(rtr, 1), "early data"},
		{"a step of the self RTR that leaves a command out", repeated, mrc, advance(selfRTR, -1), deadlock},
		{"a step of the self RTR over a NOP", repeated, mrc, advance(selfRTR, 1), "early data"},
		{"no NOP", repeated, mrc, both(func(q *queuePlan) { q.program = remove(q.program, nop) }), "early data"},
		{"no self RTR", repeated, mrc, both(func(q *queuePlan) { q.program = remove(q.program, selfRTR) }), deadlock},
		{"EOD before SD", pair, fast, both(func(q *queuePlan) {
			n := len(q.program)
			q.program[n-2], q.program[n-1] = q.program[n-1], q.program[n-2]
		}), "before its data"},
		{"an RTR to the queue of another edge", repeated, fast, func(x *exchange) {
			x.queues[0].program[0].to = x.queues[1].program[0].to
		}, "early data"},
		{"a place too few for notices", repeated, mrc, both(func(q *queuePlan) { q.config.Notices-- }), deadlock},
		{"a completion that gets lost", pair, fast, both(func(q *queuePlan) { q.program[0].lost = true }), deadlock},
		{"Start before Wait", pair, fast, func(x *exchange) {
			x.hasty = true
			both(func(q *queuePlan) { q.config.Entries *= 2 })(x)
		}, "overwrites"},
	} {
		for _, acks := range []bool{false, true} {
			for _, reduced := range []bool{false, true} {
				x := newExchange(c.g.processes, 2, c.w, c.g.edges...)
				x.acks = acks
				c.plant(x)
				_, err := x.explore(reduced)
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s in a %s, acks %v, reduced %v: the explorer says: %v; expected an error with %q",
						c.fault, c.g.name, acks, reduced, err, c.want)
				}
			}
		}
	}
}

// remove returns a program without commands of one kind.
func remove(program []command, what commandKind) (rest []command) {
	for _, c := range program {
		if c.what != what {
			rest = append(rest, c)
		}
	}
	return rest
}

// TestExchangeAsPublished holds the plans that are explored to the paper's.
func TestExchangeAsPublished(t *testing.T) {
	for _, c := range []struct {
		g    graph
		w    way
		want string // Lead, and the commands of a round with their advances
	}{
		{pair, fast, "1: RTR+3 SD EOD"},
		{pair, mrc, "1: RTR+2 SD"},
		{repeated, fast, "1: RTR+3 SD EOD"},
		{repeated, mrc, "2: RTR+1 RTR+1 NOP self RTR+4 SD SD"},
		{graphs[11], mrc, "3: RTR+2 RTR+2 RTR+2 NOP NOP self RTR+6 SD SD SD"},
	} {
		q := newExchange(c.g.processes, 1, c.w, c.g.edges...).queues[0]
		got := fmt.Sprint(q.config.Lead, ":")
		for _, c := range q.program {
			got += " " + commandNames[c.what]
			if c.advance > 0 {
				got += fmt.Sprint("+", c.advance)
			}
		}
		if got != c.want {
			t.Errorf("%s, %+v: %q; want %q", c.g.name, c.w, got, c.want)
		}
	}
}
