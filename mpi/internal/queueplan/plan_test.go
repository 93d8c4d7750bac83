package queueplan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/rma"
	"musubi/units"
)

// drawCosts returns costs of which each may be what matters most.
func drawCosts(rng *rand.Rand) rma.QueueCosts {
	cost := func() units.Time { return units.Time(rng.IntN(1 + rng.IntN(2000))) }
	return rma.QueueCosts{Command: cost(), Self: cost(), Look: cost(), Rate: units.Rate(1+rng.IntN(100)) * units.GBPerSecond}
}

func drawDemand(rng *rand.Rand, edges int) Demand {
	d := Demand{In: rng.IntN(3), Queues: AnyQueues}
	for range rng.IntN(edges + 1) {
		d.Out = append(d.Out, rng.IntN(1+rng.IntN(4))*rng.IntN(40_000))
	}
	return d
}

// naiveTime is the time of an exchange, command by command. An edge has queue queueOf,
// which has engine engineOf.
func naiveTime(costs rma.QueueCosts, d *Demand, queueOf, engineOf []int) units.Time {
	if len(engineOf) == 0 {
		return WithoutQueues(costs, d)
	}
	shared := false
	edges := make([]int, len(engineOf))
	for _, q := range queueOf {
		edges[q]++
		shared = shared || edges[q] > 1
	}
	engines := make([]units.Time, 1+slices.Max(engineOf))
	for i, q := range queueOf {
		t := &engines[engineOf[q]]
		*t += costs.Command + costs.Rate.Transfer(units.Bytes(d.Out[i]))
		if !shared {
			*t += costs.Command
		}
	}
	for q, n := range edges {
		if n > 1 {
			engines[engineOf[q]] += units.Time(n-1)*costs.Command + costs.Self
		}
	}
	return slices.Max(engines)
}

// bruteTime tries all ways to lay edges on queues, of which each gets one, and queues on
// engines.
func bruteTime(costs rma.QueueCosts, engines, queues int, d *Demand) units.Time {
	best := units.Time(math.MaxInt64)
	queueOf, engineOf := make([]int, len(d.Out)), make([]int, queues)
	var lay func(numbers []int, i, kinds int, then func())
	lay = func(numbers []int, i, kinds int, then func()) {
		if i == len(numbers) {
			then()
			return
		}
		for numbers[i] = range kinds {
			lay(numbers, i+1, kinds, then)
		}
	}
	lay(queueOf, 0, queues, func() {
		for q := range queues {
			if len(queueOf) > 0 && !slices.Contains(queueOf, q) {
				return
			}
		}
		lay(engineOf, 0, engines, func() { best = min(best, naiveTime(costs, d, queueOf, engineOf)) })
	})
	return best
}

// The division of edges among queues and engines is the best of all there are.
func TestAssignFindsTheBestDivision(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		costs, engines, d := drawCosts(rng), 1+rng.IntN(3), drawDemand(rng, 5)
		for queues := range 1 + min(4, d.Most()) {
			got := Assign(costs, engines, queues, &d)
			if err := checkShare(costs, engines, queues, &d, &got); err != nil {
				t.Fatalf("seed %d, %d engines, %d queues: %v", seed, engines, queues, err)
			}
			if want := bruteTime(costs, engines, queues, &d); queues > 0 && got.Time != want {
				t.Fatalf("seed %d, %d engines, %d queues, edges %v: %v; the best is %v", seed, engines, queues, d.Out, got.Time, want)
			}
		}
	}
}

// checkShare fails if a share is not well-formed, or its time is not that which it takes.
func checkShare(costs rma.QueueCosts, engines, queues int, d *Demand, s *Share) error {
	if len(s.EngineOf) != queues {
		return fmt.Errorf("%d queues", len(s.EngineOf))
	}
	for _, e := range s.EngineOf {
		if e < 0 || e >= engines {
			return fmt.Errorf("a queue of engine %d", e)
		}
	}
	if queues == 0 || len(d.Out) == 0 {
		return nil
	}
	for q := range queues {
		if !slices.Contains(s.QueueOf, q) {
			return fmt.Errorf("queue %d has no edge", q)
		}
	}
	if want := naiveTime(costs, d, s.QueueOf, s.EngineOf); s.Time != want {
		return fmt.Errorf("time %v; it takes %v", s.Time, want)
	}
	return nil
}

// Free queues are divided among operations such that all take the least time together,
// and those that the program has asked for are given first.
func TestDivideFindsTheBestDivision(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		costs, engines, free := drawCosts(rng), 1+rng.IntN(2), rng.IntN(6)
		demands := make([]Demand, 1+rng.IntN(3))
		for i := range demands {
			demands[i] = drawDemand(rng, 3)
			if rng.IntN(4) == 0 {
				demands[i].Queues = rng.IntN(4)
			}
		}
		got := Divide(costs, engines, free, demands)
		var time units.Time
		used := 0
		for i := range got {
			if err := checkShare(costs, engines, len(got[i].EngineOf), &demands[i], &got[i]); err != nil {
				t.Fatalf("seed %d, operation %d: %v", seed, i, err)
			}
			time += got[i].Time
			used += len(got[i].EngineOf)
		}
		if want := bruteDivision(costs, engines, free, demands); time != want || used > free {
			t.Fatalf("seed %d: %d of %d queues, %v; the best is %v", seed, used, free, time, want)
		}
	}
}

// bruteDivision is the least time of all divisions of the queues that are left when
// those have been given that the program asks for.
func bruteDivision(costs rma.QueueCosts, engines, free int, demands []Demand) units.Time {
	var time units.Time
	var open []Demand
	for _, d := range demands {
		if d.Queues == AnyQueues {
			open = append(open, d)
			continue
		}
		n := min(d.Queues, d.Most(), free)
		free -= n
		time += bruteShare(costs, engines, n, &d)
	}
	var best func(i, free int) units.Time
	best = func(i, free int) units.Time {
		if i == len(open) {
			return 0
		}
		least := units.Time(math.MaxInt64)
		for n := range min(open[i].Most(), free) + 1 {
			least = min(least, bruteShare(costs, engines, n, &open[i])+best(i+1, free-n))
		}
		return least
	}
	return time + best(0, free)
}

func bruteShare(costs rma.QueueCosts, engines, queues int, d *Demand) units.Time {
	switch {
	case queues == 0:
		return WithoutQueues(costs, d)
	case len(d.Out) == 0:
		return 0
	}
	return bruteTime(costs, engines, queues, d)
}

// Where there are too many edges to try all ways, what is found is not worse than laying
// the longest ones first, which is 4/3 of the best.
func TestAssignOfManyEdges(t *testing.T) {
	costs := rma.QueueCosts{Command: 1000, Self: 5000, Look: 9000, Rate: 10 * units.GBPerSecond}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		d := Demand{}
		var all, longest units.Time
		for range 100 {
			d.Out = append(d.Out, rng.IntN(100_000))
			weight := 2*costs.Command + costs.Rate.Transfer(units.Bytes(d.Out[len(d.Out)-1]))
			all, longest = all+weight, max(longest, weight)
		}
		got := Assign(costs, 4, len(d.Out), &d)
		if bound := max(longest, all/4) * 4 / 3; got.Time > bound {
			t.Errorf("seed %d: %v; expected at most %v", seed, got.Time, bound)
		}
	}
}
