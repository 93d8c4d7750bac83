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
}

// tunedAlgorithm returns the algorithm by messages that measurements say is the fastest; nil if they
// say nothing, or that the usual choice is. All ranks find the same.
func (c *Comm) tunedAlgorithm(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	if c.job.tuned == nil || c.Size() == 1 {
		return nil
	}
	bytes, alike := a.Bytes(kind, c.Size())
	if !alike {
		return nil
	}
	key := tunedFor{kind, bytes, a.Op.Apply == nil || a.Op.Commutative}
	found, known := c.collectives.tuned[key]
	if !known {
		found = c.findTuned(kind, a, bytes)
		if c.collectives.tuned == nil || len(c.collectives.tuned) >= mostTuned {
			c.collectives.tuned = map[tunedFor]*algorithm.Algorithm{}
		}
		c.collectives.tuned[key] = found
	}
	return found
}

// mostTuned is how many choices a communicator remembers.
const mostTuned = 64

// findTuned asks the world.
func (c *Comm) findTuned(kind algorithm.Operation, a *algorithm.Arguments, bytes int) *algorithm.Algorithm {
	o := &algorithm.Operations[kind]
	for _, name := range c.job.tuned.Fastest(o.Name, c.Size(), bytes) {
		if name == "auto" {
			return nil
		}
		i := slices.IndexFunc(o.Algorithms, func(a *algorithm.Algorithm) bool { return a.Name == name })
		if i < 0 {
			continue
		}
		if found := o.Algorithms[i]; found.Refuse == nil || found.Refuse(a, c.Size()) == "" {
			return found
		}
	}
	return nil
}
