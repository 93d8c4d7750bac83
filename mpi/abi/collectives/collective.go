package collectives

import (
	"sync"

	"musubi/mpi/abi"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
)

// plan is a collective operation of this rank: its arguments as package algorithm has them, and
// where its results go.
type plan struct {
	m     *abi.Comm
	kind  algorithm.Operation
	near  *algorithm.Neighbours // of an operation with neighbours; else nil
	args  algorithm.Arguments
	lands []abi.Landing

	ins, outs [][]byte // room for these of args
	copied    []byte   // data that the program gives at the place of the results
	v         vector
}

// plans are those that are over, with their room: a short operation takes less time than the first look at
// a page of fresh memory.
var plans = sync.Pool{New: func() any { return new(plan) }}

func newPlan(m *abi.Comm, kind algorithm.Operation, args algorithm.Arguments) *plan {
	n := plans.Get().(*plan)
	n.m, n.kind, n.args = m, kind, args
	return n
}

// Release takes back a plan that nobody looks at any more.
func (n *plan) Release() {
	clear(n.lands)
	clear(n.ins)
	clear(n.outs)
	clear(n.v.types)
	*n = plan{lands: n.lands[:0], ins: n.ins[:0], outs: n.outs[:0], copied: n.copied[:0], v: n.v}
	plans.Put(n)
}

// copyOf returns a copy of data at the place of the results, which the plan keeps.
func (n *plan) copyOf(data []byte) []byte {
	n.copied = append(n.copied[:0], data...)
	return n.copied
}

// collectives are the operations, by name: how each reads its words, and how many it has.
var collectives = []struct {
	name  string
	words int
	build func(c *abi.Call) (*plan, error)
}{
	{"barrier", 1, planBarrier},
	{"bcast", 5, planBcast},
	{"gather", 8, func(c *abi.Call) (*plan, error) { return planGather(c) }},
	{"gatherv", 9, planGatherv},
	{"scatter", 8, planScatter},
	{"scatterv", 9, planScatterv},
	{"allgather", 7, planAllgather},
	{"allgatherv", 8, planAllgatherv},
	{"alltoall", 7, planAlltoall},
	{"alltoallv", 9, func(c *abi.Call) (*plan, error) { return planAlltoallv(c, false) }},
	{"alltoallw", 9, func(c *abi.Call) (*plan, error) { return planAlltoallv(c, true) }},
	{"reduce", 7, planReduce},
	{"allreduce", 6, planAllreduce},
	{"reduce_scatter", 6, planReduceScatter},
	{"reduce_scatter_block", 6, planReduceScatterBlock},
	{"scan", 6, func(c *abi.Call) (*plan, error) { return planScan(c, algorithm.Scan) }},
	{"exscan", 6, func(c *abi.Call) (*plan, error) { return planScan(c, algorithm.ExScan) }},
	{"neighbor_allgather", 7, planNearAllgather},
	{"neighbor_allgatherv", 8, planNearAllgatherv},
	{"neighbor_alltoall", 7, planNearAlltoall},
	{"neighbor_alltoallv", 9, func(c *abi.Call) (*plan, error) { return planNearAlltoallv(c, false) }},
	{"neighbor_alltoallw", 9, func(c *abi.Call) (*plan, error) { return planNearAlltoallv(c, true) }},
}

func init() {
	abi.Add(map[string]func(c *abi.Call) error{"MPI_Reduce_local": reduceLocal})
	for _, o := range collectives {
		upper := string(o.name[0]&^0x20) + o.name[1:]
		abi.Add(map[string]func(c *abi.Call) error{
			"MPI_" + upper:           func(c *abi.Call) error { return carryOutPlan(c, o.build) },
			"MPI_I" + o.name:         func(c *abi.Call) error { return startPlan(c, o.build, o.words) },
			"MPI_" + upper + "_init": func(c *abi.Call) error { return preparePlan(c, o.build, o.words) },
		})
	}
}

// carryOutPlan carries out a blocking operation.
func carryOutPlan(c *abi.Call, build func(c *abi.Call) (*plan, error)) error {
	n, err := build(c)
	if err != nil {
		return err
	}
	if n.m.IsInter() {
		err = across(c, n)
	} else {
		err = run(c, n)
	}
	if err != nil {
		return err // others may still look at the data
	}
	n.land(c)
	n.Release()
	return nil
}

// land puts the results where they belong.
func (n *plan) land(c *abi.Call) {
	for i := range n.lands {
		n.lands[i].Put(c.Process, len(n.lands[i].Data))
	}
}

// run carries out a plan among the ranks of one group. Barriers and short operations of ranks that
// share memory have ways of their own.
func run(c *abi.Call, n *plan) error {
	call, a := c.Function.Name, &n.args
	ownWay := n.near == nil && (n.kind == algorithm.Barrier || n.kind == algorithm.Broadcast || n.kind == algorithm.AllReduce)
	if ownWay && n.m.Inner.Checks() {
		if err := n.m.Inner.Compare(call, n.kind, a); err != nil {
			return err
		}
	}
	switch {
	case n.near != nil:
	case n.kind == algorithm.Barrier:
		return n.m.Inner.Barrier(call)
	case n.kind == algorithm.Broadcast:
		return n.m.Inner.Broadcast(call, a.Root, a.Out, a.Element)
	case n.kind == algorithm.AllReduce:
		return n.m.Inner.AllReduce(call, a.In, a.Out, a.Element, a.Op)
	}
	o, err := prepare(c, n)
	if err != nil {
		return err
	}
	return o.Run()
}

// begin starts a plan as a request.
func begin(c *abi.Call, n *plan) (*abi.Request, error) {
	return beginBy(c, n, func(o *collective.Operation) (*core.Request, error) {
		if err := o.Agree(); err != nil {
			return nil, err
		}
		return o.Begin(), nil
	})
}

func beginBy(c *abi.Call, n *plan, start func(o *collective.Operation) (*core.Request, error)) (*abi.Request, error) {
	r := c.NewRequest(n.m)
	if n.m.IsInter() {
		if err := across(c, n); err != nil {
			return nil, err
		}
		n.land(c)
		n.Release()
		r.Done, r.Status = true, abi.EmptyStatus
		return r, nil
	}
	r.Lands, r.Args = append(r.Lands, n.lands...), n
	o, err := prepare(c, n)
	if err != nil {
		return nil, err
	}
	r.Core, err = start(o)
	return r, err
}

func startPlan(c *abi.Call, build func(c *abi.Call) (*plan, error), request int) error {
	n, err := build(c)
	if err != nil {
		return err
	}
	r, err := begin(c, n)
	if err != nil {
		return err
	}
	c.PutWord(c.Words[request], c.Requests.Add(r))
	return nil
}

// preparePlan makes a persistent operation: each start plans it again, of the data that is there then, and of all else as it was
// now. It has a tag of its own, so ranks may start several in any order.
func preparePlan(c *abi.Call, build func(c *abi.Call) (*plan, error), info int) error {
	c.Kept = abi.NewKept()
	n, err := build(c)
	if err != nil {
		return err
	}
	tag := int32(0)
	if !n.m.IsInter() {
		if err := agree(c, n); err != nil {
			return err
		}
		tag = n.m.Inner.PersistentTag()
	}
	words, function, large, kept := append([]int64(nil), c.Words[:info]...), c.Function, c.Large, c.Kept
	c.PutWord(c.Words[info+1], c.Persistent(n.m, func(c *abi.Call) (*abi.Request, error) {
		again := abi.Call{Process: c.Process, Function: function, Words: words, Large: large, Lists: c.Lists, Kept: kept}
		n, err := build(&again)
		if err != nil {
			return nil, err
		}
		return beginBy(&again, n, func(o *collective.Operation) (*core.Request, error) { return o.BeginAs(tag), nil })
	}))
	return nil
}

// agree fails if ranks prepare different operations, and the program has asked for that.
func agree(c *abi.Call, n *plan) error {
	o, err := prepare(c, n)
	if err != nil {
		return err
	}
	if err := o.Agree(); err != nil {
		return err
	}
	o.Recycle()
	return nil
}

func planBarrier(c *abi.Call) (*plan, error) {
	m, err := c.Comm(0)
	return newPlan(m, algorithm.Barrier, algorithm.Arguments{}), err
}

// Operations with neighbours.
