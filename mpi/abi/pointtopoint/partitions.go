package pointtopoint

import (
	"math/bits"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Psend_init":   func(c *abi.Call) error { return initParts(c, false) },
		"MPI_Precv_init":   func(c *abi.Call) error { return initParts(c, true) },
		"MPI_Pready":       func(c *abi.Call) error { return partsReady(c, c.Words[1], c.At(0), c.At(0)) },
		"MPI_Pready_range": func(c *abi.Call) error { return partsReady(c, c.Words[2], c.At(0), c.At(1)) },
		"MPI_Pready_list":  partsReadyList,
		"MPI_Parrived":     partArrived,
	})
}

// initParts makes the request of a send or a receive in partitions. Its arguments are: address,
// partitions, count, type, rank, tag, communicator, info and request.
func initParts(c *abi.Call, receives bool) error {
	x, err := partsAt(c, receives)
	if err != nil {
		return err
	}
	table, bytes := x.Comm.Inner.Partitions(), x.Count*x.Of.Size
	if receives {
		x.Receive, err = table.PrepareReceive(x.Comm.Point, c.Function.Name, x.Rank, x.Tag, x.Partitions, bytes)
		x.Put = make([]bool, max(x.Partitions, 0))
	} else {
		x.Send, err = table.PrepareSend(x.Comm.Point, c.Function.Name, x.Rank, x.Tag, x.Partitions, bytes)
	}
	if err != nil {
		return err
	}
	c.PutWord(c.Words[8], c.Requests.Add(&abi.Request{Comm: x.Comm, Again: func(c *abi.Call) (*abi.Request, error) { return startParts(x, c) }, Done: true, Status: abi.EmptyStatus, Parts: x}))
	return nil
}

func partsAt(c *abi.Call, receives bool) (x *abi.Parts, err error) {
	x = &abi.Parts{Partitions: c.At(1)}
	x.At = c.Words[0]
	if x.Comm, err = c.Comm(6); err != nil {
		return nil, err
	}
	if x.Count, x.Of, err = c.Counted(2); err != nil {
		return nil, err
	}
	if hi, all := bits.Mul64(uint64(max(x.Partitions, 0)), uint64(x.Count)); hi != 0 || int(all) < 0 {
		return nil, abi.Wrong(standard.ErrCount, "%d partitions of %d elements; expected what a process can address", x.Partitions, x.Count)
	} else if err = abi.CheckData(int(all), x.Of); err != nil {
		return nil, err
	}
	if x.Rank, err = c.Peer(x.Comm, c.At(4), false); err != nil {
		return nil, err
	}
	x.Tag, err = c.Tag(c.At(5), false)
	return x, err
}

// startParts starts it, as a persistent request.
func startParts(x *abi.Parts, c *abi.Call) (*abi.Request, error) {
	if x.Send != nil {
		return &abi.Request{Parts: x}, x.Send.Start()
	}
	clear(x.Put)
	x.All = c.Landing(x.At, x.Partitions*x.Count, x.Of)
	return &abi.Request{Parts: x, IsReceive: true}, x.Receive.Start(x.All.Data)
}

// addressOf returns where a partition begins.
func addressOf(x *abi.Parts, partition int) int64 {
	return x.At + int64(partition*x.Count*x.Of.Extent())
}

func completeParts(x *abi.Parts) bool {
	if x.Send != nil {
		return x.Send.Complete()
	}
	return x.Receive.Complete()
}

func openParts(x *abi.Parts) *core.Request {
	if x.Send != nil {
		return x.Send.Open()
	}
	return x.Receive.Open()
}

// checkReady fails if the program waits for partitions that it has not told of. It is for programs of
// which one thread at a time calls, so that nobody else can.
func checkReady(x *abi.Parts) error {
	if x.Send == nil || x.Send.Missing() == 0 {
		return nil
	}
	return abi.Wrong(standard.ErrRequest, "a send in %d partitions, of which %d are not ready; expected MPI_Pready for all of them before", x.Partitions, x.Send.Missing())
}

// endParts ends a complete one.
func endParts(x *abi.Parts, p *abi.Process) (core.Status, error) {
	if x.Send != nil {
		return abi.EmptyStatus, x.Send.End()
	}
	status, err := x.Receive.End()
	if err == nil {
		for i := range x.Put {
			land(x, p, i)
		}
	}
	return status, err
}

// land puts a partition that has arrived where it belongs.
func land(x *abi.Parts, p *abi.Process, partition int) {
	if x.All.Direct || x.Put[partition] {
		return
	}
	x.Put[partition] = true
	bytes := x.Count * x.Of.Size
	p.Scatter(addressOf(x, partition), x.All.Data[partition*bytes:(partition+1)*bytes], x.Count, x.Of)
}

// partsOf returns the request in partitions that a handle names.
func partsOf(c *abi.Call, h int64) (*abi.Request, *abi.Parts, error) {
	r, err := c.RequestAt(h)
	if err != nil {
		return nil, nil, err
	}
	if r == nil || r.Parts == nil {
		return nil, nil, abi.Wrong(standard.ErrRequest, "a request of another kind; expected one in partitions")
	}
	setOn(c, r)
	return r, r.Parts, nil
}

// partsReady sends partitions from low to high.
func partsReady(c *abi.Call, h int64, low, high int) error {
	_, x, err := partsOf(c, h)
	if err != nil {
		return err
	}
	switch {
	case low > high:
		return abi.Wrong(standard.ErrArg, "partitions %d to %d; expected the lower one first", low, high)
	case low < 0 || high >= x.Partitions: // before any of them is sent
		return abi.Wrong(standard.ErrArg, "partitions %d to %d; expected some of 0 to %d", low, high, x.Partitions-1)
	}
	for i := low; i <= high; i++ {
		if err := partReady(c, x, i); err != nil {
			return err
		}
	}
	return nil
}

func partReady(c *abi.Call, x *abi.Parts, partition int) error {
	switch {
	case x.Send == nil:
		return abi.Wrong(standard.ErrRequest, "a receive in partitions; expected a send")
	case uint(partition) >= uint(x.Partitions):
		return abi.Wrong(standard.ErrArg, "partition %d; expected 0 to %d", partition, x.Partitions-1)
	}
	return x.Send.Ready(c.Function.Name, partition, c.Outgoing(addressOf(x, partition), x.Count, x.Of))
}

func partsReadyList(c *abi.Call) error {
	_, x, err := partsOf(c, c.Words[2])
	if err != nil {
		return err
	}
	if c.At(0) < 0 {
		return abi.Wrong(standard.ErrArg, "%d partitions; expected at least 0", c.At(0))
	}
	for _, i := range c.Ints(c.Words[1], c.At(0), false) {
		if err := partReady(c, x, int(i)); err != nil {
			return err
		}
	}
	return nil
}

func partArrived(c *abi.Call) error {
	r, x, err := partsOf(c, c.Words[0])
	switch {
	case err != nil:
		return err
	case x.Receive == nil:
		return abi.Wrong(standard.ErrRequest, "a send in partitions; expected a receive")
	}
	arrived := isIdle(r) || r.Done
	if !arrived {
		if arrived, err = x.Receive.Test(c.Function.Name, c.At(1)); err != nil {
			return err
		}
		if arrived {
			land(x, c.Process, c.At(1))
		}
	}
	c.PutBool(c.Words[2], arrived)
	return nil
}
