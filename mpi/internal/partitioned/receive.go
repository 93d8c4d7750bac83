package partitioned

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

// Receive is a receive in partitions, which can be started again and again.
type Receive struct {
	table             *Table
	c                 *core.Comm
	call              string
	from, tag         int
	number            int64
	partitions, bytes int
	limit             *core.Limit // of waits for it

	sent     *announcement // nil: it has not come
	into     []byte
	requests []core.Request // of each partition of the sender
	posted   bool
	open     int // requests before it are complete
	active   bool
	err      error
}

// PrepareReceive prepares a receive of so many partitions of so many bytes each.
func (t *Table) PrepareReceive(c *core.Comm, call string, from, tag, partitions, bytes int) (*Receive, error) {
	if partitions < 1 {
		return nil, c.Failf(fault.Argument, call, "%d partitions; expected at least 1", partitions)
	}
	return &Receive{table: t, c: c, call: call, from: from, tag: tag, number: t.count(pair{from, tag, true}), partitions: partitions, bytes: bytes, limit: c.Engine.Limit()}, nil
}

// Enter is core.Engine.Enter of the engine of the operation.
func (r *Receive) Enter(call string) core.Call {
	r.c.Engine.Within(r.limit)
	return r.c.Engine.Enter(call)
}

// Start starts it. The partitions come into memory one after the other.
func (r *Receive) Start(into []byte) error {
	if r.active {
		return r.c.Failf(fault.Request, r.call, "a receive in partitions that is under way; expected it to be complete")
	}
	if r.err != nil && r.sent == nil {
		return r.err // it does not fit what is sent
	}
	r.into, r.posted, r.open, r.active, r.err = into, false, 0, true, nil
	r.Open()
	return r.err
}

// Open lets the receive advance, and returns a message that is not complete, nil if there is none.
func (r *Receive) Open() *core.Request {
	if r.from == core.None || r.err != nil || !r.active {
		return nil
	}
	if r.sent == nil {
		a, wait, err := r.table.find(r.c, r.call, name{r.from, r.tag, r.number})
		if wait != nil {
			return wait
		}
		if err == nil {
			err = r.check(a)
		}
		if r.err = err; err != nil {
			return nil
		}
		r.sent, r.requests = &a, make([]core.Request, a.partitions)
	}
	if !r.posted {
		if r.err = r.post(); r.err != nil {
			return nil
		}
	}
	return firstOpen(r.requests, &r.open)
}

// check fails if the sender has other data.
func (r *Receive) check(a announcement) error {
	if got, want := a.partitions*a.bytes, int64(r.partitions)*int64(r.bytes); got != want {
		return r.c.Failf(fault.Truncate, r.call, "%d partitions of %d bytes from rank %d with tag %d; expected %d bytes together, as this rank has memory for",
			a.partitions, a.bytes, r.from, r.tag, want)
	}
	return nil
}

// post posts a receive for each partition of the sender.
func (r *Receive) post() error {
	r.posted = true
	bytes := int(r.sent.bytes)
	for i := range r.requests {
		q := &r.requests[i]
		*q = core.Request{}
		q.SetReceive(r.c, r.call, r.c.Collective, r.from, int(r.sent.first)+i, r.into[i*bytes:(i+1)*bytes])
		if err := r.c.Engine.Receive(q); err != nil {
			return r.c.Fail(fault.Other, r.call, err)
		}
	}
	return nil
}

// Complete lets the receive advance, and reports whether all has arrived.
func (r *Receive) Complete() bool { return r.Open() == nil }

// Test makes progress once, and reports whether all of a partition has arrived. Of a receive that is
// not active all partitions have.
func (r *Receive) Test(call string, partition int) (bool, error) {
	switch arrived, err := r.arrived(call, partition); {
	case arrived || err != nil:
		return arrived, err
	}
	if err := r.c.Engine.Progress(); err != nil {
		return false, r.c.Fail(fault.Other, call, err)
	}
	arrived, err := r.arrived(call, partition)
	if !arrived && err == nil {
		r.c.Engine.EndIdlePoll()
	}
	return arrived, err
}

func (r *Receive) arrived(call string, partition int) (bool, error) {
	if uint(partition) >= uint(r.partitions) {
		return false, r.c.Failf(fault.Argument, call, "partition %d; expected 0 to %d", partition, r.partitions-1)
	}
	if r.Complete() {
		return true, r.err
	}
	if !r.posted || r.bytes == 0 {
		return false, nil
	}
	from, end := partition*r.bytes, (partition+1)*r.bytes
	for i := from / int(r.sent.bytes); i <= (end-1)/int(r.sent.bytes); i++ {
		if !r.requests[i].Complete {
			return false, nil
		}
	}
	return true, nil
}

// End ends a complete one, which may be started again then. It returns its status and the first error.
func (r *Receive) End() (core.Status, error) {
	if r.from == core.None {
		r.active = false
		return core.Nothing, nil
	}
	status := core.Status{From: r.from, Tag: r.tag, Bytes: r.partitions * r.bytes}
	if r.active && r.err == nil {
		r.err = end(r.requests)
	}
	r.active, r.into = false, nil
	return status, r.err
}
