package mpi

import (
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/partitioned"
)

// PartitionedSend is a send in partitions that are of one length and follow each other: each is sent
// as soon as its data is ready. It is prepared once, and started again and again.
type PartitionedSend struct {
	send  *partitioned.Send
	part  func(partition int) []byte
	parts int
}

// PSendInit prepares a send of all elements in so many partitions. It is matched with a PReceiveInit
// of the other rank with the same tag; if there are several, in the order in which both sides have
// prepared them. A rank may divide what it receives in other partitions than the sender.
//
// It fails with ErrArgument if the elements cannot be divided so, and else as Send does.
func PSendInit[T any](c *Comm, to, tag int, data []T, partitions int) (*PartitionedSend, error) {
	const call = "PSendInit"
	defer c.enter(call).Leave()
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	if err := divides(c, call, len(data), partitions); err != nil {
		return nil, err
	}
	bytes := len(b) / partitions
	s, err := c.inner().Partitions().PrepareSend(&c.comm.Comm, call, to, tag, partitions, bytes)
	if err != nil {
		return nil, err
	}
	return &PartitionedSend{s, func(i int) []byte { return b[i*bytes : (i+1)*bytes] }, partitions}, nil
}

// divides fails if so many elements do not make partitions of one length.
func divides(c *Comm, call string, elements, partitions int) error {
	if partitions < 1 || elements%partitions != 0 {
		return c.inner().Failf(fault.Argument, call, "%d elements in %d partitions; expected a number of partitions, at least 1, that divides them", elements, partitions)
	}
	return nil
}

// Start starts it: no partition is ready. It fails with ErrRequest if the last start is not complete.
func (s *PartitionedSend) Start() error { return s.send.Enter("Start").Returns(s.send.Start()) }

// Ready sends a partition, whose elements may not be changed until Wait returns. It does not wait. It
// fails with ErrArgument if there is no such partition, or it is ready already, and with ErrRequest if
// the send has not been started.
func (s *PartitionedSend) Ready(partition int) error {
	var data []byte
	if uint(partition) < uint(s.parts) {
		data = s.part(partition)
	}
	return s.send.Enter("Ready").Returns(s.send.Ready("Ready", partition, data))
}

// Wait waits until the elements may be changed. It fails with ErrRequest if partitions are not ready.
func (s *PartitionedSend) Wait() error { return s.send.Enter("Wait").Returns(s.send.Wait()) }

// Free gives back what has been prepared. The last start has to be complete.
func (s *PartitionedSend) Free() { s.send.Free() }

// PartitionedReceive is a receive in partitions that are of one length and follow each other: the
// program may use each as soon as it has arrived. It is prepared once, and started again and again.
type PartitionedReceive struct {
	receive *partitioned.Receive
	into    []byte
}

// PReceiveInit prepares a receive of all elements in so many partitions; see PSendInit. It has no
// wildcards.
//
// It fails with ErrArgument if the elements cannot be divided so, and else as Receive does. When it is
// waited for, it fails with ErrTruncate if the sender has more elements, or less.
func PReceiveInit[T any](c *Comm, from, tag int, into []T, partitions int) (*PartitionedReceive, error) {
	const call = "PReceiveInit"
	defer c.enter(call).Leave()
	if err := c.inner().CheckTo(call, from, tag); err != nil { // as for a send: a rank and a tag
		return nil, err
	}
	b, err := receiving(c, call, from, tag, into)
	if err != nil {
		return nil, err
	}
	if err := divides(c, call, len(into), partitions); err != nil {
		return nil, err
	}
	r, err := c.inner().Partitions().PrepareReceive(&c.comm.Comm, call, from, tag, partitions, len(b)/partitions)
	return &PartitionedReceive{r, b}, err
}

// Start starts it. It fails with ErrRequest if the last start is not complete.
func (r *PartitionedReceive) Start() error {
	return r.receive.Enter("Start").Returns(r.receive.Start(r.into))
}

// Arrived makes progress without waiting, and reports whether all elements of a partition are there.
func (r *PartitionedReceive) Arrived(partition int) (bool, error) {
	defer r.receive.Enter("Arrived").Leave()
	return r.receive.Test("Arrived", partition)
}

// Wait waits until all partitions have arrived.
func (r *PartitionedReceive) Wait() (Status, error) {
	defer r.receive.Enter("Wait").Leave()
	s, err := r.receive.Wait()
	return Status(s), err
}
