package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Intercomm is two groups of ranks that have none in common. Messages go from a rank of one to a rank of the
// other, and in its operations the ranks of a group give to those of the other one, and get from them.
type Intercomm struct {
	groups *collective.Intercomm
	remote *Comm
}

// ThisRank is the root of an operation between groups at the root itself. The other ranks of its group give
// None, and the ranks of the other group its rank.
const ThisRank = collective.ThisRank

// NewIntercomm makes an intercommunicator of the ranks of a communicator and those of another one, which call
// it with theirs. One rank of each is its leader; the leaders have a communicator in common, peer, in which
// each knows the rank of the other one, and give the same tag. The other ranks may give nil, 0 and 0 for these.
//
// It fails with ErrRank if a leader does not exist, with ErrTag, and with ErrGroup, at all ranks, if the groups
// have a rank in common.
func NewIntercomm(c *Comm, leader int, peer *Comm, remoteLeader, tag int) (*Intercomm, error) {
	const call = "NewIntercomm"
	defer c.enter(call).Leave()
	own, between := c.inner(), collective.NoComm
	if err := own.CheckTo(call, leader, 0); err != nil {
		return nil, err
	}
	if leader == None {
		return nil, own.Failf(fault.Rank, call, "no leader; expected 0 to %d", c.Size()-1)
	}
	if c.Rank() == leader {
		if between = peer.inner(); peer == nil || remoteLeader == None {
			return nil, own.Failf(fault.Comm, call, "a leader without a communicator with the other leader")
		}
		if err := between.CheckTo(call, remoteLeader, tag); err != nil {
			return nil, err
		}
	}
	own = c.inner() // whose limit it waits within
	made, bridge, remote, err := own.Bridge(call, leader, between, remoteLeader, tag)
	if err != nil {
		return nil, err
	}
	groups := &collective.Intercomm{Own: made, Bridge: bridge, Remote: remote}
	return &Intercomm{groups, &Comm{comm: groups.Messages()}}, nil
}

// Rank returns the number of this process in its own group.
func (x *Intercomm) Rank() int { return x.groups.Own.Rank() }

// Size returns the number of processes in the group of this rank.
func (x *Intercomm) Size() int { return x.groups.Own.Size() }

// RemoteSize returns the number of processes in the other group.
func (x *Intercomm) RemoteSize() int { return len(x.groups.Remote) }

// Group returns the group of this rank.
func (x *Intercomm) Group() Group { return (&Comm{comm: x.groups.Own}).Group() }

// RemoteGroup returns the other group.
func (x *Intercomm) RemoteGroup() Group { return x.remote.Group() }

// Remote returns a communicator whose ranks are those of the other group, for messages to them and from them:
// Send, Receive, Probe and their like. Its Rank is that of this process in its own group. It has no collective
// operations; those of both groups are functions of this type, such as AllGatherAcross.
func (x *Intercomm) Remote() *Comm { return x.remote }

// Merge makes a communicator of both groups. Ranks of a group that says high come behind those of the other one;
// if both say the same, the group with the lower first process comes first. All ranks of a group say the same.
func (x *Intercomm) Merge(high bool) (*Comm, error) {
	const call = "Merge"
	defer x.enter(call).Leave()
	if err := x.check(call); err != nil {
		return nil, err
	}
	return commOf(x.groups.Merge(call, high))
}

// Free ends the use of the intercommunicator. All ranks of both groups call it; see Comm.Free.
func (x *Intercomm) Free() error {
	defer x.enter("Free").Leave()
	if err := x.check("Free"); err != nil {
		return err
	}
	return x.groups.Free("Free")
}

// Barrier returns when all ranks of the other group have called it.
func (x *Intercomm) Barrier() error {
	return x.run("Barrier", algorithm.Barrier, &algorithm.Arguments{})
}

// BroadcastAcross copies the root's data to the data of all ranks of the other group.
func BroadcastAcross[T any](x *Intercomm, root int, data []T) error {
	return across(x, "BroadcastAcross", algorithm.Broadcast, root, nil, data, nil)
}

// GatherAcross collects at the root the elements of all ranks of the other group, as many of each.
func GatherAcross[T any](x *Intercomm, root int, in, out []T) error {
	return across(x, "GatherAcross", algorithm.Gather, root, in, out, nil)
}

// ScatterAcross gives each rank of the other group a part of the root's elements.
func ScatterAcross[T any](x *Intercomm, root int, in, out []T) error {
	return across(x, "ScatterAcross", algorithm.Scatter, root, in, out, nil)
}

// ReduceAcross combines the elements of all ranks of the other group at the root.
func ReduceAcross[T any](x *Intercomm, root int, in, out []T, op Op[T]) error {
	return across(x, "ReduceAcross", algorithm.Reduce, root, in, out, &op)
}

// AllGatherAcross collects the elements of all ranks of the other group at each rank. The groups may give
// different numbers of elements.
func AllGatherAcross[T any](x *Intercomm, in, out []T) error {
	return across(x, "AllGatherAcross", algorithm.AllGather, 0, in, out, nil)
}

// AllReduceAcross combines the elements of all ranks of the other group at each rank. Both groups give as many.
func AllReduceAcross[T any](x *Intercomm, in, out []T, op Op[T]) error {
	return across(x, "AllReduceAcross", algorithm.AllReduce, 0, in, out, &op)
}

// AllToAllAcross sends a part of each rank's elements to each rank of the other group.
func AllToAllAcross[T any](x *Intercomm, in, out []T) error {
	return across(x, "AllToAllAcross", algorithm.AllToAll, 0, in, out, nil)
}

// across carries out an operation between groups on elements.
func across[T any](x *Intercomm, call string, kind algorithm.Operation, root int, in, out []T, op *Op[T]) error {
	a := algorithm.Arguments{Root: root, In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[T]()}
	if x == nil {
		return x.check(call)
	}
	if err := checkElement[T](); err != nil {
		return x.groups.Own.Fail(fault.Type, call, err)
	}
	if op != nil {
		if err := op.check(x.remote.inner(), call); err != nil {
			return err
		}
		a.Op = op.onMemory()
	}
	return x.run(call, kind, &a)
}

// run carries out an operation whose elements have been checked.
func (x *Intercomm) run(call string, kind algorithm.Operation, a *algorithm.Arguments) error {
	defer x.enter(call).Leave()
	if err := x.check(call); err != nil {
		return err
	}
	if err := x.checkLengths(call, kind, a); err != nil {
		return err
	}
	if a.Root == None {
		a.Root = collective.NoRank
	}
	return x.groups.Run(call, kind, a)
}

// checkLengths fails if the root or the lengths at this rank are wrong by themselves.
func (x *Intercomm) checkLengths(call string, kind algorithm.Operation, a *algorithm.Arguments) error {
	own, peers := x.groups.Own, x.RemoteSize()
	if a.Root != ThisRank && a.Root != None && (a.Root < 0 || a.Root >= peers) {
		return own.Failf(fault.Root, call, "root %d; expected 0 to %d, ThisRank, or None", a.Root, peers-1)
	}
	parts := [][]byte{}
	switch kind {
	case algorithm.AllGather:
		parts = append(parts, a.Out)
	case algorithm.AllToAll:
		parts = append(parts, a.In, a.Out)
	case algorithm.AllReduce:
		if len(a.In) != len(a.Out) {
			return own.Failf(fault.Count, call, "%d elements in and %d out; expected as many", len(a.In)/a.Element, len(a.Out)/a.Element)
		}
	case algorithm.Gather:
		if a.Root == ThisRank {
			parts = append(parts, a.Out)
		}
	case algorithm.Scatter:
		if a.Root == ThisRank {
			parts = append(parts, a.In)
		}
	}
	for _, part := range parts {
		if n := len(part) / a.Element; n%peers != 0 {
			return own.Failf(fault.Count, call, "%d elements for %d ranks of the other group; expected as many for each", n, peers)
		}
	}
	return nil
}

func (x *Intercomm) check(call string) error {
	if x == nil {
		return collective.NoComm.Check(call)
	}
	return x.groups.Own.Check(call)
}

func (x *Intercomm) enter(call string) core.Call {
	if x == nil {
		return core.Call{}
	}
	return x.remote.enter(call)
}
