package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/reduction"
)

// plan is a collective operation of this rank: its arguments as package algorithm has them, and
// where its results go.
type plan struct {
	m     *comm
	kind  algorithm.Operation
	near  *algorithm.Neighbours // of an operation with neighbours; else nil
	args  algorithm.Arguments
	lands []landing
}

// collectives are the operations, by name: how each reads its words, and how many it has.
var collectives = []struct {
	name  string
	words int
	build func(c *call) (*plan, error)
}{
	{"barrier", 1, (*call).planBarrier},
	{"bcast", 5, (*call).planBcast},
	{"gather", 8, func(c *call) (*plan, error) { return c.planGather() }},
	{"gatherv", 9, (*call).planGatherv},
	{"scatter", 8, (*call).planScatter},
	{"scatterv", 9, (*call).planScatterv},
	{"allgather", 7, (*call).planAllgather},
	{"allgatherv", 8, (*call).planAllgatherv},
	{"alltoall", 7, (*call).planAlltoall},
	{"alltoallv", 9, func(c *call) (*plan, error) { return c.planAlltoallv(false) }},
	{"alltoallw", 9, func(c *call) (*plan, error) { return c.planAlltoallv(true) }},
	{"reduce", 7, (*call).planReduce},
	{"allreduce", 6, (*call).planAllreduce},
	{"reduce_scatter", 6, (*call).planReduceScatter},
	{"reduce_scatter_block", 6, (*call).planReduceScatterBlock},
	{"scan", 6, func(c *call) (*plan, error) { return c.planScan(algorithm.Scan) }},
	{"exscan", 6, func(c *call) (*plan, error) { return c.planScan(algorithm.ExScan) }},
	{"neighbor_allgather", 7, (*call).planNearAllgather},
	{"neighbor_allgatherv", 8, (*call).planNearAllgatherv},
	{"neighbor_alltoall", 7, (*call).planNearAlltoall},
	{"neighbor_alltoallv", 9, func(c *call) (*plan, error) { return c.planNearAlltoallv(false) }},
	{"neighbor_alltoallw", 9, func(c *call) (*plan, error) { return c.planNearAlltoallv(true) }},
}

func init() {
	for _, o := range collectives {
		upper := string(o.name[0]&^0x20) + o.name[1:]
		add(map[string]func(c *call) error{
			"MPI_" + upper:           func(c *call) error { return c.carryOutPlan(o.build) },
			"MPI_I" + o.name:         func(c *call) error { return c.startPlan(o.build, o.words) },
			"MPI_" + upper + "_init": func(c *call) error { return c.preparePlan(o.build, o.words) },
		})
	}
}

// carryOutPlan carries out a blocking operation.
func (c *call) carryOutPlan(build func(c *call) (*plan, error)) error {
	n, err := build(c)
	if err != nil {
		return err
	}
	if n.m.isInter() {
		return c.across(n)
	}
	if err := c.run(n); err != nil {
		return err
	}
	for i := range n.lands {
		n.lands[i].put(c.Process, len(n.lands[i].data))
	}
	return nil
}

// run carries out a plan among the ranks of one group. Barriers and short operations of ranks that
// share memory have ways of their own.
func (c *call) run(n *plan) error {
	call, a := c.function.name, &n.args
	ownWay := n.near == nil && (n.kind == algorithm.Barrier || n.kind == algorithm.Broadcast || n.kind == algorithm.AllReduce)
	if ownWay && n.m.c.Checks() {
		if err := n.m.c.Compare(call, n.kind, a); err != nil {
			return err
		}
	}
	switch {
	case n.near != nil:
	case n.kind == algorithm.Barrier:
		return n.m.c.Barrier(call)
	case n.kind == algorithm.Broadcast:
		return n.m.c.Broadcast(call, a.Root, a.Out, a.Element)
	case n.kind == algorithm.AllReduce:
		return n.m.c.AllReduce(call, a.In, a.Out, a.Element, a.Op)
	}
	o, err := c.prepare(n)
	if err != nil {
		return err
	}
	return o.Run()
}

// begin starts a plan as a request.
func (c *call) begin(n *plan) (*request, error) {
	return c.beginBy(n, func(o *collective.Operation) (*core.Request, error) {
		if err := o.Agree(); err != nil {
			return nil, err
		}
		return o.Begin(), nil
	})
}

func (c *call) beginBy(n *plan, start func(o *collective.Operation) (*core.Request, error)) (*request, error) {
	r := c.newRequest(n.m)
	if n.m.isInter() {
		if err := c.across(n); err != nil {
			return nil, err
		}
		r.done, r.status = true, emptyStatus
		return r, nil
	}
	r.lands = append(r.lands, n.lands...)
	o, err := c.prepare(n)
	if err != nil {
		return nil, err
	}
	r.core, err = start(o)
	return r, err
}

func (c *call) startPlan(build func(c *call) (*plan, error), request int) error {
	n, err := build(c)
	if err != nil {
		return err
	}
	r, err := c.begin(n)
	if err != nil {
		return err
	}
	c.putWord(c.a[request], c.requests.Add(r))
	return nil
}

// preparePlan makes a persistent operation: each start reads the words again, as their arrays stay
// until it is freed. It has a tag of its own, so ranks may start several in any order.
func (c *call) preparePlan(build func(c *call) (*plan, error), info int) error {
	n, err := build(c)
	if err != nil {
		return err
	}
	tag := int32(0)
	if !n.m.isInter() {
		if err := c.agree(n); err != nil {
			return err
		}
		tag = n.m.c.PersistentTag()
	}
	words, function, large := append([]int64(nil), c.a[:info]...), c.function, c.large
	c.putWord(c.a[info+1], c.persistent(n.m, func(c *call) (*request, error) {
		again := call{Process: c.Process, function: function, a: words, large: large}
		n, err := build(&again)
		if err != nil {
			return nil, err
		}
		return again.beginBy(n, func(o *collective.Operation) (*core.Request, error) { return o.BeginAs(tag), nil })
	}))
	return nil
}

// agree fails if ranks prepare different operations, and the program has asked for that.
func (c *call) agree(n *plan) error {
	o, err := c.prepare(n)
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
func (c *call) root(m *comm, i int) (int, error) {
	root := c.at(i)
	if m.isInter() {
		if root == standard.Root || root == standard.ProcNull || root >= 0 && root < len(m.remote) {
			return root, nil
		}
	} else if root >= 0 && root < m.c.Size() {
		return root, nil
	}
	return 0, wrong(standard.ErrRoot, "root %d; there are ranks 0 to %d", root, m.peers()-1)
}

func isRootOf(m *comm, root int) bool {
	if m.isInter() {
		return root == standard.Root
	}
	return m.c.Rank() == root
}

// sends reports whether a rank gives data in an operation with a root that takes it.
func gives(m *comm, root int) bool { return !m.isInter() || root >= 0 }

func (c *call) planBarrier() (*plan, error) {
	m, err := c.comm(0)
	return &plan{m: m, kind: algorithm.Barrier}, err
}

func (c *call) planBcast() (*plan, error) {
	m, err := c.comm(4)
	if err != nil {
		return nil, err
	}
	root, err := c.root(m, 3)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Broadcast, args: algorithm.Arguments{Root: root, Element: 1}}
	if m.isInter() && root == standard.ProcNull {
		return n, nil
	}
	count, t, err := c.counted(1)
	if err != nil {
		return nil, err
	}
	if isRootOf(m, root) {
		n.args.Out = c.outgoing(c.a[0], count, t)
		return n, nil
	}
	n.args.Out = c.lands(n, c.a[0], count, t)
	return n, nil
}

// lands adds a place for results to a plan, and returns its memory.
func (c *call) lands(n *plan, at int64, count int, t *datatype) []byte {
	l := c.landing(at, count, t)
	n.lands = append(n.lands, l)
	return l.data
}

// parts returns the packed data of parts of an array, each of some elements at a displacement. unit
// is the bytes that displacements count.
func (c *call) partsOut(at int64, counts, displacements []int, types []*datatype) [][]byte {
	all := make([][]byte, len(counts))
	for i, n := range counts {
		all[i] = c.outgoing(at+int64(displacements[i]), n, types[i])
	}
	return all
}

func (c *call) partsIn(n *plan, at int64, counts, displacements []int, types []*datatype) [][]byte {
	all := make([][]byte, len(counts))
	for i, k := range counts {
		all[i] = c.lands(n, at+int64(displacements[i]), k, types[i])
	}
	return all
}

// vector reads counts, displacements in elements and the type of them for a number of ranks.
func (c *call) vector(counts, displacements, of, n int) ([]int, []int, []*datatype, error) {
	t, err := c.datatype(of)
	if err != nil {
		return nil, nil, nil, err
	}
	list, at := c.ints(c.a[counts], n, c.large), c.ints(c.a[displacements], n, c.large)
	types := make([]*datatype, n)
	for i := range at {
		if err := checkData(list[i], t); err != nil {
			return nil, nil, nil, err
		}
		at[i] *= t.Extent()
		types[i] = t
	}
	return list, at, types, nil
}

// regular is counts, displacements and types of as many elements for each rank.
func regular(count int, t *datatype, n int) (counts, at []int, types []*datatype) {
	for i := range n {
		counts, at, types = append(counts, count), append(at, i*count*t.Extent()), append(types, t)
	}
	return counts, at, types
}

func (c *call) planGather() (*plan, error) {
	m, err := c.comm(7)
	if err != nil {
		return nil, err
	}
	root, err := c.root(m, 6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Gather, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		count, t, err := c.counted(4)
		if err != nil {
			return nil, err
		}
		own = count * t.Extent()
		n.args.Out = c.lands(n, c.a[3], count*m.peers(), t)
		if c.a[0] == standard.InPlace && !m.isInter() {
			part := len(n.args.Out) / m.peers()
			copy(n.args.Out[root*part:][:part], c.outgoing(c.a[3]+int64(root*count*t.Extent()), count, t))
			n.args.In = n.args.Out[root*part:][:part]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.outgoing(c.a[0], count, t)
	if isRoot && !m.isInter() {
		err = c.distinctAt(0, c.a[3]+int64(root*own), len(n.args.In))
	}
	return n, err
}

func (c *call) planGatherv() (*plan, error) {
	m, err := c.comm(8)
	if err != nil {
		return nil, err
	}
	root, err := c.root(m, 7)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.GatherV, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		counts, at, types, err := c.vector(4, 5, 6, m.peers())
		if err != nil {
			return nil, err
		}
		own = ownAt(m, at)
		n.args.Outs = c.partsIn(n, c.a[3], counts, at, types)
		if c.a[0] == standard.InPlace && !m.isInter() {
			copy(n.args.Outs[root], c.outgoing(c.a[3]+int64(at[root]), counts[root], types[root]))
			n.args.In = n.args.Outs[root]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.outgoing(c.a[0], count, t)
	if isRoot && !m.isInter() {
		err = c.distinctAt(0, c.a[3]+int64(own), len(n.args.In))
	}
	return n, err
}

func (c *call) planScatter() (*plan, error) {
	m, err := c.comm(7)
	if err != nil {
		return nil, err
	}
	root, err := c.root(m, 6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Scatter, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		count, t, err := c.counted(1)
		if err != nil {
			return nil, err
		}
		own = count * t.Extent()
		n.args.In = c.outgoing(c.a[0], count*m.peers(), t)
		if c.a[3] == standard.InPlace && !m.isInter() {
			part := len(n.args.In) / m.peers()
			n.args.Out = n.args.In[root*part:][:part]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.counted(4)
	if err != nil {
		return nil, err
	}
	n.args.Out = c.lands(n, c.a[3], count, t)
	if isRoot && !m.isInter() {
		err = c.distinctAt(3, c.a[0]+int64(root*own), len(n.args.Out))
	}
	return n, err
}

func (c *call) planScatterv() (*plan, error) {
	m, err := c.comm(8)
	if err != nil {
		return nil, err
	}
	root, err := c.root(m, 7)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.ScatterV, args: algorithm.Arguments{Root: root, Element: 1}}
	isRoot, own := isRootOf(m, root), 0
	if isRoot {
		counts, at, types, err := c.vector(1, 2, 3, m.peers())
		if err != nil {
			return nil, err
		}
		own = ownAt(m, at)
		n.args.Ins = c.partsOut(c.a[0], counts, at, types)
		if c.a[4] == standard.InPlace && !m.isInter() {
			n.args.Out = n.args.Ins[root]
			return n, nil
		}
	}
	if !gives(m, root) {
		return n, nil
	}
	count, t, err := c.counted(5)
	if err != nil {
		return nil, err
	}
	n.args.Out = c.lands(n, c.a[4], count, t)
	if isRoot && !m.isInter() {
		err = c.distinctAt(4, c.a[0]+int64(own), len(n.args.Out))
	}
	return n, err
}

func (c *call) planAllgather() (*plan, error) {
	m, err := c.comm(6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllGather, args: algorithm.Arguments{Element: 1}}
	count, t, err := c.counted(4)
	if err != nil {
		return nil, err
	}
	out := c.lands(n, c.a[3], count*m.peers(), t)
	n.args.Out = out
	own := c.a[3] + int64(m.c.Rank()*count*t.Extent())
	if c.a[0] == standard.InPlace && !m.isInter() {
		part := len(out) / m.c.Size()
		n.args.In = out[m.c.Rank()*part:][:part]
		copy(n.args.In, c.outgoing(own, count, t))
		return n, nil
	}
	if count, t, err = c.counted(1); err != nil {
		return nil, err
	}
	n.args.In = c.outgoing(c.a[0], count, t)
	if m.isInter() {
		return n, nil
	}
	return n, c.distinctAt(0, own, len(n.args.In))
}

// ownAt returns the displacement of this rank's part, in bytes; 0 in an intercommunicator.
func ownAt(m *comm, displacements []int) int {
	if m.isInter() {
		return 0
	}
	return displacements[m.c.Rank()]
}

func (c *call) planAllgatherv() (*plan, error) {
	m, err := c.comm(7)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllGatherV, args: algorithm.Arguments{Element: 1}}
	counts, at, types, err := c.vector(4, 5, 6, m.peers())
	if err != nil {
		return nil, err
	}
	n.args.Outs = c.partsIn(n, c.a[3], counts, at, types)
	if c.a[0] == standard.InPlace && !m.isInter() {
		own := m.c.Rank()
		copy(n.args.Outs[own], c.outgoing(c.a[3]+int64(at[own]), counts[own], types[own]))
		n.args.In = n.args.Outs[own]
		return n, nil
	}
	count, t, err := c.counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.outgoing(c.a[0], count, t)
	if m.isInter() {
		return n, nil
	}
	return n, c.distinctAt(0, c.a[3]+int64(ownAt(m, at)), len(n.args.In))
}

func (c *call) planAlltoall() (*plan, error) {
	m, err := c.comm(6)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllToAll, args: algorithm.Arguments{Element: 1}}
	count, t, err := c.counted(4)
	if err != nil {
		return nil, err
	}
	n.args.Out = c.lands(n, c.a[3], count*m.peers(), t)
	if c.a[0] == standard.InPlace && !m.isInter() {
		n.args.In = append([]byte(nil), c.outgoing(c.a[3], count*m.peers(), t)...)
		return n, nil
	}
	if count, t, err = c.counted(1); err != nil {
		return nil, err
	}
	n.args.In = c.outgoing(c.a[0], count*m.peers(), t)
	return n, c.distinct(0, 3, len(n.args.In))
}

// each reads counts, displacements in bytes and types for a number of ranks.
func (c *call) each(counts, displacements, types, n int) ([]int, []int, []*datatype, error) {
	list, at := c.ints(c.a[counts], n, c.large), c.ints(c.a[displacements], n, c.large)
	of := make([]*datatype, n)
	for i, h := range c.ints(c.a[types], n, true) {
		t := c.typeAt(int64(h))
		if t == nil {
			if list[i] == 0 {
				t = c.typeAt(standard.Byte)
			} else {
				return nil, nil, nil, wrong(standard.ErrType, "%#x is no datatype", h)
			}
		}
		if of[i] = t; list[i] < 0 {
			return nil, nil, nil, wrong(standard.ErrCount, "%d elements; expected at least 0", list[i])
		}
	}
	return list, at, of, nil
}

func (c *call) planAlltoallv(each bool) (*plan, error) {
	m, err := c.comm(8)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.AllToAllV, args: algorithm.Arguments{Element: 1}}
	if err := c.vectorsOf(n, each, m.peers(), m.peers()); err != nil || m.isInter() {
		return n, err
	}
	return n, c.distinct(0, 4, len(n.args.Ins[m.c.Rank()]))
}

// vectorsOf reads the data that goes to some ranks and comes from others.
func (c *call) vectorsOf(n *plan, each bool, to, from int) error {
	read := c.vector
	if each {
		read = c.each
	}
	counts, at, types, err := read(5, 6, 7, from)
	if err != nil {
		return err
	}
	n.args.Outs = c.partsIn(n, c.a[4], counts, at, types)
	if c.a[0] == standard.InPlace && !n.m.isInter() {
		n.args.Ins = c.partsOut(c.a[4], counts, at, types)
		for i := range n.args.Ins {
			n.args.Ins[i] = append([]byte(nil), n.args.Ins[i]...)
		}
		return nil
	}
	if counts, at, types, err = read(1, 2, 3, to); err == nil {
		n.args.Ins = c.partsOut(c.a[0], counts, at, types)
	}
	return err
}

// operands are the elements of a reduction: those of the program's own operations as they lie in
// memory, gaps included.
type operands struct {
	op     reduction.Op
	bytes  int
	spread bool
	of     *datatype
}

func (c *call) operands(op, of int) (o operands, err error) {
	if o.of, err = c.datatype(of); err != nil {
		return o, err
	}
	if !o.of.committed {
		return o, wrong(standard.ErrType, "a datatype that has not been committed")
	}
	o.op, o.bytes, o.spread, err = c.reductionOf(c.a[op], o.of)
	return o, err
}

// operandsOut returns count elements as an operation takes them.
func (c *call) operandsOut(o *operands, at int64, count int) []byte {
	if !o.spread || o.of.Simple {
		return c.outgoing(at, count, o.of)
	}
	data := make([]byte, count*o.bytes)
	low, span := o.of.Span(count)
	if span > 0 {
		copy(data[low-o.of.Lower:], c.host.View(uintptr(at+int64(low)), span))
	}
	return data
}

// spreadLanding is where elements go that lie as in memory: only their data is written.
func (c *call) operandsIn(n *plan, o *operands, at int64, count int) []byte {
	if !o.spread || o.of.Simple {
		return c.lands(n, at, count, o.of)
	}
	image := *o.of
	data := make([]byte, count*o.bytes)
	n.lands = append(n.lands, landing{at: at, count: count, of: &image, data: data, spread: true})
	return data
}

func (c *call) count(i int) (int, error) {
	if n := c.at(i); n >= 0 {
		return n, nil
	}
	return 0, wrong(standard.ErrCount, "%d elements; expected at least 0", c.at(i))
}

func (c *call) planReduce() (*plan, error) {
	m, err := c.comm(6)
	if err != nil {
		return nil, err
	}
	root, err := c.root(m, 5)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: algorithm.Reduce, args: algorithm.Arguments{Root: root, Element: 1}}
	if m.isInter() && root == standard.ProcNull {
		return n, nil
	}
	count, err := c.count(2)
	if err != nil {
		return nil, err
	}
	o, err := c.operands(4, 3)
	if err != nil {
		return nil, err
	}
	n.args.Element, n.args.Op = o.bytes, o.op
	if isRootOf(m, root) {
		n.args.Out = c.operandsIn(n, &o, c.a[1], count)
		if c.a[0] == standard.InPlace {
			copy(n.args.Out, c.operandsOut(&o, c.a[1], count))
			n.args.In = n.args.Out
			return n, nil
		}
		if err := c.distinct(0, 1, len(n.args.Out)); err != nil {
			return nil, err
		}
	}
	if gives(m, root) {
		n.args.In = c.operandsOut(&o, c.a[0], count)
	}
	return n, nil
}

func (c *call) planAllreduce() (*plan, error) {
	return c.planSymmetric(algorithm.AllReduce)
}

func (c *call) planScan(kind algorithm.Operation) (*plan, error) {
	if _, err := c.intra(5); err != nil {
		return nil, err
	}
	return c.planSymmetric(kind)
}

func (c *call) planSymmetric(kind algorithm.Operation) (*plan, error) {
	m, err := c.comm(5)
	if err != nil {
		return nil, err
	}
	count, err := c.count(2)
	if err != nil {
		return nil, err
	}
	o, err := c.operands(4, 3)
	if err != nil {
		return nil, err
	}
	n := &plan{m: m, kind: kind, args: algorithm.Arguments{Element: o.bytes, Op: o.op}}
	keeps := kind == algorithm.ExScan && m.c.Rank() == 0
	n.args.Out = c.operandsIn(n, &o, c.a[1], count)
	in := c.a[0]
	if in == standard.InPlace {
		in = c.a[1]
	}
	n.args.In = c.operandsOut(&o, in, count)
	if keeps {
		n.lands = nil
		n.args.Out = make([]byte, len(n.args.In))
	}
	return n, c.distinct(0, 1, len(n.args.In))
}

func (c *call) planReduceScatter() (*plan, error) {
	m, err := c.comm(5)
	if err != nil {
		return nil, err
	}
	return c.reduceScatter(m, c.ints(c.a[2], m.c.Size(), c.large))
}

func (c *call) planReduceScatterBlock() (*plan, error) {
	m, err := c.comm(5)
	if err != nil {
		return nil, err
	}
	count, err := c.count(2)
	if err != nil {
		return nil, err
	}
	counts := make([]int, m.c.Size())
	for i := range counts {
		counts[i] = count
	}
	return c.reduceScatter(m, counts)
}

func (c *call) reduceScatter(m *comm, counts []int) (*plan, error) {
	o, err := c.operands(4, 3)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, k := range counts {
		if k < 0 {
			return nil, wrong(standard.ErrCount, "%d elements; expected at least 0", k)
		}
		total += k
	}
	in := c.a[0]
	if in == standard.InPlace {
		in = c.a[1]
	}
	all := c.operandsOut(&o, in, total)
	if c.a[0] == standard.InPlace {
		all = append([]byte(nil), all...)
	}
	n := &plan{m: m, kind: algorithm.ReduceScatterV, args: algorithm.Arguments{Element: o.bytes, Op: o.op, In: all}}
	for _, k := range counts {
		n.args.Ins = append(n.args.Ins, all[:k*o.bytes])
		all = all[k*o.bytes:]
	}
	n.args.Out = c.operandsIn(n, &o, c.a[1], counts[m.c.Rank()])
	return n, c.distinct(0, 1, len(n.args.In))
}

// Operations with neighbours.

// near returns the neighbours in the topology of a communicator.
func (c *call) near(i int) (*plan, error) {
	m, err := c.intra(i)
	if err != nil {
		return nil, err
	}
	if m.topology == nil {
		return nil, wrong(standard.ErrTopology, "a communicator without neighbours; expected one with a topology")
	}
	return &plan{m: m, near: m.topology.neighbours(m), args: algorithm.Arguments{Element: 1}}, nil
}

// clip forgets results that nobody sends.
func (n *plan) clip() *plan {
	for i, source := range n.near.Sources {
		if source == core.None {
			n.args.Outs[i] = nil
			for k := range n.lands {
				if k == i {
					n.lands[k].count, n.lands[k].data, n.lands[k].direct = 0, nil, true
				}
			}
		}
	}
	return n
}

func (c *call) planNearAllgather() (*plan, error) {
	n, err := c.near(6)
	if err != nil {
		return nil, err
	}
	count, t, err := c.counted(4)
	if err != nil {
		return nil, err
	}
	counts, at, types := regular(count, t, len(n.near.Sources))
	n.args.Outs = c.partsIn(n, c.a[3], counts, at, types)
	return n.clip(), c.sameForAll(n)
}

// sameForAll sets what goes to each neighbour: the same.
func (c *call) sameForAll(n *plan) error {
	count, t, err := c.counted(1)
	if err != nil {
		return err
	}
	data := c.outgoing(c.a[0], count, t)
	for range n.near.Destinations {
		n.args.Ins = append(n.args.Ins, data)
	}
	return nil
}

func (c *call) planNearAllgatherv() (*plan, error) {
	n, err := c.near(7)
	if err != nil {
		return nil, err
	}
	counts, at, types, err := c.vector(4, 5, 6, len(n.near.Sources))
	if err != nil {
		return nil, err
	}
	n.args.Outs = c.partsIn(n, c.a[3], counts, at, types)
	return n.clip(), c.sameForAll(n)
}

func (c *call) planNearAlltoall() (*plan, error) {
	n, err := c.near(6)
	if err != nil {
		return nil, err
	}
	count, t, err := c.counted(4)
	if err != nil {
		return nil, err
	}
	counts, at, types := regular(count, t, len(n.near.Sources))
	n.args.Outs = c.partsIn(n, c.a[3], counts, at, types)
	if count, t, err = c.counted(1); err != nil {
		return nil, err
	}
	counts, at, types = regular(count, t, len(n.near.Destinations))
	n.args.Ins = c.partsOut(c.a[0], counts, at, types)
	return n.clip(), nil
}

func (c *call) planNearAlltoallv(each bool) (*plan, error) {
	n, err := c.near(8)
	if err != nil {
		return nil, err
	}
	if err := c.vectorsOf(n, each, len(n.near.Destinations), len(n.near.Sources)); err != nil {
		return nil, err
	}
	return n.clip(), nil
}
