package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/reduction"
)

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
	if err == nil && o.spread && c.OpAt(c.Words[op]) == nil && (o.of.Extent() != o.bytes || o.of.TrueUp > o.of.Upper) {
		err = abi.Wrong(standard.ErrOp, "operation %#x on several pairs of a datatype; expected the pair itself", c.Words[op])
	}
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
	n, err := rooted(c, algorithm.Reduce, 6, 5)
	if err != nil {
		return nil, err
	}
	m, root := n.m, n.args.Root
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
	n := newPlan(m, kind, algorithm.Arguments{Element: o.bytes, Op: o.op})
	keeps := kind == algorithm.ExScan && m.Inner.Rank() == 0
	n.args.Out = operandsIn(c, n, &o, c.Words[1], count)
	in := c.Words[0]
	if in == standard.InPlace {
		in = c.Words[1]
	}
	n.args.In = operandsOut(c, &o, in, count)
	if keeps {
		n.lands = nil
		n.args.Out = n.args.In // to which nothing is written
	}
	return n, distinct(c, 0, 1, len(n.args.In))
}

func planReduceScatter(c *abi.Call) (*plan, error) {
	m, err := c.Comm(5)
	if err != nil {
		return nil, err
	}
	n := newPlan(m, algorithm.ReduceScatterV, algorithm.Arguments{})
	n.v.counts = c.IntsInto(n.v.counts, c.Words[2], m.Inner.Size(), c.Large)
	return reduceScatter(c, n)
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
	n := newPlan(m, algorithm.ReduceScatterV, algorithm.Arguments{})
	n.v.counts = n.v.counts[:0]
	for range m.Inner.Size() {
		n.v.counts = append(n.v.counts, count)
	}
	return reduceScatter(c, n)
}

// reduceScatter ends a plan that has the counts of all ranks.
func reduceScatter(c *abi.Call, n *plan) (*plan, error) {
	o, err := operandsOf(c, 4, 3)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, k := range n.v.counts {
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
		all = n.copyOf(all)
	}
	n.args = algorithm.Arguments{Element: o.bytes, Op: o.op, In: all}
	for _, k := range n.v.counts {
		n.ins = append(n.ins, all[:k*o.bytes])
		all = all[k*o.bytes:]
	}
	n.args.Ins = n.ins
	n.args.Out = operandsIn(c, n, &o, c.Words[1], n.v.counts[n.m.Inner.Rank()])
	return n, distinct(c, 0, 1, len(n.args.In))
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
	n.land(c)
	return nil
}
