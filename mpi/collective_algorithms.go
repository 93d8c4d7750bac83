package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
)

// Operations lists the names of the collective operations, for SetAlgorithm.
func Operations() []string { return algorithm.Names() }

// Algorithms lists the algorithms for a collective operation that all machines have. It
// fails with ErrOp if there is no such operation. See also Offload, Chain and Hierarchical.
func Algorithms(operation string) ([]string, error) {
	o, err := collective.NoComm.Operation("Algorithms", operation)
	if err != nil {
		return nil, err
	}
	return algorithm.Operations[o].Names(), nil
}

// AlgorithmsFor lists those of Algorithms that a number of ranks can use. Some of them may still
// need an operation that is commutative.
func AlgorithmsFor(operation string, ranks int) ([]string, error) {
	o, err := collective.NoComm.Operation("AlgorithmsFor", operation)
	if err != nil {
		return nil, err
	}
	return algorithm.Operations[o].NamesFor(ranks), nil
}

// Sent returns how many messages the ranks of a communicator send all together in a collective
// operation on some bytes of each rank, or for each where it has parts for all, and how many bytes.
// It is exact for up to 17 ranks and an estimate for more. The algorithm is one of Algorithms;
// for any other, such as "auto", it is the usual one by messages. It fails with ErrOp if there is no
// such operation.
func Sent(operation, algorithm string, ranks, root, bytes int) (messages, sent int64, err error) {
	o, err := collective.NoComm.Operation("Sent", operation)
	if err != nil {
		return 0, 0, err
	}
	messages, sent = o.Sent(algorithm, ranks, root, bytes)
	return messages, sent, nil
}

// SetAlgorithm sets the algorithm of an operation; "auto" is the default, by which the
// package chooses. Communicators that are made of this one inherit the algorithm. All ranks
// have to set the same.
//
// It fails with ErrOp if there is no such operation or algorithm. Some algorithms need a
// power of two ranks or a commutative operation: without, the operation itself fails with
// ErrOp.
func (c *Comm) SetAlgorithm(operation, algorithm string) error {
	return c.inner().Force("SetAlgorithm", operation, algorithm)
}

// Chosen returns the name of the algorithm of the last collective operation that this rank has begun on
// the communicator, be it forced or chosen by the package: "notes" if its short data went by a shared barrier,
// "" if there was none.
func (c *Comm) Chosen() string { return c.inner().Chosen() }

// Algorithms of Barrier and Broadcast by multicast: the sender sends once for all ranks. They
// exist on machines whose processes are an rma.Multicaster, and are the default there from
// the second such operation of a communicator on, and for persistent ones. A communicator of
// one rank uses messages.
const (
	// Chain: each interface stores the data and sends it on to the next rank.
	Chain = "chain"
	// Hierarchical: switches copy the data.
	Hierarchical = "hierarchical"
)

// Offload is an algorithm of Barrier, and of AllReduce of one integer of 8 bytes by Sum, Min,
// Max, And, Or or Xor: the interfaces carry it out. It exists on machines whose processes are
// an rma.Collector, and is the default there from the second such operation of a communicator
// on, as long as the interfaces have room for the communicator. A communicator of one rank,
// and persistent operations, use messages.
const Offload = "offload"
