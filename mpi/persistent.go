package mpi

import (
	"unsafe"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/neighbour"
)

// Persistent is an operation that is prepared once and started again and again with
// the same arguments: a send, a receive, or a collective operation. The elements are
// those that the slices have at each start.
//
// Collective operations are prepared by all ranks of a communicator in the same order.
// They may be started in any order, which may differ between ranks, each as often at all
// of them.
type Persistent struct{ persistent core.Persistent }

func persistentOf(p *core.Persistent) *Persistent { return (*Persistent)(unsafe.Pointer(p)) }

// inner returns the operation of package core, nil if there is none.
func (p *Persistent) inner() *core.Persistent { return (*core.Persistent)(unsafe.Pointer(p)) }

// StartAll starts several, in their order, up to the first that fails.
func StartAll(all ...*Persistent) error {
	for _, p := range all {
		if err := p.Start(); err != nil {
			return err
		}
	}
	return nil
}

// Start starts it. It fails with ErrRequest if the last start is not complete, or if it
// has been freed.
func (p *Persistent) Start() error { return p.inner().Enter("Start").Returns(p.inner().Start()) }

// Request returns what has been started last, to wait for, test or cancel; nil if
// nothing has been. It is the same after each start.
func (p *Persistent) Request() *Request { return requestFor(p.inner().Request()) }

// Wait is Wait of what has been started last.
func (p *Persistent) Wait() (Status, error) { return p.Request().Wait() }

// Test is Test of what has been started last.
func (p *Persistent) Test() (Status, bool, error) { return p.Request().Test() }

// Free gives back what has been prepared. It does not wait for other ranks. It fails with
// ErrRequest if the last start is not complete, or if it has been freed before. Comm.Free
// and Close free what is left.
func (p *Persistent) Free() error { return p.inner().Enter("Free").Returns(p.inner().Release()) }

// SendInit prepares a Send. Errors are as for Send.
//
// With options it is paired: with a ReceiveInit of the other rank that has options, and the same
// tag, of at most 2^28-1. Of several, those that are started first are paired, and so on. A paired
// send matches no other receive, and its data goes straight between the memory of both programs,
// as in persistent neighbourhood operations: see Protocol and Plan. With command queues the
// processors may compute meanwhile. It is complete when the receiver has started its receive and
// the data has been sent. It fails with ErrArgument if the options are wrong.
func SendInit[T any](c *Comm, to, tag int, data []T, options ...ExchangeOptions) (*Persistent, error) {
	const call = "SendInit"
	if len(options) == 0 {
		return sendInit(c, call, to, tag, data, false)
	}
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	defer c.enter(call).Leave()
	p, err := neighbour.PrepareSend(c.inner(), call, to, tag, b, options[0].inner())
	return persistentOf(p), err
}

// SendSyncInit prepares a SendSync.
func SendSyncInit[T any](c *Comm, to, tag int, data []T) (*Persistent, error) {
	return sendInit(c, "SendSyncInit", to, tag, data, true)
}

func sendInit[T any](c *Comm, call string, to, tag int, data []T, sync bool) (*Persistent, error) {
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	return persistentOf(c.comm.PrepareSend(call, to, tag, b, sync)), nil
}

// ReceiveInit prepares a Receive. Errors are as for Receive. With options it is paired with a
// SendInit that has options; then it has no wildcards.
func ReceiveInit[T any](c *Comm, from, tag int, into []T, options ...ExchangeOptions) (*Persistent, error) {
	const call = "ReceiveInit"
	b, err := receiving(c, call, from, tag, into)
	if err != nil {
		return nil, err
	}
	if len(options) == 0 {
		return persistentOf(c.comm.PrepareReceive(call, from, tag, b)), nil
	}
	defer c.enter(call).Leave()
	p, err := neighbour.PrepareReceive(c.inner(), call, from, tag, b, options[0].inner())
	return persistentOf(p), err
}
