// Package queueplan chooses how persistent neighbourhood operations use the command queues
// of a process.
//
// The cost of a plan is the sum of the predicted times of one exchange of each operation:
//
//   - an edge costs a command and its data, or two commands with a queue of its own for
//     each, when nothing tells the receiver but a second put;
//   - a queue with more than one edge has to open a gate: it steps over a command for each
//     edge but one, and puts to itself;
//   - an engine carries out the commands of its queues one after the other, and engines work at
//     the same time;
//   - without a queue, the processor checks for each partner, and sends all data.
//
// Telling senders that this rank is ready costs the same in all plans, and is not counted.
package queueplan

import (
	"cmp"
	"math"
	"slices"

	"musubi/rma"
	"musubi/units"
)

// Demand is the input of the planner for one operation.
type Demand struct {
	Out    []int // bytes of each edge from this rank
	In     int   // edges to this rank
	Queues int   // that the program asks for; AnyQueues: as many as are best
	Limit  int   // most queues; 0: no limit
	Eager  bool  // no queues, and no waiting for receivers
}

// AnyQueues lets a plan choose the number of queues.
const AnyQueues = -1

// Most returns how many queues an operation can use.
func (d *Demand) Most() int {
	if len(d.Out)+d.In == 0 {
		return 0
	}
	n := max(1, len(d.Out))
	if d.Limit > 0 {
		n = min(n, d.Limit)
	}
	return n
}

// Share is what an operation gets.
type Share struct {
	QueueOf  []int // queue of each edge from this rank, counted from 0
	EngineOf []int // engine of each queue
	Time     units.Time
}

// Divide gives queues to operations. Operations for which the program asks for a number get it, as
// far as queues are left; the others get the numbers with the least predicted time together.
func Divide(costs rma.QueueCosts, engines, free int, demands []Demand) []Share {
	shares := make([]Share, len(demands))
	var open []int
	for i := range demands {
		d := &demands[i]
		if d.Queues == AnyQueues {
			open = append(open, i)
			continue
		}
		n := min(d.Queues, d.Most(), free)
		shares[i] = Assign(costs, engines, n, d)
		free -= n
	}
	chooseShares(costs, engines, free, demands, open, shares)
	return shares
}

// chooseShares finds the best division of free queues among the open operations, by dynamic
// programming: rows[i][n] is the best choice for operation i if it and those before it have n queues.
func chooseShares(costs rma.QueueCosts, engines, free int, demands []Demand, open []int, shares []Share) {
	type choice struct {
		time units.Time
		last Share // of the operation
		rest int   // queues that are left to those before it
	}
	rows := make([][]choice, len(open))
	before := make([]choice, free+1)
	for i, number := range open {
		d := &demands[number]
		candidates := make([]Share, min(d.Most(), free)+1)
		for n := range candidates {
			candidates[n] = Assign(costs, engines, n, d)
		}
		rows[i] = make([]choice, free+1)
		for queues := range rows[i] {
			best := choice{time: math.MaxInt64}
			for n := range candidates[:min(len(candidates), queues+1)] {
				if t := before[queues-n].time + candidates[n].Time; t < best.time {
					best = choice{t, candidates[n], queues - n}
				}
			}
			rows[i][queues] = best
		}
		before = rows[i]
	}
	for i := len(open) - 1; i >= 0; i-- {
		chosen := rows[i][free]
		shares[open[i]] = chosen.last
		free = chosen.rest
	}
}

// Assign assigns the edges of an operation to a number of queues, at least one edge to each.
func Assign(costs rma.QueueCosts, engines, queues int, d *Demand) Share {
	switch {
	case queues == 0:
		return Share{Time: WithoutQueues(costs, d)}
	case len(d.Out) == 0:
		return Share{EngineOf: []int{0}}
	}
	commands := units.Time(1)
	if queues == len(d.Out) {
		commands = 2
	}
	s := search{costs: costs, queues: queues}
	for i, bytes := range d.Out {
		s.edges = append(s.edges, weighted{i, commands*costs.Command + costs.Rate.Transfer(units.Bytes(bytes))})
	}
	slices.SortStableFunc(s.edges, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	return s.run(min(engines, queues))
}

// WithoutQueues predicts the time of an exchange without command queues.
func WithoutQueues(costs rma.QueueCosts, d *Demand) units.Time {
	t := units.Time(len(d.Out)+d.In) * costs.Look
	for _, bytes := range d.Out {
		t += 2*costs.Command + costs.Rate.Transfer(units.Bytes(bytes))
	}
	return t
}
