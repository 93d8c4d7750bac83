package verify

import (
	"slices"

	"musubi/routing"
	"musubi/topology"
	"musubi/watch"
)

// judgement is what verify finds out about tables.
type judgement struct {
	tables string // file
	routes []*routing.Routes
	proof  *routing.Proof
	kinds  []topology.Kind      // of end points whose traffic counts for the verdict
	cycle  []routing.Dependency // a shortest one of that traffic, nil if there is none

	traffic []traffic // by class, only classes that the network has

	groups     *groups  // of multicast tables that were read besides, if any
	notCovered []string // what the answer says nothing about
}

// traffic is the packets that end points of one kind send to those of another.
type traffic struct {
	class       routing.Class
	pairs       int64 // ordered pairs, counted for each of the routes
	unreachable int64
	alone       bool            // it closes a cycle by itself
	with        []routing.Class // if not: classes that it closes a cycle with, if any
}

func judge(routes []*routing.Routes, kinds []topology.Kind) *judgement {
	j := &judgement{routes: routes, kinds: kinds, proof: routing.Verify(routes[0], routes[1:]...)}
	j.cycle = j.proof.CycleAmong(kinds)
	for _, t := range countPairs(routes) {
		if t.pairs > 0 {
			t.findCycles(j.proof.CycleClasses)
			j.traffic = append(j.traffic, t)
		}
	}
	return j
}

// countPairs counts, for every class, the pairs and those without a path.
func countPairs(routes []*routing.Routes) []traffic {
	kinds := topology.Kinds()
	all := make([]traffic, 0, len(kinds)*len(kinds))
	for _, from := range kinds {
		for _, to := range kinds {
			all = append(all, traffic{class: routing.Class{From: from, To: to}})
		}
	}
	for _, r := range routes {
		for src := range r.Net.EndPoints {
			row := all[int(r.Net.KindOf(src))*len(kinds):]
			for dst := range r.Net.EndPoints {
				if src == dst {
					continue
				}
				t := &row[r.Net.KindOf(dst)]
				t.pairs++
				if r.PathID(src, dst) < 0 {
					t.unreachable++
				}
			}
		}
	}
	return all
}

// findCycles notes which of the minimal sets of classes that close a cycle hold
// this class.
func (t *traffic) findCycles(sets [][]routing.Class) {
	for _, set := range sets {
		if !slices.Contains(set, t.class) {
			continue
		}
		if len(set) == 1 {
			t.alone = true
		}
		for _, c := range set {
			if c != t.class && !slices.Contains(t.with, c) {
				t.with = append(t.with, c)
			}
		}
	}
}

// judged reports whether a class counts for the verdict.
func (j *judgement) judged(c routing.Class) bool {
	return slices.Contains(j.kinds, c.From) && slices.Contains(j.kinds, c.To)
}

// totals counts the pairs that are judged.
func (j *judgement) totals() (pairs, unreachable int64) {
	for _, t := range j.traffic {
		if j.judged(t.class) {
			pairs += t.pairs
			unreachable += t.unreachable
		}
	}
	return pairs, unreachable
}

// deadlockFree reports whether the traffic that is judged is free of deadlock.
func (j *judgement) deadlockFree() bool { return j.cycle == nil }

// ok is the answer: the paths are sound, and so are the groups of multicast, if any.
func (j *judgement) ok() bool { return j.sound() && j.groups.ok() }

// sound reports whether every judged pair has a sound path, and no deadlock is
// possible.
func (j *judgement) sound() bool {
	_, unreachable := j.totals()
	return unreachable == 0 && j.proof.Malformed == 0 && j.deadlockFree()
}

// summary is what monitoring is told.
func (j *judgement) summary() watch.Verdict {
	pairs, lost := j.totals()
	return j.groups.addTo(watch.Verdict{OK: j.sound(), Pairs: pairs, Lost: lost, Cycle: len(j.cycle), Load: j.routes[0].Statistics().ChannelLoad.Max})
}
