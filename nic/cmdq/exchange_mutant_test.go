package cmdq

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// outcome is what an explorer says about an exchange.
type outcome string

const (
	sound      outcome = "sound"
	violated   outcome = "something is violated"
	wrongEnd   outcome = "the end is not as it must be"
	deadlocked outcome = "no way leads to the end"
)

// finding explores an exchange.
func (x *exchange) finding(reduced bool) (outcome, error) {
	_, err := x.explore(reduced)
	says := func(what string) bool { return strings.Contains(err.Error(), what) }
	switch {
	case err == nil:
		return sound, nil
	case says(string(deadlocked)):
		return deadlocked, err
	case says("ends with") || says("nobody has taken"):
		return wrongEnd, err
	}
	return violated, err
}

// commandFaults change one command of a round.
var commandFaults = []struct {
	name  string
	plant func(x *exchange, q *queuePlan, i int)
}{
	{"advances one more", func(_ *exchange, q *queuePlan, i int) { q.program[i].advance++ }},
	{"advances one less", func(_ *exchange, q *queuePlan, i int) { q.program[i].advance = max(0, q.program[i].advance-1) }},
	{"releases nothing", func(_ *exchange, q *queuePlan, i int) { q.program[i].advance = 0 }},
	{"loses its completion", func(_ *exchange, q *queuePlan, i int) { q.program[i].lost = true }},
	{"is left out", func(_ *exchange, q *queuePlan, i int) { q.program = slices.Delete(q.program, i, i+1) }},
	{"comes twice", func(_ *exchange, q *queuePlan, i int) {
		q.program = slices.Insert(q.program, i, q.program[i])
		q.config.Entries++
	}},
	{"comes after the next one", func(_ *exchange, q *queuePlan, i int) {
		next := (i + 1) % len(q.program)
		q.program[i], q.program[next] = q.program[next], q.program[i]
	}},
	{"goes to another queue if it is an RTR", func(x *exchange, q *queuePlan, i int) {
		if c := &q.program[i]; c.what == rtr || c.what == selfRTR {
			c.to = (c.to + 1) % len(x.queues)
		}
	}},
}

// queueFaults change a queue.
var queueFaults = []struct {
	name  string
	plant func(q *queuePlan)
}{
	{"leads one more", func(q *queuePlan) { q.config.Lead++ }},
	{"leads one less", func(q *queuePlan) { q.config.Lead = max(0, q.config.Lead-1) }},
	{"has an entry more", func(q *queuePlan) { q.config.Entries++ }},
	{"has an entry less", func(q *queuePlan) { q.config.Entries = max(1, q.config.Entries-1) }},
	{"has a place less for notices", func(q *queuePlan) { q.config.Notices = max(1, q.config.Notices-1) }},
}

// eachFault plants each fault that changes something in an exchange of its own.
func eachFault(plan *exchange, do func(fault string, x *exchange)) {
	try := func(fault string, plant func(x *exchange)) {
		x := plan.clone()
		if plant(x); !reflect.DeepEqual(x, plan) {
			do(fault, x)
		}
	}
	for i := range plan.queues {
		for j, c := range plan.queues[i].program {
			for _, f := range commandFaults {
				try(fmt.Sprintf("queue %d, %v %s", i, c, f.name), func(x *exchange) { f.plant(x, &x.queues[i], j) })
			}
		}
		for _, f := range queueFaults {
			try(fmt.Sprintf("queue %d %s", i, f.name), func(x *exchange) { f.plant(&x.queues[i]) })
		}
	}
	try("processes that Start before Wait", func(x *exchange) {
		x.hasty = true
		for i := range x.queues {
			x.queues[i].config.Entries *= 2
		}
	})
}

// clone returns an exchange whose queues can be changed.
func (x *exchange) clone() *exchange {
	c := *x
	c.queues = slices.Clone(x.queues)
	for i := range c.queues {
		c.queues[i].program = slices.Clone(c.queues[i].program)
	}
	return &c
}

// TestReducedSearchFindsTheSame plants each of many faults at each place of small exchanges. A
// reduced search has to come to the same outcome as one in every order.
func TestReducedSearchFindsTheSame(t *testing.T) {
	most := 4
	if *long {
		most = 10
	}
	count := map[outcome]int{}
	eachExchange(t, 2, most, func(t *testing.T, x *exchange) {
		eachFault(x, func(fault string, x *exchange) {
			whole, err := x.finding(false)
			reduced, reducedErr := x.finding(true)
			if whole != reduced {
				t.Errorf("%s: in every order %v; reduced %v", fault, err, reducedErr)
			}
			count[whole]++
		})
	})
	for _, v := range []outcome{sound, violated, wrongEnd, deadlocked} {
		t.Logf("%4d exchanges: %s", count[v], v)
		if count[v] == 0 {
			t.Errorf("of no exchange it is said that %s", v)
		}
	}
}
