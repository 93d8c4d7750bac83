package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/reduction"
)

// plan is a collective operation of this rank: its arguments as package algorithm has them, and
// where its results go.
type plan struct {
	m     *abi.Comm
	kind  algorithm.Operation
	near  *algorithm.Neighbours // of an operation with neighbours; else nil
	args  algorithm.Arguments
	lands []abi.Landing
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
		return across(c, n)
	}
	if err := run(c, n); err != nil {
		return err
	}
	for i := range n.lands {
		n.lands[i].Put(c.Process, len(n.lands[i].Data))
	}
	return nil
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
		r.Done, r.Status = true, abi.EmptyStatus
		return r, nil
	}
	r.Lands = append(r.Lands, n.lands...)
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

// preparePlan makes a persistent operation: each start reads the words again, as their arrays stay
// until it is freed. It has a tag of its own, so ranks may start several in any order.
func preparePlan(c *abi.Call, build func(c *abi.Call) (*plan, error), info int) error {
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
	words, function, large := append([]int64(nil), c.Words[:info]...), c.Function, c.Large
	c.PutWord(c.Words[info+1], c.Persistent(n.m, func(c *abi.Call) (*abi.Request, error) {
		again := abi.Call{Process: c.Process, Function: function, Words: words, Large: large}
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

// root reads a root.
func root(c *abi.Call, m *abi.Comm, i int) (int, error) {
	root := c.At(i)
	if m.IsInter() {
		if root == standard.Root || root == standard.ProcNull || root >= 0 && root < len(m.Remote) {
			return root, nil
		}
	} else if root >= 0 && root < m.Inner.Size() {
		return root, nil
	}
	return 0, abi.Wrong(standard.ErrRoot, "root %d; there are ranks 0 to %d", root, m.Peers()-1)
}

func isRootOf(m *abi.Comm, root int) bool {
	if m.IsInter() {
		return root == standard.Root
	}
	return m.Inner.Rank() == root
}

// sends reports whether a rank gives data in an operation with a root that takes it.
func gives(m *abi.Comm, root int) bool { return !m.IsInter() || root >= 0 }

func planBarrier(c *abi.Call) (*plan, error) {
	m, err := c.Comm(0)
	return &plan{m: m, kind: algorithm.Barrier}, err
}

func planBcast(c *abi.Call) (*plan, error) {
	m, err := c.Comm(4)
	if err != nil {
		return nil, err
	}
	root, err := root(c, m, 3)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Broadcast, args: algorithm.Arguments{Root: root, Element: 1}}
	if m.IsInter() && root == standard.ProcNull {
		return n, nil
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return nil, err
	}
	if isRootOf(m, root) {
		n.args.Out = c.Outgoing(c.Words[0], count, t)
		return n, nil
	}
	n.args.Out = lands(c, n, c.Words[0], count, t)
	return n, nil
}

// lands adds a place for results to a plan, and returns its memory.
func lands(c *abi.Call, n *plan, at int64, count int, t *abi.Datatype) []byte {
	l := c.Landing(at, count, t)
	n.lands = append(n.lands, l)
	return l.Data
}

// parts returns the packed data of parts of an array, each of some elements at a displacement. unit
// is the bytes that displacements count.
func partsOut(c *abi.Call, at int64, counts, displacements []int, types []*abi.Datatype) [][]byte {
	all := make([][]byte, len(counts))
	for i, n := range counts {
		all[i] = c.Outgoing(at+int64(displacements[i]), n, types[i])
	}
	return all
}

func partsIn(c *abi.Call, n *plan, at int64, counts, displacements []int, types []*abi.Datatype) [][]byte {
	all := make([][]byte, len(counts))
	for i, k := range counts {
		all[i] = lands(c, n, at+int64(displacements[i]), k, types[i])
	}
	return all
}

// vector reads counts, displacements in elements and the type of them for a number of ranks.
func vector(c *abi.Call, counts, displacements, of, n int) ([]int, []int, []*abi.Datatype, error) {
	t, err := c.Datatype(of)
	if err != nil {
		return nil, nil, nil, err
	}
	list, at := c.Ints(c.Words[counts], n, c.Large), c.Ints(c.Words[displacements], n, c.Large)
	types := make([]*abi.Datatype, n)
	for i := range at {
		if err := abi.CheckData(list[i], t); err != nil {
			return nil, nil, nil, err
		}
		at[i] *= t.Extent()
		types[i] = t
	}
	return list, at, types, nil
}

// regular is counts, displacements and types of as many elements for each rank.
func regular(count int, t *abi.Datatype, n int) (counts, at []int, types []*abi.Datatype) {
	for i := range n {
		counts, at, types = append(counts, count), append(at, i*count*t.Extent()), append(types, t)
	}
	return counts, at, types
}

func planGather(c *abi.Call) (*plan, error) {
	m, err := c.Comm(7)
	if err != nil {
		return nil, err
	}
	root, err := root(c, m, 6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Gather, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		count, t, err := c.Counted(4)
		if err != nil {
			return nil, err
		}
		own = count * t.Extent()
		n.args.Out = lands(c, n, c.Words[3], count*m.Peers(), t)
		if c.Words[0] == standard.InPlace && !m.IsInter() {
			part := len(n.args.Out) / m.Peers()
			copy(n.args.Out[root*part:][:part], c.Outgoing(c.Words[3]+int64(root*count*t.Extent()), count, t))
			n.args.In = n.args.Out[root*part:][:part]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count, t)
	if isRoot && !m.IsInter() {
		err = distinctAt(c, 0, c.Words[3]+int64(root*own), len(n.args.In))
	}
	return n, err
}

func planGatherv(c *abi.Call) (*plan, error) {
	m, err := c.Comm(8)
	if err != nil {
		return nil, err
	}
	root, err := root(c, m, 7)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.GatherV, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		counts, at, types, err := vector(c, 4, 5, 6, m.Peers())
		if err != nil {
			return nil, err
		}
		own = ownAt(m, at)
		n.args.Outs = partsIn(c, n, c.Words[3], counts, at, types)
		if c.Words[0] == standard.InPlace && !m.IsInter() {
			copy(n.args.Outs[root], c.Outgoing(c.Words[3]+int64(at[root]), counts[root], types[root]))
			n.args.In = n.args.Outs[root]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count, t)
	if isRoot && !m.IsInter() {
		err = distinctAt(c, 0, c.Words[3]+int64(own), len(n.args.In))
	}
	return n, err
}

func planScatter(c *abi.Call) (*plan, error) {
	m, err := c.Comm(7)
	if err != nil {
		return nil, err
	}
	root, err := root(c, m, 6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Scatter, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		count, t, err := c.Counted(1)
		if err != nil {
			return nil, err
		}
		own = count * t.Extent()
		n.args.In = c.Outgoing(c.Words[0], count*m.Peers(), t)
		if c.Words[3] == standard.InPlace && !m.IsInter() {
			part := len(n.args.In) / m.Peers()
			n.args.Out = n.args.In[root*part:][:part]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	n.args.Out = lands(c, n, c.Words[3], count, t)
	if isRoot && !m.IsInter() {
		err = distinctAt(c, 3, c.Words[0]+int64(root*own), len(n.args.Out))
	}
	return n, err
}

func planScatterv(c *abi.Call) (*plan, error) {
	m, err := c.Comm(8)
	if err != nil {
		return nil, err
	}
	root, err := root(c, m, 7)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.ScatterV, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		counts, at, types, err := vector(c, 1, 2, 3, m.Peers())
		if err != nil {
			return nil, err
		}
		own = ownAt(m, at)
		n.args.Ins = partsOut(c, c.Words[0], counts, at, types)
		if c.Words[4] == standard.InPlace && !m.IsInter() {
			n.args.Out = n.args.Ins[root]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.Counted(5)
	if err != nil {
		return nil, err
	}
	n.args.Out = lands(c, n, c.Words[4], count, t)
	if isRoot && !m.IsInter() {
		err = distinctAt(c, 4, c.Words[0]+int64(own), len(n.args.Out))
	}
	return n, err
}

func planAllgather(c *abi.Call) (*plan, error) {
	m, err := c.Comm(6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllGather, args: algorithm.Arguments{Element: 1}}
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	out := lands(c, n, c.Words[3], count*m.Peers(), t)
	n.args.Out = out
	own := c.Words[3] + int64(m.Inner.Rank()*count*t.Extent())
	if c.Words[0] == standard.InPlace && !m.IsInter() {
		part := len(out) / m.Inner.Size()
		n.args.In = out[m.Inner.Rank()*part:][:part]
		copy(n.args.In, c.Outgoing(own, count, t))
		return n, nil
	}
	if count, t, err = c.Counted(1); err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count, t)
	if m.IsInter() {
		return n, nil
	}
	return n, distinctAt(c, 0, own, len(n.args.In))
}

// ownAt returns the displacement of this rank's part, in bytes; 0 in an intercommunicator.
func ownAt(m *abi.Comm, displacements []int) int {
	if m.IsInter() {
		return 0
	}
	return displacements[m.Inner.Rank()]
}

func planAllgatherv(c *abi.Call) (*plan, error) {
	m, err := c.Comm(7)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllGatherV, args: algorithm.Arguments{Element: 1}}
	counts, at, types, err := vector(c, 4, 5, 6, m.Peers())
	if err != nil {
		return nil, err
	}
	n.args.Outs = partsIn(c, n, c.Words[3], counts, at, types)
	if c.Words[0] == standard.InPlace && !m.IsInter() {
		own := m.Inner.Rank()
		copy(n.args.Outs[own], c.Outgoing(c.Words[3]+int64(at[own]), counts[own], types[own]))
		n.args.In = n.args.Outs[own]
		return n, nil
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count, t)
	if m.IsInter() {
		return n, nil
	}
	return n, distinctAt(c, 0, c.Words[3]+int64(ownAt(m, at)), len(n.args.In))
}

func planAlltoall(c *abi.Call) (*plan, error) {
	m, err := c.Comm(6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllToAll, args: algorithm.Arguments{Element: 1}}
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	n.args.Out = lands(c, n, c.Words[3], count*m.Peers(), t)
	if c.Words[0] == standard.InPlace && !m.IsInter() {
		n.args.In = append([]byte(nil), c.Outgoing(c.Words[3], count*m.Peers(), t)...)
		return n, nil
	}
	if count, t, err = c.Counted(1); err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count*m.Peers(), t)
	return n, distinct(c, 0, 3, len(n.args.In))
}

// eachOf reads counts, displacements in bytes and types for a number of ranks.
func eachOf(c *abi.Call, counts, displacements, types, n int) ([]int, []int, []*abi.Datatype, error) {
	list, at := c.Ints(c.Words[counts], n, c.Large), c.Ints(c.Words[displacements], n, c.Large)
	of := make([]*abi.Datatype, n)
	for i, h := range c.Ints(c.Words[types], n, true) {
		t := c.TypeAt(int64(h))
		if t == nil {
			if list[i] == 0 {
				t = c.TypeAt(standard.Byte)
			} else {
				return nil, nil, nil, abi.Wrong(standard.ErrType, "%#x is no datatype", h)
			}
		}
		if of[i] = t; list[i] < 0 {
			return nil, nil, nil, abi.Wrong(standard.ErrCount, "%d elements; expected at least 0", list[i])
		}
	}
	return list, at, of, nil
}

func planAlltoallv(c *abi.Call, each bool) (*plan, error) {
	m, err := c.Comm(8)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllToAllV, args: algorithm.Arguments{Element: 1}}
	if err := vectorsOf(c, n, each, m.Peers(), m.Peers()); err != nil || m.IsInter() {
		return n, err
	}
	return n, distinct(c, 0, 4, len(n.args.Ins[m.Inner.Rank()]))
}

// vectorsOf reads the data that goes to some ranks and comes from others.
func vectorsOf(c *abi.Call, n *plan, each bool, to, from int) error {
	read := vector
	if each {
		read = eachOf
	}
	counts, at, types, err := read(c, 5, 6, 7, from)
	if err != nil {
		return err
	}
	n.args.Outs = partsIn(c, n, c.Words[4], counts, at, types)
	if c.Words[0] == standard.InPlace && !n.m.IsInter() {
		n.args.Ins = partsOut(c, c.Words[4], counts, at, types)
		for i := range n.args.Ins {
			n.args.Ins[i] = append([]byte(nil), n.args.Ins[i]...)
		}
		return nil
	}
	if counts, at, types, err = read(c, 1, 2, 3, to); err == nil {
		n.args.Ins = partsOut(c, c.Words[0], counts, at, types)
	}
	return err
}

// operands are the elements of a reduction: those of the program's own operations as they lie in
// memory, gaps included.
type operands struct {
	op     reduction.Op
	bytes  int
	spread bool
	of     *abi.Datatype
}

func operandsOf(c *abi.Call, op, of int) (o operands, err error) {
	if o.of, err = c.Datatype(of); err != nil {
		return o, err
	}
	if !o.of.Committed {
		return o, abi.Wrong(standard.ErrType, "a datatype that has not been committed")
	}
	o.op, o.bytes, o.spread, err = c.ReductionOf(c.Words[op], o.of)
	return o, err
}

// operandsOut returns count elements as an operation takes them.
func operandsOut(c *abi.Call, o *operands, at int64, count int) []byte {
	if !o.spread || o.of.Simple {
		return c.Outgoing(at, count, o.of)
	}
	data := make([]byte, count*o.bytes)
	low, span := o.of.Span(count)
	if span > 0 {
		copy(data[low-o.of.Lower:], c.Host.View(uintptr(at+int64(low)), span))
	}
	return data
}

// spreadLanding is where elements go that lie as in memory: only their data is written.
func operandsIn(c *abi.Call, n *plan, o *operands, at int64, count int) []byte {
	if !o.spread || o.of.Simple {
		return lands(c, n, at, count, o.of)
	}
	image := *o.of
	data := make([]byte, count*o.bytes)
	n.lands = append(n.lands, abi.Landing{At: at, Count: count, Of: &image, Data: data, Spread: true})
	return data
}

func planReduce(c *abi.Call) (*plan, error) {
	m, err := c.Comm(6)
	if err != nil {
		return nil, err
	}
	root, err := root(c, m, 5)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Reduce, args: algorithm.Arguments{Root: root, Element: 1}}
	if m.IsInter() && root == standard.ProcNull {
		return n, nil
	}
	count, err := c.Count(2)
	if err != nil {
		return nil, err
	}
	o, err := operandsOf(c, 4, 3)
	if err != nil {
		return nil, err
	}
	n.args.Element, n.args.Op = o.bytes, o.op
	if isRootOf(m, root) {
		n.args.Out = operandsIn(c, n, &o, c.Words[1], count)
		if c.Words[0] == standard.InPlace {
			copy(n.args.Out, operandsOut(c, &o, c.Words[1], count))
			n.args.In = n.args.Out
			return n, nil
		}
		if err := distinct(c, 0, 1, len(n.args.Out)); err != nil {
			return nil, err
		}
	}
	if gives(m, root) {
		n.args.In = operandsOut(c, &o, c.Words[0], count)
	}
	return n, nil
}

func planAllreduce(c *abi.Call) (*plan, error) {
	return planSymmetric(c, algorithm.AllReduce)
}

func planScan(c *abi.Call, kind algorithm.Operation) (*plan, error) {
	if _, err := c.Intra(5); err != nil {
		return nil, err
	}
	return planSymmetric(c, kind)
}

func planSymmetric(c *abi.Call, kind algorithm.Operation) (*plan, error) {
	m, err := c.Comm(5)
	if err != nil {
		return nil, err
	}
	count, err := c.Count(2)
	if err != nil {
		return nil, err
	}
	o, err := operandsOf(c, 4, 3)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: kind, args: algorithm.Arguments{Element: o.bytes, Op: o.op}}
	keeps := kind == algorithm.ExScan && m.Inner.Rank() == 0
	n.args.Out = operandsIn(c, n, &o, c.Words[1], count)
	in := c.Words[0]
	if in == standard.InPlace {
		in = c.Words[1]
	}
	n.args.In = operandsOut(c, &o, in, count)
	if keeps {
		n.lands = nil
		n.args.Out = make([]byte, len(n.args.In))
	}
	return n, distinct(c, 0, 1, len(n.args.In))
}

func planReduceScatter(c *abi.Call) (*plan, error) {
	m, err := c.Comm(5)
	if err != nil {
		return nil, err
	}
	return reduceScatter(c, m, c.Ints(c.Words[2], m.Inner.Size(), c.Large))
}

func planReduceScatterBlock(c *abi.Call) (*plan, error) {
	m, err := c.Comm(5)
	if err != nil {
		return nil, err
	}
	count, err := c.Count(2)
	if err != nil {
		return nil, err
	}
	counts := make([]int, m.Inner.Size())
	for i := range counts {
		counts[i] = count
	}
	return reduceScatter(c, m, counts)
}

func reduceScatter(c *abi.Call, m *abi.Comm, counts []int) (*plan, error) {
	o, err := operandsOf(c, 4, 3)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, k := range counts {
		if k < 0 {
			return nil, abi.Wrong(standard.ErrCount, "%d elements; expected at least 0", k)
		}
		total += k
	}
	in := c.Words[0]
	if in == standard.InPlace {
		in = c.Words[1]
	}
	all := operandsOut(c, &o, in, total)
	if c.Words[0] == standard.InPlace {
		all = append([]byte(nil), all...)
	}
	n := &plan{m: m, kind: algorithm.ReduceScatterV, args: algorithm.Arguments{Element: o.bytes, Op: o.op, In: all}}
	for _, k := range counts {
		n.args.Ins = append(n.args.Ins, all[:k*o.bytes])
		all = all[k*o.bytes:]
	}
	n.args.Out = operandsIn(c, n, &o, c.Words[1], counts[m.Inner.Rank()])
	return n, distinct(c, 0, 1, len(n.args.In))
}

// Operations with neighbours.

// near returns the neighbours in the topology of a communicator.
func near(c *abi.Call, i int) (*plan, error) {
	m, err := c.Intra(i)
	if err != nil {
		return nil, err
	}
	if m.Topology == nil {
		return nil, abi.Wrong(standard.ErrTopology, "a communicator without neighbours; expected one with a topology")
	}
	return &plan{m: m, near: m.Topology.Neighbours(m), args: algorithm.Arguments{Element: 1}}, nil
}

// clip forgets results that nobody sends.
func (n *plan) clip() *plan {
	for i, source := range n.near.Sources {
		if source == core.None {
			n.args.Outs[i] = nil
			for k := range n.lands {
				if k == i {
					n.lands[k].Count, n.lands[k].Data, n.lands[k].Direct = 0, nil, true
				}
			}
		}
	}
	return n
}

func planNearAllgather(c *abi.Call) (*plan, error) {
	n, err := near(c, 6)
	if err != nil {
		return nil, err
	}
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	counts, at, types := regular(count, t, len(n.near.Sources))
	n.args.Outs = partsIn(c, n, c.Words[3], counts, at, types)
	return n.clip(), sameForAll(c, n)
}

// sameForAll sets what goes to each neighbour: the same.
func sameForAll(c *abi.Call, n *plan) error {
	count, t, err := c.Counted(1)
	if err != nil {
		return err
	}
	data := c.Outgoing(c.Words[0], count, t)
	for range n.near.Destinations {
		n.args.Ins = append(n.args.Ins, data)
	}
	return nil
}

func planNearAllgatherv(c *abi.Call) (*plan, error) {
	n, err := near(c, 7)
	if err != nil {
		return nil, err
	}
	counts, at, types, err := vector(c, 4, 5, 6, len(n.near.Sources))
	if err != nil {
		return nil, err
	}
	n.args.Outs = partsIn(c, n, c.Words[3], counts, at, types)
	return n.clip(), sameForAll(c, n)
}

func planNearAlltoall(c *abi.Call) (*plan, error) {
	n, err := near(c, 6)
	if err != nil {
		return nil, err
	}
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	counts, at, types := regular(count, t, len(n.near.Sources))
	n.args.Outs = partsIn(c, n, c.Words[3], counts, at, types)
	if count, t, err = c.Counted(1); err != nil {
		return nil, err
	}
	counts, at, types = regular(count, t, len(n.near.Destinations))
	n.args.Ins = partsOut(c, c.Words[0], counts, at, types)
	return n.clip(), nil
}

func planNearAlltoallv(c *abi.Call, each bool) (*plan, error) {
	n, err := near(c, 8)
	if err != nil {
		return nil, err
	}
	if err := vectorsOf(c, n, each, len(n.near.Destinations), len(n.near.Sources)); err != nil {
		return nil, err
	}
	return n.clip(), nil
}

func reduceLocal(c *abi.Call) error {
	count, err := c.Count(2)
	if err != nil {
		return err
	}
	o, err := operandsOf(c, 4, 3)
	if err != nil {
		return err
	}
	for _, at := range c.Words[:2] {
		if at == standard.InPlace {
			return abi.Wrong(standard.ErrBuffer, "MPI_IN_PLACE; expected two buffers")
		}
	}
	if err := distinct(c, 0, 1, count); err != nil {
		return err
	}
	n := &plan{}
	in, inout := operandsOut(c, &o, c.Words[0], count), operandsIn(c, n, &o, c.Words[1], count)
	copy(inout, operandsOut(c, &o, c.Words[1], count))
	if len(in) > 0 {
		o.op.Apply(in, inout)
	}
	for i := range n.lands {
		n.lands[i].Put(c.Process, len(n.lands[i].Data))
	}
	return nil
}
