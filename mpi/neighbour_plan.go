package mpi

import (
	"cmp"
	"math"
	"slices"

	"musubi/rma"
	"musubi/units"
)

// The functions here choose how persistent neighbourhood operations use the command
// queues of a process. They are reckoned by the time of one exchange of each, all added:
//
//   - an edge costs a command and its data, or two commands with a queue of its own for
//     each, when nothing tells the receiver but a second put;
//   - a queue with more than one edge has to open a gate: it steps over a command for each
//     edge but one, and puts to itself;
//   - an engine does all that its queues have one after the other, and engines work at
//     the same time;
//   - without a queue, the processor looks for each partner, and does it all.
//
// What asks partners for data is the same in all plans, and not counted.

// demand is what is to be planned of one operation.
type demand struct {
	out    []int // bytes of each edge from this rank
	in     int   // edges to this rank
	queues int   // that the program asks for; anyQueues: as many as are best
	limit  int   // of these, if it is not 0
	eager  bool  // without any, and without waiting for receivers
}

const anyQueues = -1

// most returns how many queues an operation can use.
func (d *demand) most() int {
	if len(d.out)+d.in == 0 {
		return 0
	}
	n := max(1, len(d.out))
	if d.limit > 0 {
		n = min(n, d.limit)
	}
	return n
}

// share is what an operation gets.
type share struct {
	queueOf  []int // queue of each edge from this rank, counted from 0
	engineOf []int // engine of each queue
	time     units.Time
}

// divide gives queues to operations. Those of which the program has said how many get
// these, as long as there are any; the others such that all take the least time together.
func divide(costs rma.QueueCosts, engines, free int, demands []demand) []share {
	shares := make([]share, len(demands))
	var open []int
	for i := range demands {
		d := &demands[i]
		if d.queues == anyQueues {
			open = append(open, i)
			continue
		}
		n := min(d.queues, d.most(), free)
		shares[i] = assign(costs, engines, n, d)
		free -= n
	}
	chooseShares(costs, engines, free, demands, open, shares)
	return shares
}

// chooseShares finds the best division of free queues among some operations: that of the
// first ones is the best one for any number of queues that the others leave.
func chooseShares(costs rma.QueueCosts, engines, free int, demands []demand, open []int, shares []share) {
	type choice struct {
		time units.Time
		last share // of the operation
		rest int   // queues that are left to those before it
	}
	rows := make([][]choice, len(open))
	before := make([]choice, free+1)
	for i, number := range open {
		d := &demands[number]
		candidates := make([]share, min(d.most(), free)+1)
		for n := range candidates {
			candidates[n] = assign(costs, engines, n, d)
		}
		rows[i] = make([]choice, free+1)
		for queues := range rows[i] {
			best := choice{time: math.MaxInt64}
			for n := range candidates[:min(len(candidates), queues+1)] {
				if t := before[queues-n].time + candidates[n].time; t < best.time {
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

// assign lets an operation use a number of queues, of which each gets an edge.
func assign(costs rma.QueueCosts, engines, queues int, d *demand) share {
	switch {
	case queues == 0:
		return share{time: withoutQueues(costs, d)}
	case len(d.out) == 0:
		return share{engineOf: []int{0}}
	}
	commands := units.Time(1)
	if queues == len(d.out) {
		commands = 2
	}
	s := search{costs: costs, queues: queues}
	for i, bytes := range d.out {
		s.edges = append(s.edges, weighted{i, commands*costs.Command + costs.Rate.Transfer(units.Bytes(bytes))})
	}
	slices.SortStableFunc(s.edges, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	return s.run(min(engines, queues))
}

func withoutQueues(costs rma.QueueCosts, d *demand) units.Time {
	t := units.Time(len(d.out)+d.in) * costs.Look
	for _, bytes := range d.out {
		t += 2*costs.Command + costs.Rate.Transfer(units.Bytes(bytes))
	}
	return t
}
