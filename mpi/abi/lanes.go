package abi

import (
	"musubi/mpi/abi/handle"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/match"
)

// Lanes are ways on which a program in C sends and receives short messages by itself, between two calls.
type Lanes interface {
	// Share tells the program that its threads call at once from now on. Then Take has to close the lanes, when a call begins.
	Share()
	Take()
	// Open opens those of a communicator, and of others that it was called for before, if nothing is under way. They are closed when the
	// next call begins.
	Open(m *Comm)
	// Reopen opens those of the communicators that Open was called for before.
	Reopen()
	// Close closes those of a communicator for good.
	Close(m *Comm)
	// KeepPersistent lets the program start a persistent send or receive by itself, until ForgetPersistent.
	KeepPersistent(l LanePersistent)
	ForgetPersistent(handle int64)
	// KeepType tells the program of a datatype that is committed, until ForgetType.
	KeepType(t LaneType)
	ForgetType(handle int64)
	// KeepAttribute tells the program of an attribute of a communicator, which it may answer for until ForgetAttribute.
	KeepAttribute(comm, key, value int64)
	ForgetAttribute()
	// End lets the program answer nothing by itself any more: MPI_Finalize has been called.
	End()
}

// DoneAlready returns what the program has carried out of the call by itself, and forgets that: 1 if only the receive of a call that
// sends and receives is left, or how many requests of MPI_Startall have been started.
func (p *Process) DoneAlready() int {
	if p.Lanes == nil {
		return 0
	}
	return int(p.Host.Request(DoneAlready, &[8]int64{}))
}

// takeLanes closes the lanes where threads call at once, when a call begins. Another thread may have had them.
func (p *Process) takeLanes() {
	if p.Lanes != nil {
		p.Lanes.Take()
	}
}

// openLanes opens those of the communicators that calls were about.
func (p *Process) openLanes(c *Call) {
	if p.Lanes == nil || p.callDepth() != 1 || p.State != Started {
		return
	}
	switch {
	case c.used != nil:
		p.Lanes.Open(c.used)
	case c.reopens:
		p.Lanes.Reopen()
	}
}

// reapSends forgets sends that are complete, before lanes are opened: nothing may be under way then, and a message that has
// found no room once would stay so until there are more.
func (p *Process) reapSends(c *Call) error {
	if p.Lanes == nil || c.used == nil && !c.reopens || p.Engine.Out.InFlight.Count == 0 {
		return nil
	}
	return p.Engine.Out.ReapAll()
}

// Step is one of a reduction: the elements of one rank go into those of another.
type Step struct{ From, Into int }

// Steps returns the steps in which the ranks of a communicator reduce short data, where notes have that of all: in MPI_Allreduce,
// in MPI_Reduce to this rank, and in MPI_Reduce_scatter. The last one leaves the result.
func (c *Comm) Steps() (inOrder, toOwn, byHalves []Step) {
	steps := func(o algorithm.Operation) (list []Step) {
		algorithm.CombineAs(o, c.Inner.Size(), c.Inner.Rank(), true, func(from, into int) { list = append(list, Step{from, into}) })
		return list
	}
	return steps(algorithm.AllReduce), steps(algorithm.Reduce), steps(algorithm.ReduceScatterV)
}

// ScanSteps returns the steps of the same in MPI_Scan and in MPI_Exscan. The part of this rank has the result, and in MPI_Exscan at first that of the rank before.
func (c *Comm) ScanSteps() (scan, exscan []Step) {
	steps := func(exclusive bool) (list []Step) {
		algorithm.ScanAs(c.Inner.Rank(), exclusive, func(from, into int) { list = append(list, Step{from, into}) })
		return list
	}
	return steps(false), steps(true)
}

// SentInLane is the lower half of the handles of all sends that programs have started by themselves. They are complete. No
// table has such a handle. The upper half is that of the number of the send.
const SentInLane = int64(handle.Request)

// LanePersistent is a persistent send or receive that a program may start by itself, in the way that it keeps it: with the arguments
// that it was made of.
type LanePersistent struct {
	Handle, Active, Receives         int64
	At, Count, Type, Rank, Tag, Comm int64
}

// LaneReceive is a receive that a program has started by itself, or a persistent send, in the way that it keeps it.
type LaneReceive struct {
	State             LaneState
	Handle            int64
	Comm, Source, Tag int64
	At, Room          int64
	Bytes             int64 // of the message that has come
	_                 [4]int64
	LaneType          int64 // 0: it is received in bytes in a row
	Type, Count       int64 // else elements of a type
	MadeOf            int64 // not 0: it is persistent
	OwnHandle         int64 // of its place, which has the handle of a persistent one for as long as that is active
	Sent              int64 // number of a send; 0: it is a receive, or goes to nobody
}

// LaneState is how far such a receive is.
type LaneState int64

// States of receives.
const (
	EndedInLane LaneState = iota
	WaitingInLane
	CompleteInLane
)

// Reserve gives a receive to come its handle.
func (p *Process) Reserve() int64 {
	r := p.NewRequest(nil)
	r.IsReceive = true
	return p.Requests.Add(r)
}

// ReserveMessage gives a message to come its handle.
func (p *Process) ReserveMessage() int64 { return p.Messages.Add(&Message{}) }

// AdoptMessage makes the message that a program has found by itself one of this package: the next one of a rank with a tag.
func (p *Process) AdoptMessage(handle, comm, source, tag int64) {
	m := p.CommAt(comm)
	msg, err := m.Point.Claim("MPI_Mprobe", int(source), int(tag))
	if err != nil { // of the job: whoever names the message is told that there is none
		p.Messages.Remove(handle)
		return
	}
	*p.Messages.Get(handle) = Message{Message: msg, Comm: m}
}

// Adopt makes the receives that a program has started by itself requests of this package, in their order.
func (p *Process) Adopt(receives []LaneReceive) {
	for i := range receives {
		if receives[i].State != EndedInLane {
			receives[i].Handle = p.adopt(&receives[i])
		}
	}
}

// adopt returns the handle that its place has from now on.
func (p *Process) adopt(l *LaneReceive) (ofPlace int64) {
	r, m := p.Requests.Get(l.Handle), p.CommAt(l.Comm)
	if l.MadeOf == 0 {
		ofPlace = p.Reserve()
	} else {
		p.Lanes.ForgetPersistent(l.Handle)
		ofPlace, l.MadeOf = l.OwnHandle, 0
		*r = Request{Again: r.Again, InLane: r.InLane, Active: true, IsReceive: r.InLane.Receives != 0, Sent: SentNumber(l.Sent)}
	}
	r.Comm = m
	if l.State == CompleteInLane {
		r.Done, r.Status = true, core.Status{From: l.from(), Tag: l.tag(), Bytes: int(l.Bytes)}
		return ofPlace
	}
	land := p.Landing(l.At, int(l.Room), p.TypeAt(standard.Byte))
	if l.LaneType != 0 {
		land = p.Landing(l.At, int(l.Count), p.TypeAt(l.Type))
	}
	r.Lands = append(r.Lands, land)
	var err error
	if r.Core, err = m.Point.IReceive("MPI_Irecv", l.from(), l.tag(), land.Data); err != nil {
		r.Done, r.Failed = true, err
	}
	return ofPlace
}

func (l *LaneReceive) from() int {
	switch l.Source {
	case standard.AnySource:
		return match.AnySource
	case standard.ProcNull:
		return core.None
	}
	return int(l.Source)
}

func (l *LaneReceive) tag() int {
	if l.Tag == standard.AnyTag {
		return match.AnyTag
	}
	return int(l.Tag)
}
