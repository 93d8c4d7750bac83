package abi

import (
	"slices"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/partitioned"
)

// Request is a request of the program.
type Request struct {
	Comm      *Comm
	Core      *core.Request // nil: it is done, or not started
	Also      *core.Request // of the send of a send and receive
	Lands     []Landing
	Args      releaser // of a collective operation, which reads them until it is complete
	IsReceive bool
	Sent      SentNumber    // of a send
	Buffered  *core.Request // of a send out of a buffer, which is done at once
	Done      bool
	Status    core.Status
	Failed    error

	Again  func(c *Call) (*Request, error) // starts a persistent one
	Active bool                            // a persistent one is started
	InLane *LanePersistent                 // what lanes may start for it; nil: nothing
	Own    *Generalized
	Parts  *Parts // of one in partitions

	Flushes []BufferedMessage // that have to be gone
}

// NewRequest returns a request, recycled if possible.
func (p *Process) NewRequest(m *Comm) *Request {
	if last := len(p.spareRequests) - 1; last >= 0 {
		r := p.spareRequests[last]
		p.spareRequests = p.spareRequests[:last]
		r.Comm = m
		return r
	}
	return &Request{Comm: m}
}

// Recycle takes back a request that is complete and has no handle any more.
func (p *Process) Recycle(r *Request) {
	if r.Core != nil {
		one := [1]*core.Request{r.Core}
		core.ReleaseAll(one[:])
	}
	r.ReleaseArgs()
	lands := r.Lands[:0]
	clear(r.Lands)
	*r = Request{Lands: lands}
	p.spareRequests = append(p.spareRequests, r)
}

// releaser is something that somebody else uses again.
type releaser interface{ Release() }

// ReleaseArgs gives the arguments of a complete operation back.
func (r *Request) ReleaseArgs() {
	if r.Args != nil {
		r.Args.Release()
		r.Args = nil
	}
}

// DoneRequest returns the handle of a request that is complete.
func (p *Process) DoneRequest(m *Comm) int64 {
	r := p.NewRequest(m)
	r.Done, r.Status = true, EmptyStatus
	return p.Requests.Add(r)
}

// Persistent makes a persistent request, and returns its handle.
func (p *Process) Persistent(m *Comm, again func(c *Call) (*Request, error)) int64 {
	return p.Requests.Add(&Request{Comm: m, Again: again, Done: true, Status: EmptyStatus})
}

// PersistentMessage makes a persistent send or receive, which the program may start by itself where there are lanes.
func (p *Process) PersistentMessage(m *Comm, l LanePersistent, again func(c *Call) (*Request, error)) int64 {
	l.Handle = p.Persistent(m, again)
	if p.Lanes != nil {
		r := p.Requests.Get(l.Handle)
		r.InLane = &l
		p.MayStart(r)
	}
	return l.Handle
}

// MayStart lets the program start a persistent request by itself, which is not active, and MayNotStart ends that.
func (p *Process) MayStart(r *Request) {
	if r.InLane != nil && p.CommAt(r.InLane.Comm) == r.Comm { // it may have been freed
		p.Lanes.KeepPersistent(*r.InLane)
	}
}

func (p *Process) MayNotStart(r *Request) {
	if r.InLane != nil {
		p.Lanes.ForgetPersistent(r.InLane.Handle)
	}
}

// RequestAt returns the request of a handle, nil for MPI_REQUEST_NULL.
func (c *Call) RequestAt(h int64) (*Request, error) {
	c.reopens = true
	switch {
	case h == standard.RequestNull:
		return nil, nil
	case isSentInLane(h):
		r := c.NewRequest(nil)
		r.Done, r.Status, r.Sent = true, EmptyStatus, c.sent.sentInLane(h)
		return r, nil
	}
	if r := c.Requests.Get(h); r != nil {
		return r, nil
	}
	return nil, Wrong(standard.ErrRequest, "%#x is no request", h)
}

// Generalized is a request that the program completes itself.
type Generalized struct {
	Query, Free, Cancel int64
	Extra               int64
	Complete, Dropped   bool
}

// Parts is a send or a receive in partitions: one of send and receive is set.
type Parts struct {
	Transfer   // its count is that of one partition
	Partitions int
	Send       *partitioned.Send
	Receive    *partitioned.Receive
	All        Landing // of a receive that has been started
	Put        []bool  // partitions that are where they belong
}

// Message is a message that a matched probe has taken.
type Message struct {
	*core.Message
	Comm *Comm
}

// AttachedBuffers is the room for buffered sends. The program's buffer says how much; the data lies
// in memory of this package.
type AttachedBuffers struct {
	Own       Attached
	Constants int64 // address of values of standard attributes
	Abandoned []*Request
	InComms   bool // communicators have had some of their own; of a process only
}

// Attached is a buffer that the program has attached.
type Attached struct {
	At          int64
	Bytes, Used int
	Sends       []BufferedMessage
	spare       [][]byte // of messages that have gone
}

// BufferedMessage is a message that has been sent out of a buffer.
type BufferedMessage struct {
	*core.Request
	Data []byte
}

// mostSpare is how many pieces of memory a buffer keeps for messages to come.
const mostSpare = 16

// Room returns memory for a message, if possible some that has been used before: the first access to fresh memory takes longer
// than the copy.
func (b *Attached) Room(bytes int) []byte {
	best := -1
	for i, m := range b.spare {
		if cap(m) >= bytes && (best < 0 || cap(m) < cap(b.spare[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]byte, bytes)
	}
	m := b.spare[best][:bytes]
	b.spare = slices.Delete(b.spare, best, best+1)
	return m
}

// Keep keeps a message that is under way, with its memory.
func (b *Attached) Keep(m BufferedMessage) {
	b.Sends = append(b.Sends, m)
	b.Used += len(m.Data)
}

// Drop takes back memory of a message that is not under way any more. Of too many pieces the smallest one goes.
func (b *Attached) Drop(m BufferedMessage) {
	b.Used -= len(m.Data)
	b.spare = append(b.spare, m.Data)
	if len(b.spare) <= mostSpare {
		return
	}
	least := 0
	for i := range b.spare {
		if cap(b.spare[i]) < cap(b.spare[least]) {
			least = i
		}
	}
	b.spare = slices.Delete(b.spare, least, least+1)
}

// FreeBuffer returns how many bytes the buffer has that all communicators use, if no message is in it; 0 if a communicator has one of its own.
func (p *Process) FreeBuffer() int {
	if b := &p.Buffers.Own; len(b.Sends) == 0 && !p.Buffers.InComms {
		return b.Bytes
	}
	return 0
}

// message is the arguments of a send or a receive: address, count, type, rank, tag, communicator.
type Transfer struct {
	Comm      *Comm
	At        int64
	Count     int
	Of        *Datatype
	Rank, Tag int
}
