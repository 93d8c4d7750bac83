package failure

import (
	"container/heap"
	"math"
	"math/rand/v2"

	"musubi/sim/engine"
	"musubi/topology"
	"musubi/units"
)

// step is what happens to the links of an event.
type step uint8

const (
	fails step = iota
	heals
	failureKnown // by switches and end points
	healingKnown
)

// moment is a change at a time.
type moment struct {
	at     units.Time
	number int // of moments so far, for those at the same time
	of     *Event
	step   step
	again  *source // of the next failure of the link; nil: there is none
}

// agenda has the changes to come, the next one first. It implements heap.Interface.
type agenda struct {
	list   []moment
	number int
}

func (a *agenda) Len() int { return len(a.list) }
func (a *agenda) Less(i, j int) bool {
	x, y := &a.list[i], &a.list[j]
	return x.at < y.at || x.at == y.at && x.number < y.number
}
func (a *agenda) Swap(i, j int) { a.list[i], a.list[j] = a.list[j], a.list[i] }
func (a *agenda) Push(m any)    { a.list = append(a.list, m.(moment)) }
func (a *agenda) Pop() any {
	last := len(a.list) - 1
	m := a.list[last]
	a.list = a.list[:last]
	return m
}

func (a *agenda) add(m moment) {
	m.number = a.number
	a.number++
	heap.Push(a, m)
}

// next returns the time of the next change.
func (a *agenda) next() units.Time {
	if len(a.list) == 0 {
		return units.Never
	}
	return a.list[0].at
}

func (a *agenda) take() moment { return heap.Pop(a).(moment) }

// enter adds the changes that an event makes.
func (a *agenda) enter(e *Event, detection units.Time, again *source) {
	a.add(moment{at: e.From, of: e, step: fails})
	if e.Share == 0 {
		a.add(moment{at: e.From + detection, of: e, step: failureKnown})
	}
	if e.Until == units.Never {
		return
	}
	a.add(moment{at: e.Until, of: e, step: heals, again: again})
	if e.Share == 0 {
		a.add(moment{at: e.Until + detection, of: e, step: healingKnown})
	}
}

// source lets a link fail again and again, after times that are distributed exponentially.
type source struct {
	of         Event
	random     *rand.Rand
	mtbf, mttr units.Time
}

// failureStream is the number of the first random stream for failures, which other streams with the
// same seed do not use.
const failureStream = 0xfa11 << 32

// sources returns one for each link between switches.
func sources(net *topology.Network, mtbf, mttr units.Time, seed uint64) []*source {
	var all []*source
	for link := range net.Links {
		all = append(all, &source{ofLink(net, link), engine.NewStream(seed, failureStream+uint64(link)), mtbf, mttr})
	}
	return all
}

// draw returns the next failure after a time.
func (s *source) draw(after units.Time) *Event {
	e := s.of
	e.From, e.Until = after+s.time(s.mtbf), units.Never
	if s.mttr > 0 {
		e.Until = e.From + s.time(s.mttr)
	}
	return &e
}

// time draws a time of a mean, at least a picosecond.
func (s *source) time(mean units.Time) units.Time {
	return 1 + units.Time(math.Min(s.random.ExpFloat64()*float64(mean), float64(longest)))
}

// longest bounds times that are drawn.
const longest = units.Time(1e18)
