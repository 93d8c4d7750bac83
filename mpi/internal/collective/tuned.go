package collective

import (
	"slices"

	"musubi/mpi/internal/algorithm"
)

// tunedFor is what a choice by measurements depends on, in one communicator.
type tunedFor struct {
	kind  algorithm.Operation
	bytes int
	plain bool // the operation is commutative, or there is none
	exact bool // its result does not depend on the order, or there is none
}

// tunedChoice is what measurements say.
type tunedChoice struct {
	messages  *algorithm.Algorithm // the fastest by messages; nil: the usual choice
	multicast *algorithm.Algorithm // by multicast, if that is faster still
	decides   bool                 // multicast was measured, too
}

// tuned returns what measurements say of an operation. All ranks find the same, unless each may choose.
func (c *Comm) tuned(kind algorithm.Operation, a *algorithm.Arguments) (found tunedChoice) {
	if c.job.tuned == nil || c.Size() == 1 {
		return found
	}
	bytes, alike := a.Bytes(kind, c.Size())
	if !alike && !algorithm.Operations[kind].EachChooses {
		return found
	}
	none := a.Op.Apply == nil
	key := tunedFor{kind, bytes, none || a.Op.Commutative, none || a.Op.IsExact()}
	known := c.collectives.tuned
	for i := range known {
		if known[i].tunedFor == key {
			return known[i].tunedChoice
		}
	}
	found = c.findTuned(kind, a, key)
	if len(known) == mostTuned {
		known = known[:0]
	}
	c.collectives.tuned = append(known, tuned{key, found})
	return found
}

// tuned is a choice that a communicator remembers. There are few, and each rank has its own, so that they
// are a list.
type tuned struct {
	tunedFor
	tunedChoice
}

// mostTuned is how many choices a communicator remembers.
const mostTuned = 32

// findTuned asks the world. A table that knows no multicast leaves that choice as it is.
func (c *Comm) findTuned(kind algorithm.Operation, a *algorithm.Arguments, key tunedFor) (found tunedChoice) {
	o := &algorithm.Operations[kind]
	var usual *algorithm.Algorithm // whose order of combination is to be kept; nil: any will do
	if !key.exact && !c.job.tuned.Reorders() {
		usual = o.Usual(a, c.Size(), c.Engine.Oversubscribed)
	}
	open := true // nothing by messages was faster so far
	for _, name := range c.job.tuned.Fastest(o.Name, c.Size(), key.bytes) {
		if cast := c.multicastAlgorithm(kind, name); cast != nil {
			if open && found.multicast == nil {
				found.multicast = cast
			}
			found.decides = true
			continue
		}
		if !open {
			continue
		}
		if name == "auto" {
			return tunedChoice{}
		}
		i := slices.IndexFunc(o.Algorithms, func(a *algorithm.Algorithm) bool { return a.Name == name })
		if i < 0 {
			continue
		}
		fastest := o.Algorithms[i]
		if usual != nil && !algorithm.SameBits(fastest, usual) || fastest.Refuse != nil && fastest.Refuse(a, c.Size()) != "" {
			continue
		}
		found.messages, open = fastest, false
	}
	return found
}
