package collective

import (
	"slices"
	"strings"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
)

// multicastAlgorithm returns the multicast algorithm of an operation with a name, nil if there is
// none or the network does not have its method.
func (c *Comm) multicastAlgorithm(o algorithm.Operation, name string) *algorithm.Algorithm {
	for _, a := range algorithm.Operations[o].ByMulticast {
		if a.Name == name && c.job.multicaster != nil && c.job.multicaster.Multicasts(a.Method) {
			return a
		}
	}
	return nil
}

// Operation finds an operation by its name.
func (c *Comm) Operation(call, name string) (algorithm.Operation, error) {
	if o, known := algorithm.Find(name); known {
		return o, nil
	}
	return 0, c.Failf(fault.Op, call, "unknown operation %q; known: %s", name, strings.Join(algorithm.Names(), ", "))
}

// Force sets the algorithm of an operation, or lets it be chosen again if that is "auto".
func (c *Comm) Force(call, name, by string) error {
	if err := c.Check(call); err != nil {
		return err
	}
	o, err := c.Operation(call, name)
	if err != nil {
		return err
	}
	info, forced := &algorithm.Operations[o], &c.collectives.forced[o]
	i := slices.IndexFunc(info.Algorithms, func(a *algorithm.Algorithm) bool { return a.Name == by })
	switch {
	case by == "auto":
		*forced = nil
	case by == algorithm.Offload && info.Offload != nil:
		if c.job.collector == nil {
			return c.Failf(fault.Op, call, "algorithm %s for %s, on a machine whose interfaces do none", by, name)
		}
		*forced = info.Offload
	case i < 0 && c.multicastAlgorithm(o, by) != nil:
		*forced = c.multicastAlgorithm(o, by)
	case i < 0:
		return c.Failf(fault.Op, call, "unknown algorithm %q for %s; known: auto, %s", by, name, strings.Join(info.Names(), ", "))
	default:
		*forced = info.Algorithms[i]
	}
	return nil
}

// Chosen returns the name of the algorithm of the last operation that this rank has begun, "" if there was none.
func (c *Comm) Chosen() string {
	if c.collectives.chosen == nil {
		return ""
	}
	return c.collectives.chosen.Name
}

// algorithm returns the algorithm for an operation. The choice may only depend on what is the same
// at all ranks, unless each rank may choose (algorithm.Info.EachChooses).
func (c *Comm) algorithm(call string, kind algorithm.Operation, a *algorithm.Arguments) (*algorithm.Algorithm, error) {
	o, forced := &algorithm.Operations[kind], c.collectives.forced[kind]
	switch {
	case forced != nil:
	case c.offloads(kind, a):
		return o.Offload, nil
	default:
		return c.defaultAlgorithm(kind, a), nil
	}
	if forced.Refuse != nil {
		if problem := forced.Refuse(a, c.Size()); problem != "" {
			return nil, c.Failf(fault.Op, call, "algorithm %s with %s", forced.Name, problem)
		}
	}
	return forced, nil
}

// defaultAlgorithm chooses an algorithm by multicast or by messages.
func (c *Comm) defaultAlgorithm(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	if cast := c.multicastsNow(kind, a); cast != nil {
		return cast
	}
	if tuned := c.tuned(kind, a); tuned.messages != nil {
		return tuned.messages
	}
	return algorithm.Operations[kind].Usual(a, c.Size(), c.Engine.Oversubscribed)
}
