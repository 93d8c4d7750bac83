package mpi

import (
	"slices"
	"strings"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
)

// Operations lists the collective operations by the names that SetAlgorithm knows
// them by.
func Operations() []string {
	var names []string
	for i := range algorithm.Operations {
		names = append(names, algorithm.Operations[i].Name)
	}
	return names
}

// Algorithms lists the algorithms for a collective operation that all machines have. It
// fails with ErrOp if there is no such operation. See also Offload, Chain and Hierarchical.
func Algorithms(operation string) ([]string, error) {
	o, err := (*Comm)(nil).operation("Algorithms", operation)
	if err != nil {
		return nil, err
	}
	return algorithm.Operations[o].Names(), nil
}

// casts returns an algorithm that needs a network with multicast in its manner, nil if there
// is none of that name, or no such network.
func (c *Comm) casts(o algorithm.Operation, name string) *algorithm.Algorithm {
	for _, a := range algorithm.Operations[o].ByMulticast {
		if a.Name == name && c.e.multicaster != nil && c.e.multicaster.Multicasts(a.Manner) {
			return a
		}
	}
	return nil
}

// operation finds an operation by its name.
func (c *Comm) operation(call, name string) (algorithm.Operation, error) {
	if o, known := algorithm.Find(name); known {
		return o, nil
	}
	return 0, c.failf(fault.Op, call, "unknown operation %q; known: %s", name, strings.Join(Operations(), ", "))
}

// SetAlgorithm lets an operation be done by a certain algorithm from now on, or by
// the usual choice again if that is "auto". Communicators that are made of this one
// inherit it. All ranks have to choose alike.
//
// Some algorithms need a power of two ranks or a commutative operation: without, the
// operation itself fails with ErrOp. SetAlgorithm does if it does not know the names.
func (c *Comm) SetAlgorithm(operation, algorithm string) error {
	return c.force("SetAlgorithm", operation, algorithm)
}

// force lets an operation be done by an algorithm from now on.
func (c *Comm) force(call, name, by string) error {
	if err := c.check(call); err != nil {
		return err
	}
	o, err := c.operation(call, name)
	if err != nil {
		return err
	}
	info, forced := &algorithm.Operations[o], &c.collectives.forced[o]
	i := slices.Index(info.Names(), by)
	switch {
	case by == "auto":
		*forced = nil
	case by == Offload && info.Offload != nil:
		if c.e.collector == nil {
			return c.failf(fault.Op, call, "algorithm %s for %s, on a machine whose interfaces do none", by, name)
		}
		*forced = info.Offload
	case i < 0 && c.casts(o, by) != nil:
		*forced = c.casts(o, by)
	case i < 0:
		return c.failf(fault.Op, call, "unknown algorithm %q for %s; known: auto, %s", by, name, strings.Join(info.Names(), ", "))
	default:
		*forced = info.Algorithms[i]
	}
	return nil
}

// algorithm returns the one that an operation is to be done by. It depends on what
// is the same at all ranks only.
func (c *Comm) algorithm(call string, kind algorithm.Operation, a *algorithm.Arguments) (*algorithm.Algorithm, error) {
	o, forced := &algorithm.Operations[kind], c.collectives.forced[kind]
	switch {
	case forced != nil:
	case c.offloads(kind, a):
		return o.Offload, nil
	default:
		return c.usual(kind, a), nil
	}
	if forced.Refuse != nil {
		if problem := forced.Refuse(a, c.Size()); problem != "" {
			return nil, c.failf(fault.Op, call, "algorithm %s with %s", forced.Name, problem)
		}
	}
	return forced, nil
}

// usual returns the usual choice, where interfaces do not do the whole operation.
func (c *Comm) usual(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	if cast := c.multicastsNow(kind, a); cast != nil {
		return cast
	}
	return algorithm.Operations[kind].Usual(a, c.Size(), c.e.oversubscribed)
}
