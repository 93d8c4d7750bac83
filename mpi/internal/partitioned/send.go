package partitioned

import (
	"slices"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Send is a send in partitions, which can be started again and again.
type Send struct {
	table             *Table
	c                 *core.Comm
	call              string
	to, tag           int
	number            int64
	partitions, bytes int
	limit             *core.Limit // of waits for it

	first    int32 // tag of the first partition; 0: none has been taken
	words    [announcementWords]int64
	announce core.Request
	requests []core.Request // of each partition
	ready    []bool
	missing  int // partitions that are not ready
	open     int // requests before it are complete
	active   bool
}

// PrepareSend prepares a send of so many partitions of so many bytes each.
func (t *Table) PrepareSend(c *core.Comm, call string, to, tag, partitions, bytes int) (*Send, error) {
	if partitions < 1 || partitions >= int(t.tags.Count) {
		return nil, c.Failf(fault.Argument, call, "%d partitions; expected 1 to %d", partitions, t.tags.Count-1)
	}
	return &Send{
		table: t, c: c, call: call, to: to, tag: tag, number: t.count(pair{to, tag, false}), partitions: partitions, bytes: bytes, limit: c.Engine.Limit(),
		requests: make([]core.Request, partitions), ready: make([]bool, partitions),
	}, nil
}

// Enter is core.Engine.Enter of the engine of the operation.
func (s *Send) Enter(call string) core.Call {
	s.c.Engine.Within(s.limit)
	return s.c.Engine.Enter(call)
}

// Start starts it. No partition is ready then.
func (s *Send) Start() error {
	if s.active {
		return s.c.Failf(fault.Request, s.call, "a send in partitions that is under way; expected it to be complete")
	}
	clear(s.ready)
	s.missing, s.open, s.active = s.partitions, 0, true
	if s.first != 0 || s.to == core.None {
		return nil
	}
	if err := s.table.take(s); err != nil {
		return s.c.Fail(fault.Other, s.call, err)
	}
	s.words = [announcementWords]int64{int64(s.tag), s.number, int64(s.first), int64(s.partitions), int64(s.bytes)}
	s.announce.SetSend(s.c, s.call, s.c.Collective, s.to, int(s.table.tags.First), elements.Memory(s.words[:]))
	return s.c.Engine.Send(&s.announce, false)
}

// Ready sends a partition, whose data may not be changed until all is complete.
func (s *Send) Ready(call string, partition int, data []byte) error {
	switch {
	case !s.active:
		return s.c.Failf(fault.Request, call, "a send in partitions that has not been started")
	case uint(partition) >= uint(s.partitions):
		return s.c.Failf(fault.Argument, call, "partition %d; expected 0 to %d", partition, s.partitions-1)
	case s.ready[partition]:
		return s.c.Failf(fault.Argument, call, "partition %d is ready already; expected it once after each start", partition)
	}
	s.ready[partition] = true
	s.missing--
	r := &s.requests[partition]
	*r = core.Request{}
	r.SetSend(s.c, s.call, s.c.Collective, s.to, int(s.first)+partition, data)
	if r.Complete { // to nobody
		return nil
	}
	if err := s.c.Engine.Send(r, false); err != nil {
		return s.c.Fail(fault.Other, call, err)
	}
	return nil
}

// Complete reports whether all partitions have been ready, and their data may be changed.
func (s *Send) Complete() bool { return s.missing == 0 && s.Open() == nil }

// Missing returns how many partitions are not ready.
func (s *Send) Missing() int { return s.missing }

// Open returns a message that is not complete, nil if there is none.
func (s *Send) Open() *core.Request {
	if s.first != 0 && !s.announce.Complete {
		return &s.announce
	}
	if s.missing > 0 {
		for i := range s.requests {
			if s.ready[i] && !s.requests[i].Complete {
				return &s.requests[i]
			}
		}
		return nil
	}
	return firstOpen(s.requests, &s.open)
}

// firstOpen returns the first request that is not complete. Those before open are.
func firstOpen(requests []core.Request, open *int) *core.Request {
	for ; *open < len(requests); *open++ {
		if r := &requests[*open]; !r.Complete {
			return r
		}
	}
	return nil
}

// End ends a complete one, which may be started again then. It returns the first error.
func (s *Send) End() error {
	s.active = false
	return end(s.requests)
}

func end(requests []core.Request) (first error) {
	for i := range requests {
		r := &requests[i]
		r.Comm.Engine.RecordEnd(r)
		if r.Err != nil && first == nil {
			first = r.Err
		}
	}
	return first
}

// Free gives back its tags.
func (s *Send) Free() {
	s.table.sends = slices.DeleteFunc(s.table.sends, func(x *Send) bool { return x == s })
}
