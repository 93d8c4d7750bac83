package abi

import (
	"math/bits"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/partitioned"
)

// parts is a send or a receive in partitions: one of send and receive is set.
type parts struct {
	envelopeOf // its count is that of one partition
	partitions int
	send       *partitioned.Send
	receive    *partitioned.Receive
	all        landing // of a receive that has been started
	put        []bool  // partitions that are where they belong
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Psend_init":   func(c *call) error { return c.initParts(false) },
		"MPI_Precv_init":   func(c *call) error { return c.initParts(true) },
		"MPI_Pready":       func(c *call) error { return c.partsReady(c.a[1], c.at(0), c.at(0)) },
		"MPI_Pready_range": func(c *call) error { return c.partsReady(c.a[2], c.at(0), c.at(1)) },
		"MPI_Pready_list":  (*call).partsReadyList,
		"MPI_Parrived":     (*call).partArrived,
	})
}

// initParts makes the request of a send or a receive in partitions. Its arguments are: address,
// partitions, count, type, rank, tag, communicator, info and request.
func (c *call) initParts(receives bool) error {
	x, err := c.partsAt(receives)
	if err != nil {
		return err
	}
	table, bytes := x.m.c.Partitions(), x.count*x.of.Size
	if receives {
		x.receive, err = table.PrepareReceive(x.m.point, c.function.name, x.rank, x.tag, x.partitions, bytes)
		x.put = make([]bool, max(x.partitions, 0))
	} else {
		x.send, err = table.PrepareSend(x.m.point, c.function.name, x.rank, x.tag, x.partitions, bytes)
	}
	if err != nil {
		return err
	}
	c.putWord(c.a[8], c.requests.Add(&request{m: x.m, again: x.start, done: true, status: emptyStatus, parts: x}))
	return nil
}

func (c *call) partsAt(receives bool) (x *parts, err error) {
	x = &parts{partitions: c.at(1)}
	x.at = c.a[0]
	if x.m, err = c.comm(6); err != nil {
		return nil, err
	}
	if x.count, x.of, err = c.counted(2); err != nil {
		return nil, err
	}
	if hi, all := bits.Mul64(uint64(max(x.partitions, 0)), uint64(x.count)); hi != 0 || int(all) < 0 {
		return nil, wrong(standard.ErrCount, "%d partitions of %d elements; expected what a process can address", x.partitions, x.count)
	} else if err = checkData(int(all), x.of); err != nil {
		return nil, err
	}
	if x.rank, err = c.peer(x.m, c.at(4), false); err != nil {
		return nil, err
	}
	x.tag, err = c.tag(c.at(5), false)
	return x, err
}

// start starts it, as a persistent request.
func (x *parts) start(c *call) (*request, error) {
	if x.send != nil {
		return &request{parts: x}, x.send.Start()
	}
	clear(x.put)
	x.all = c.landing(x.at, x.partitions*x.count, x.of)
	return &request{parts: x, isReceive: true}, x.receive.Start(x.all.data)
}

// addressOf returns where a partition begins.
func (x *parts) addressOf(partition int) int64 {
	return x.at + int64(partition*x.count*x.of.Extent())
}

func (x *parts) complete() bool {
	if x.send != nil {
		return x.send.Complete()
	}
	return x.receive.Complete()
}

func (x *parts) open() *core.Request {
	if x.send != nil {
		return x.send.Open()
	}
	return x.receive.Open()
}

// checkReady fails if the program waits for partitions that it has not told of. It is for programs of
// which one thread at a time calls, so that nobody else can.
func (x *parts) checkReady() error {
	if x.send == nil || x.send.Missing() == 0 {
		return nil
	}
	return wrong(standard.ErrRequest, "a send in %d partitions, of which %d are not ready; expected MPI_Pready for all of them before", x.partitions, x.send.Missing())
}

// end ends a complete one.
func (x *parts) end(p *Process) (core.Status, error) {
	if x.send != nil {
		return emptyStatus, x.send.End()
	}
	status, err := x.receive.End()
	if err == nil {
		for i := range x.put {
			x.land(p, i)
		}
	}
	return status, err
}

// land puts a partition that has arrived where it belongs.
func (x *parts) land(p *Process, partition int) {
	if x.all.direct || x.put[partition] {
		return
	}
	x.put[partition] = true
	bytes := x.count * x.of.Size
	p.scatter(x.addressOf(partition), x.all.data[partition*bytes:(partition+1)*bytes], x.count, x.of)
}

// partsOf returns the request in partitions that a handle names.
func (c *call) partsOf(h int64) (*request, *parts, error) {
	r, err := c.requestAt(h)
	if err != nil {
		return nil, nil, err
	}
	if r == nil || r.parts == nil {
		return nil, nil, wrong(standard.ErrRequest, "a request of another kind; expected one in partitions")
	}
	c.setOn(r)
	return r, r.parts, nil
}

// partsReady sends partitions from low to high.
func (c *call) partsReady(h int64, low, high int) error {
	_, x, err := c.partsOf(h)
	if err != nil {
		return err
	}
	if low > high {
		return wrong(standard.ErrArg, "partitions %d to %d; expected the lower one first", low, high)
	}
	for i := low; i <= high; i++ {
		if err := c.partReady(x, i); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) partReady(x *parts, partition int) error {
	switch {
	case x.send == nil:
		return wrong(standard.ErrRequest, "a receive in partitions; expected a send")
	case uint(partition) >= uint(x.partitions):
		return wrong(standard.ErrArg, "partition %d; expected 0 to %d", partition, x.partitions-1)
	}
	return x.send.Ready(c.function.name, partition, c.outgoing(x.addressOf(partition), x.count, x.of))
}

func (c *call) partsReadyList() error {
	_, x, err := c.partsOf(c.a[2])
	if err != nil {
		return err
	}
	if c.at(0) < 0 {
		return wrong(standard.ErrArg, "%d partitions; expected at least 0", c.at(0))
	}
	for _, i := range c.ints(c.a[1], c.at(0), false) {
		if err := c.partReady(x, int(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) partArrived() error {
	r, x, err := c.partsOf(c.a[0])
	switch {
	case err != nil:
		return err
	case x.receive == nil:
		return wrong(standard.ErrRequest, "a send in partitions; expected a receive")
	}
	arrived := r.isIdle() || r.done
	if !arrived {
		if arrived, err = x.receive.Test(c.function.name, c.at(1)); err != nil {
			return err
		}
		if arrived {
			x.land(c.Process, c.at(1))
		}
	}
	c.putBool(c.a[2], arrived)
	return nil
}
