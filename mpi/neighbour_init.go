package mpi

import (
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/neighbour"
	"musubi/mpi/internal/triggered"
	"musubi/units"
)

// Protocol is how a persistent neighbourhood operation moves its data. In all of them the
// receiver of an edge tells the sender that it is ready (RTR), which then sends its data
// (SD) and says so (EOD), straight between the memory of the two programs; they differ in
// who waits for what. The names are those of Hatanaka and others: Prototype
// Implementation and Evaluation of an MPI Persistent Neighborhood Collective Operation
// Using Tofu2 Protocol Offloading Capability (2016).
type Protocol uint8

const (
	// Auto is what is predicted to take the least time, with the command queues that are
	// free and all operations that are prepared so far.
	Auto Protocol = iota
	// PRDMA is without command queues: the processor sees that a receiver is ready, in a
	// call of this package. It works on every machine.
	PRDMA
	// FAST has a command queue for each neighbour, so that no one waits for another one,
	// on as many engines as there are.
	FAST
	// MRC (minimal resource consumption) has one command queue for all neighbours, which
	// sends when all are ready.
	MRC
	// Shared has some command queues, of which some are for more than one neighbour.
	Shared
	// Eager is without command queues, and without waiting for receivers to be ready: Start
	// sends to a place that the receiver has set aside, from where its processor copies the
	// data to where it belongs. It works on every machine, and is meant for processes that
	// share memory. There it takes up to 2 MiB of each for such places, or more if two rounds
	// of data are more.
	Eager
	// Agent has one rank of each host, the lowest, drive command queues for all ranks of the
	// communicator there, so a host needs one queue and not one for each process. The queue sends
	// when all these ranks have started and all their receivers are ready. All ranks of a host
	// choose it, or none of them; else the operation fails with ErrArgument at all of them. It is
	// for neighbourhood operations only. Where the machine has no such queues (rma.HostCommander),
	// it is like PRDMA.
	Agent
)

func (p Protocol) String() string { return neighbour.Protocol(p).String() }

// ExchangeOptions are those of a persistent neighbourhood operation, or of a paired send or
// receive. Each rank may have its own.
type ExchangeOptions struct {
	Protocol Protocol
	// Queues is how many command queues Shared has, an Agent, or at most Auto; 0: as many as are
	// predicted to be best, and one of an Agent. The others do not look at it.
	Queues int
}

func (o ExchangeOptions) inner() neighbour.Options {
	return neighbour.Options{Protocol: neighbour.Protocol(o.Protocol), Queues: o.Queues}
}

// Plan is how a persistent neighbourhood operation, or a paired send or receive, is carried out by
// this rank.
type Plan struct {
	Protocol Protocol   // Auto: it is not planned yet
	Queues   int        // command queues in use
	Engines  []int      // the engine of each
	Time     units.Time // predicted, of an exchange when all ranks are ready; for comparison only
	Reason   string     // why it is so
}

// NeighbourAllGatherInit prepares a NeighbourAllGather. It is local: the first start
// plans it together with all others that are prepared by then and not started, and tells
// neighbours where data goes. From the second start on it goes on without any call
// between Start and Wait, if Plan says that it has command queues.
//
// Errors are as for the other forms, ErrArgument if the options are wrong. Where there
// are too few queues it does with less.
func NeighbourAllGatherInit[T any](t Topology, in []T, out [][]T, options ...ExchangeOptions) (*Persistent, error) {
	return prepareNear(options)(planGather(t, "NeighbourAllGatherInit", in, out))
}

// NeighbourAllToAllInit prepares a NeighbourAllToAll. It is otherwise like
// NeighbourAllGatherInit.
func NeighbourAllToAllInit[T any](t Topology, in, out [][]T, options ...ExchangeOptions) (*Persistent, error) {
	return prepareNear(options)(planNeighbours(neighboursOf(t), "NeighbourAllToAllInit", in, out))
}

// NeighbourAllToAllWInit prepares a NeighbourAllToAllW. It is otherwise like
// NeighbourAllGatherInit. Elements that do not follow each other are packed by Start, and
// unpacked when it is complete.
func NeighbourAllToAllWInit[T any](t Topology, in []T, to []Layout, out []T, from []Layout, options ...ExchangeOptions) (*Persistent, error) {
	return prepareNear(options)(planNearLayouts(t, "NeighbourAllToAllWInit", in, to, out, from))
}

// prepareNear makes a planned operation persistent.
func prepareNear(options []ExchangeOptions) func(*collective.Operation, error) (*Persistent, error) {
	return func(r *collective.Operation, err error) (*Persistent, error) {
		if err != nil {
			return nil, err
		}
		defer r.C.Engine.Enter(r.Call).Leave()
		var o ExchangeOptions
		if len(options) > 0 {
			o = options[0]
		}
		p, err := neighbour.Prepare(r, o.inner())
		return persistentOf(p), err
	}
}

// Plan returns how a persistent neighbourhood operation, or a paired send or receive, is carried
// out, which the first start decides. Of others it returns nothing but a reason.
func (p *Persistent) Plan() Plan {
	if p == nil {
		return Plan{Reason: "there is no operation"}
	}
	if x, ok := neighbour.PlanOf(p.inner()); ok {
		return Plan{Protocol(x.Protocol), x.Queues, x.Engines, x.Time, x.Reason}
	}
	if engines, how, ok := triggered.Plan(p.inner()); ok {
		return Plan{Protocol: FAST, Queues: len(engines), Engines: engines, Reason: how}
	}
	return Plan{Reason: "only neighbourhood operations, and paired sends and receives, are planned"}
}
