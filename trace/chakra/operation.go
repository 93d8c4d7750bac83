package chakra

import (
	"fmt"
	"math"
	"slices"

	"musubi/trace/schedule"
)

// Attributes that are read and written. The last one is ours: a duration that is no whole number of
// microseconds.
const (
	isCPUOp     = "is_cpu_op"
	commType    = "comm_type"
	commSize    = "comm_size"
	commSource  = "comm_src"
	commTarget  = "comm_dst"
	commTag     = "comm_tag"
	groupName   = "pg_name"
	dimensions  = "involved_dim"
	runTime     = "runtime" // of the schemas of 2023, in microseconds
	picoseconds = "musubi_duration_ps"

	thread = "tid" // of the converter of PyTorch's traces
)

// oldOperations are the collective operations of the schemas of 2023 by their numbers.
var oldOperations = []schedule.Operation{schedule.AllReduce, schedule.AllToAll, schedule.AllGather, schedule.ReduceScatter}

// settle makes a node of an old schema one of today's.
func (n *node) settle(form generation) {
	if form == today || form == unknown {
		return
	}
	if a := n.attribute(runTime); a != nil && a.number > 0 {
		n.duration = uint64(a.number)
	}
	if a := n.attribute(commType); a != nil && a.number >= 0 && a.number < int64(len(oldOperations)) {
		a.number = int64(oldOperations[a.number])
	}
}

// operation returns what a node does.
func (r *reader) operation(rank int, n *node) (schedule.Op, error) {
	switch n.kind {
	case sendNode, receiveNode:
		return r.message(rank, n)
	case collectNode:
		if n.isHostPart() {
			return n.calculation()
		}
		return r.collective(n)
	case computeNode, memLoadNode, memStoreNode:
		return n.calculation()
	case 0, metadataNode:
		return schedule.CalcOf(0), nil
	}
	return schedule.Op{}, fmt.Errorf("node %d: type %d; expected 0 to %d", n.id, n.kind, lastKnownNode)
}

// isHostPart reports whether a node is what the host does to start a collective operation of its accelerator, which has a node of its own.
func (n *node) isHostPart() bool {
	a := n.attribute(isCPUOp)
	return a != nil && a.number != 0 && n.attribute(commType) == nil
}

// mostDuration is the longest time of a node, in microseconds: a hundred days.
const mostDuration = 100 * 86400 * 1e6

// accelerator is the cpu of a schedule that stands for the accelerator of a rank: what it computes goes on beside messages.
const accelerator = 1

func (n *node) calculation() (schedule.Op, error) {
	if n.duration > mostDuration {
		return schedule.Op{}, fmt.Errorf("node %d, %s: it takes %d us; expected at most %d", n.id, n.typeName(), n.duration, int64(mostDuration))
	}
	exact, err := n.whole(picoseconds, mostDuration*1e6, int64(n.duration)*1e6)
	if err != nil {
		return schedule.Op{}, err
	}
	op := schedule.CalcOf(exact)
	if a := n.attribute(isCPUOp); n.kind != computeNode && n.kind != collectNode || a == nil || a.number == 0 {
		op.CPU = accelerator
	}
	return op, nil
}

func (r *reader) message(rank int, n *node) (op schedule.Op, err error) {
	op.Kind = schedule.Send
	here, there := commSource, commTarget
	if n.kind == receiveNode {
		op.Kind = schedule.Receive
		here, there = there, here
	}
	if self, err := n.whole(here, math.MaxInt64, int64(rank)); err != nil || self != int64(rank) {
		return op, fmt.Errorf("node %d, %s: %s is %d; expected %d, the rank of the file", n.id, n.typeName(), here, self, rank)
	}
	peer, err := n.whole(there, int64(r.ranks)-1, -1)
	if err != nil {
		return op, err
	}
	tag, err := n.whole(commTag, math.MaxInt32, 0)
	if err != nil {
		return op, err
	}
	size, err := n.whole(commSize, math.MaxInt64, -1)
	op.Peer, op.Tag, op.Size = uint32(peer), uint32(tag), uint64(size)
	return op, err
}

func (r *reader) collective(n *node) (op schedule.Op, err error) {
	op.Kind = schedule.Collective
	kind, err := n.whole(commType, int64(schedule.Barrier), -1)
	if err != nil {
		return op, err
	}
	unsized := int64(-1)
	if schedule.Operation(kind) == schedule.Barrier {
		unsized = 0
	}
	size, err := n.whole(commSize, math.MaxInt64, unsized)
	if err != nil {
		return op, err
	}
	if a := n.attribute(dimensions); a != nil && slices.Contains(a.flags, 0) {
		return op, fmt.Errorf("node %d, %s: %s names some dimensions of a network; expected all, or a group by %s", n.id, n.typeName(), dimensions, groupName)
	}
	name := ""
	if a := n.attribute(groupName); a != nil {
		name = a.text
	}
	group, known := r.groups.find(name)
	if !known {
		return op, fmt.Errorf("node %d, %s: group %q; expected one of a METADATA node or of PREFIX.groups.json", n.id, n.typeName(), name)
	}
	op.Tag, op.Size, op.Peer = uint32(kind), uint64(size), group
	return op, nil
}
