package failure

import (
	"maps"
	"slices"

	"musubi/units"
)

// counts is what has happened so far.
type counts struct {
	failures, reroutes int
	lost, resent       int64
	open               []*Event              // failures that have not healed
	out                map[string]units.Time // by element: out of service, in failures that have healed
}

func (c *counts) begin(e *Event) { c.open = append(c.open, e) }

func (c *counts) end(e *Event, at units.Time) {
	c.open = slices.DeleteFunc(c.open, func(o *Event) bool { return o == e })
	c.out[e.What] += at - e.From
}

// Report says what failures have done.
type Report struct {
	Failures int   // and losses of rate
	Reroutes int   // times that new routes came into use
	Lost     int64 // packets, each time that one was lost
	Resent   int64 // packets, each time that one was sent again
	Out      []Out // what was out of service, by name
}

// Out is for how long something has been out of service.
type Out struct {
	What string
	Time units.Time
}

// Report returns what has happened so far.
func (x *Fabric) Report() Report {
	c := &x.counts
	r := Report{c.failures, c.reroutes, c.lost, c.resent, nil}
	out := maps.Clone(c.out)
	for _, e := range c.open {
		out[e.What] += x.q.Now() - e.From
	}
	for _, what := range slices.Sorted(maps.Keys(out)) {
		r.Out = append(r.Out, Out{what, out[what]})
	}
	return r
}

// gone names what is out of service.
func (x *Fabric) gone() []string {
	var names []string
	for _, e := range x.counts.open {
		names = append(names, e.What)
	}
	return names
}
