package mpitest

import (
	"slices"

	"musubi/mpi"
)

// collectiveCall is a collective operation with the arguments of a rank.
type collectiveCall struct {
	call      func() error
	start     func() (*mpi.Request, error)
	prepare   func() (*mpi.Persistent, error)
	got, want []int32
}

// check compares the result.
func (d *collectiveCall) check() error { return same("result", d.got, d.want) }

// collectiveCall returns the operation with the arguments of this rank.
func (x trial) collectiveCall() collectiveCall {
	switch x.operation {
	case "barrier":
		return collectiveCall{
			call:    func() error { return mpi.Barrier(x.c) },
			start:   func() (*mpi.Request, error) { return mpi.IBarrier(x.c) },
			prepare: func() (*mpi.Persistent, error) { return mpi.BarrierInit(x.c) },
		}
	case "broadcast":
		return x.broadcast()
	case "gather", "gatherv", "allgather", "allgatherv":
		return x.gathering()
	case "scatter", "scatterv":
		return x.scattering()
	case "alltoall", "alltoallv", "alltoallw":
		return x.exchange()
	case "reducescatter", "reducescatterv":
		return x.reduceScatter()
	}
	return x.reduction()
}

func (x trial) broadcast() collectiveCall {
	d := collectiveCall{got: make([]int32, x.count), want: x.data(x.root, 0, x.count)}
	if x.c.Rank() == x.root {
		copy(d.got, d.want)
	}
	d.call = func() error { return mpi.Broadcast(x.c, x.root, d.got) }
	d.start = func() (*mpi.Request, error) { return mpi.IBroadcast(x.c, x.root, d.got) }
	d.prepare = func() (*mpi.Persistent, error) { return mpi.BroadcastInit(x.c, x.root, d.got) }
	return d
}

// reduction is an operation that combines what ranks have for all.
func (x trial) reduction() collectiveCall {
	c, me, op := x.c, x.c.Rank(), mpi.Sum[int32]()
	in := x.data(me, 0, x.count)
	d := collectiveCall{got: make([]int32, x.count)}
	if x.inPlace() && (x.operation != "reduce" || me == x.root) && (x.operation != "exscan" || me > 0) {
		d.got = in
	}
	switch x.operation {
	case "reduce":
		d.want = d.got
		if me == x.root {
			d.want = x.sum(0, c.Size(), 0, x.count)
		}
		d.call = func() error { return mpi.Reduce(c, x.root, in, d.got, op) }
		d.start = func() (*mpi.Request, error) { return mpi.IReduce(c, x.root, in, d.got, op) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.ReduceInit(c, x.root, in, d.got, op) }
	case "allreduce":
		d.want = x.sum(0, c.Size(), 0, x.count)
		d.call = func() error { return mpi.AllReduce(c, in, d.got, op) }
		d.start = func() (*mpi.Request, error) { return mpi.IAllReduce(c, in, d.got, op) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.AllReduceInit(c, in, d.got, op) }
	case "scan":
		d.want = x.sum(0, me+1, 0, x.count)
		d.call = func() error { return mpi.Scan(c, in, d.got, op) }
		d.start = func() (*mpi.Request, error) { return mpi.IScan(c, in, d.got, op) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.ScanInit(c, in, d.got, op) }
	case "exscan":
		d.want = x.sum(0, me, 0, x.count)
		d.call = func() error { return mpi.ExScan(c, in, d.got, op) }
		d.start = func() (*mpi.Request, error) { return mpi.IExScan(c, in, d.got, op) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.ExScanInit(c, in, d.got, op) }
	}
	return d
}

// gathering is an operation that collects what ranks have, at the root or at all.
func (x trial) gathering() collectiveCall {
	c, me := x.c, x.c.Rank()
	length := func(int) int { return x.count }
	if x.operation == "gatherv" || x.operation == "allgatherv" {
		length = func(from int) int { return x.length(from, 0) }
	}
	in := x.data(me, 0, length(me))
	var parts [][]int32
	if me == x.root || x.operation == "allgather" || x.operation == "allgatherv" {
		parts = x.each(func(from int) []int32 { return x.data(from, 0, length(from)) })
	}
	d := collectiveCall{want: slices.Concat(parts...)}
	d.got = make([]int32, len(d.want))
	outs := cut(d.got, parts)
	if x.inPlace() && parts != nil {
		copy(outs[me], in)
		in = outs[me]
	}
	switch x.operation {
	case "gather":
		d.call = func() error { return mpi.Gather(c, x.root, in, d.got) }
		d.start = func() (*mpi.Request, error) { return mpi.IGather(c, x.root, in, d.got) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.GatherInit(c, x.root, in, d.got) }
	case "gatherv":
		d.call = func() error { return mpi.GatherV(c, x.root, in, outs) }
		d.start = func() (*mpi.Request, error) { return mpi.IGatherV(c, x.root, in, outs) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.GatherVInit(c, x.root, in, outs) }
	case "allgather":
		d.call = func() error { return mpi.AllGather(c, in, d.got) }
		d.start = func() (*mpi.Request, error) { return mpi.IAllGather(c, in, d.got) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.AllGatherInit(c, in, d.got) }
	case "allgatherv":
		d.call = func() error { return mpi.AllGatherV(c, in, outs) }
		d.start = func() (*mpi.Request, error) { return mpi.IAllGatherV(c, in, outs) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.AllGatherVInit(c, in, outs) }
	}
	return d
}

func (x trial) scattering() collectiveCall {
	c, me := x.c, x.c.Rank()
	length := func(int) int { return x.count }
	if x.operation == "scatterv" {
		length = func(to int) int { return x.length(x.root, to) }
	}
	var ins [][]int32
	if me == x.root {
		ins = x.each(func(to int) []int32 { return x.data(me, to, length(to)) })
	}
	in := slices.Concat(ins...)
	d := collectiveCall{want: x.data(x.root, me, length(me)), got: make([]int32, length(me))}
	if x.inPlace() && me == x.root {
		ins = cut(in, ins)
		d.got = ins[me]
	}
	if x.operation == "scatter" {
		d.call = func() error { return mpi.Scatter(c, x.root, in, d.got) }
		d.start = func() (*mpi.Request, error) { return mpi.IScatter(c, x.root, in, d.got) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.ScatterInit(c, x.root, in, d.got) }
	} else {
		d.call = func() error { return mpi.ScatterV(c, x.root, ins, d.got) }
		d.start = func() (*mpi.Request, error) { return mpi.IScatterV(c, x.root, ins, d.got) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.ScatterVInit(c, x.root, ins, d.got) }
	}
	return d
}

// exchange is an operation in which all ranks have something for all.
func (x trial) exchange() collectiveCall {
	c, me := x.c, x.c.Rank()
	length := func(int, int) int { return x.count }
	if x.operation != "alltoall" {
		length = x.length
	}
	if x.inPlace() { // each pair sends as much as it gets
		unordered := length
		length = func(a, b int) int { return unordered(min(a, b), max(a, b)) }
	}
	ins := x.each(func(to int) []int32 { return x.data(me, to, length(me, to)) })
	parts := x.each(func(from int) []int32 { return x.data(from, me, length(from, me)) })
	in := slices.Concat(ins...)
	d := collectiveCall{want: slices.Concat(parts...)}
	d.got = make([]int32, len(d.want))
	if x.inPlace() {
		d.got, ins = in, cut(in, ins)
	}
	outs := cut(d.got, parts)
	switch x.operation {
	case "alltoall":
		d.call = func() error { return mpi.AllToAll(c, in, d.got) }
		d.start = func() (*mpi.Request, error) { return mpi.IAllToAll(c, in, d.got) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.AllToAllInit(c, in, d.got) }
	case "alltoallv":
		d.call = func() error { return mpi.AllToAllV(c, ins, outs) }
		d.start = func() (*mpi.Request, error) { return mpi.IAllToAllV(c, ins, outs) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.AllToAllVInit(c, ins, outs) }
	case "alltoallw":
		to, from := halves(ins), halves(parts)
		d.call = func() error { return mpi.AllToAllW(c, in, to, d.got, from) }
		d.start = func() (*mpi.Request, error) { return mpi.IAllToAllW(c, in, to, d.got, from) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.AllToAllWInit(c, in, to, d.got, from) }
	}
	return d
}

func (x trial) reduceScatter() collectiveCall {
	c, me, op := x.c, x.c.Rank(), mpi.Sum[int32]()
	length := func(int) int { return x.count }
	if x.operation == "reducescatterv" {
		length = func(to int) int { return x.length(0, to) }
	}
	ins := x.each(func(to int) []int32 { return x.data(me, to, length(to)) })
	in := slices.Concat(ins...)
	d := collectiveCall{want: x.sum(0, c.Size(), me, length(me)), got: make([]int32, length(me))}
	if x.inPlace() {
		d.got, ins = in[:length(me)], cut(in, ins)
	}
	if x.operation == "reducescatter" {
		d.call = func() error { return mpi.ReduceScatter(c, in, d.got, op) }
		d.start = func() (*mpi.Request, error) { return mpi.IReduceScatter(c, in, d.got, op) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.ReduceScatterInit(c, in, d.got, op) }
	} else {
		d.call = func() error { return mpi.ReduceScatterV(c, ins, d.got, op) }
		d.start = func() (*mpi.Request, error) { return mpi.IReduceScatterV(c, ins, d.got, op) }
		d.prepare = func() (*mpi.Persistent, error) { return mpi.ReduceScatterVInit(c, ins, d.got, op) }
	}
	return d
}
