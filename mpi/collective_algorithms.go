package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
)

// Operations lists the collective operations by the names that SetAlgorithm knows
// them by.
func Operations() []string { return algorithm.Names() }

// Algorithms lists the algorithms for a collective operation that all machines have. It
// fails with ErrOp if there is no such operation. See also Offload, Chain and Hierarchical.
func Algorithms(operation string) ([]string, error) {
	o, err := collective.Nobody.Operation("Algorithms", operation)
	if err != nil {
		return nil, err
	}
	return algorithm.Operations[o].Names(), nil
}

// SetAlgorithm lets an operation be done by a certain algorithm from now on, or by
// the usual choice again if that is "auto". Communicators that are made of this one
// inherit it. All ranks have to choose alike.
//
// Some algorithms need a power of two ranks or a commutative operation: without, the
// operation itself fails with ErrOp. SetAlgorithm does if it does not know the names.
func (c *Comm) SetAlgorithm(operation, algorithm string) error {
	return c.inner().Force("SetAlgorithm", operation, algorithm)
}

// Algorithms of Barrier and Broadcast by multicast: what is for all ranks leaves once. They
// are on machines whose processes are an rma.Multicaster, and are the usual choice there from
// the second such operation of a communicator on, and for persistent ones. Those of a
// communicator of one rank are done by messages.
const (
	// Chain: each interface stores the data and sends it on to the next rank.
	Chain = "chain"
	// Hierarchical: switches copy it.
	Hierarchical = "hierarchical"
)

// Offload is an algorithm of Barrier and of AllReduce of one integer of 8 bytes by Sum,
// Min, Max, And, Or or Xor: the interfaces do it, by themselves. It is on machines of which
// all processes are an rma.Collector, and is the usual choice there from the second such
// operation of a communicator on, as long as the interfaces have room for its ranks. That
// of a communicator of one rank, and persistent operations, are done by messages.
const Offload = "offload"
