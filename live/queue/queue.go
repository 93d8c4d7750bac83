package queue

import (
	"fmt"
	"math"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/rma"
)

// commandQueue is an open command queue in the hands of its owner. Those who carry out its
// commands in this process read data.
type commandQueue struct {
	c      *Queues
	name   shm.QueueName
	state  *shm.Queue
	data   [][]byte  // by slot, so that it is held
	read   shm.Order // of the data before the completion of its command
	closed bool
}

func (q *commandQueue) Number() int  { return q.name.Number }
func (q *commandQueue) Engine() int  { return 0 }
func (q *commandQueue) Entries() int { return len(q.data) }

func (q *commandQueue) Post(list ...rma.Command) error {
	p := q.state.Pointers()
	switch {
	case q.closed:
		return q.errClosed("Post")
	case len(list) > p.Room(len(q.data)):
		return fmt.Errorf("rma: %d commands to queue %d of rank %d, which has %d entries and room for %d: %w",
			len(list), q.name.Number, q.name.Rank, len(q.data), p.Room(len(q.data)), rma.ErrQueueFull)
	}
	for i := range list {
		if err := q.check(&list[i]); err != nil {
			return err
		}
	}
	for i := range list {
		at := p.Write + uint64(i)
		q.data[at%uint64(len(q.data))] = list[i].Data
		q.encode(q.state.Command(at), &list[i])
	}
	q.c.posted.Release()
	q.state.Write.Store(p.Write + uint64(len(list)))
	q.c.runner.run(q.name)
	return q.c.host.Problem()
}

// check fails if a command is wrong by itself.
func (q *commandQueue) check(c *rma.Command) error {
	if !c.Put {
		return nil
	}
	if err := q.c.checkRank(c.TargetQueue.Rank); err != nil {
		return err
	}
	switch {
	case len(c.Data) > 0 && c.To.Rank != c.TargetQueue.Rank:
		return fmt.Errorf("rma: put to %v that rank %d takes; expected a queue of the rank that it goes to", c.To, c.TargetQueue.Rank)
	case c.TargetQueue.Queue < 0 || c.TargetQueue.Queue > math.MaxUint16:
		return fmt.Errorf("rma: put to command queue %d of rank %d; expected one that is open", c.TargetQueue.Queue, c.TargetQueue.Rank)
	case c.Advance < 0 || c.Advance > math.MaxInt32:
		return fmt.Errorf("rma: put that advances a queue by %d commands; expected at least 0 and no more than there can be", c.Advance)
	}
	return nil
}

// encode writes a command to its entry.
func (q *commandQueue) encode(e *shm.Command, c *rma.Command) {
	*e = shm.Command{
		Address: shm.AddressOf(c.Data), Bytes: uint64(len(c.Data)), Offset: uint64(c.To.Offset), Word: c.Word,
		Segment: int32(wire.SegmentNumber(c.To.Segment)), Advance: uint32(c.Advance), To: uint16(c.TargetQueue.Rank), Taker: uint16(c.TargetQueue.Queue),
	}
	if c.Put {
		e.Flags |= shm.IsPut
	}
	if c.Notice {
		e.Flags |= shm.WithNotice
	}
	arena := q.c.job.Arenas
	if at := e.Address - shm.AddressOf(arena); len(c.Data) > 0 && at < uint64(len(arena)) {
		e.Flags |= shm.InArena
		e.Address = at
	}
}

// HasEvent looks at memory only.
func (q *commandQueue) HasEvent() bool {
	return q.state.Done.Load() != q.state.Taken.Load() || q.state.HasNotice()
}

func (q *commandQueue) Completion() (bool, error) {
	if q.closed {
		return false, q.errClosed("Completion")
	}
	if q.state.Done.Load() == q.state.Taken.Load() && (!q.c.Attend() || q.state.Done.Load() == q.state.Taken.Load()) {
		return false, q.c.host.Problem()
	}
	at := q.state.Taken.Load()
	c := q.state.Command(at)
	q.read.Acquire()
	q.data[at%uint64(len(q.data))] = nil
	var err error
	if c.Code != 0 {
		to := rma.Address{Rank: int(c.To), Segment: int(c.Segment), Offset: int(c.Offset)}
		err = q.c.host.ErrorOf(wire.Report{Code: wire.Code(c.Code), Hint: c.Hint}, to, int(c.Bytes))
	}
	q.state.Taken.Store(at + 1)
	return true, err
}

func (q *commandQueue) Notice() (rma.Notice, bool) {
	if q.closed || !q.state.HasNotice() && (!q.c.Attend() || !q.state.HasNotice()) {
		return rma.Notice{}, false
	}
	n, wanted := q.state.TakeNotice()
	if wanted {
		x := q.c.runner
		x.markWaiting()
		x.runMarked()
		q.c.progress.makeRoom()
	}
	return n, true
}

func (q *commandQueue) Close() error {
	if q.closed {
		return q.errClosed("Close")
	}
	if err := q.c.host.AwaitClose(q.state.Enter); err != nil {
		return err
	}
	p := q.state.Pointers()
	if p.Idle() {
		q.closed = true
		q.c.state.Open.And(^q.name.Bit())
	}
	for q.state.Leave() {
	}
	if !q.closed {
		q.c.runner.run(q.name)
		return fmt.Errorf("rma: Close of command queue %d of rank %d, of which %d commands are not complete", q.name.Number, q.name.Rank, p.Ready()+p.Running())
	}
	clear(q.data)
	return nil
}

func (q *commandQueue) errClosed(call string) error {
	return fmt.Errorf("rma: %s of command queue %d of rank %d, which is closed", call, q.name.Number, q.name.Rank)
}
