// Package core passes messages of bytes between the processes of a job: it matches them, keeps
// requests, and makes progress for all that is under way. Types and operations are known at run
// time only; package mpi is a generic skin over it.
//
// An Engine is what all communicators of a process share. It is made of
//
//	machine     the process, and which messages it can send at once
//	contexts    the queues of package match, by context
//	outgoing    messages on their way
//	steppers    operations of several messages, which go on step by step
//	sources     ways to make progress other than by messages, which other packages add
//	waiting     what the process waits for, to be told when a job hangs
//
// A Comm is a group with two contexts. A Request is a message, or another operation, that can be
// waited for.
package core

import (
	"musubi/mpi/internal/buffer"
	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/match"
	"musubi/mpi/internal/outgoing"
	"musubi/mpi/internal/sparse"
	"musubi/rma"
	"musubi/units"
)

// Engine is what all communicators of a process have in common: it sends, takes
// arrivals, matches them with receives and pulls long messages. It does so inside
// calls of the process only, and then for everything that is under way.
//
// All that it sends is envelopes with data behind them (package envelope), each by one IPush
// (package outgoing). The way of a message, by methods of engine:
//
//	send            a short message with its data (sendEager), else it asks with the
//	                envelope alone, and exposes the memory (ask, in rendezvous.go)
//	takeArrival     at the other end, in whatever call that is: a whole message goes
//	                to handle (arrival.go)
//	arrive          looks for a posted receive of its context, or keeps the message as an
//	                unexpected one
//	receive         looks for an unexpected message, or posts the receive
//	deliver         the two have met: copies the data, or begins to pull it
//	endPulls        the data is there: the sender is told (answered)
//
// Operations that take several messages go on step by step (stepper, in progress.go). Ways to
// make progress other than by messages plug in as sources.
type Engine struct {
	machine
	contexts contexts

	partial sparse.Values[[]byte] // of each process, what has come of a message
	begun   int                   // messages of which something has come
	Buffers buffer.Pool           // for what arrives, and what is packed
	Out     outgoing.Messages
	Pulls   []*Request      // being pulled, in the order of their beginnings
	asked   Table[*Request] // sends that wait for an answer

	steppers steppers
	Sources  sources
	Windows  windowMessages // takes messages for windows; nil: there are none

	Waiting  waiting
	idlePoll units.Time // of the last poll that has found nothing; -1: none
	spare    spares
	Closed   bool
}

// machine is the process, and how it communicates.
type machine struct {
	Process        rma.Process
	Messenger      rma.Messenger // p, or nil if it is none
	Rank, Size     int
	Oversubscribed bool // processes share processors
	Limits         limits
	atOnce         []int                // bytes of the longest message to each process that the messenger can send; -1: none
	head           [envelope.Bytes]byte // of what is sent
}

// spares are requests and messages to be used again, of calls that have returned.
type spares struct {
	requests []*Request
	messages []*match.Message
}

// windowMessages takes messages for windows.
type windowMessages interface {
	Take(from int32, context, id uint32, body []byte) error
	Open() []string // describes windows that have not been freed
}

// watched is how many of the pulls under way are waited for at once. The interface
// carries them out in about the order in which they were started, and each look
// costs time.
const watched = 4

// NewEngine gives a process its receive rings, and returns its engine.
func NewEngine(p rma.Process, o Options) (*Engine, error) {
	limits := o.limits(p)
	shared, err := o.setRings(p, limits.longest())
	if err != nil {
		return nil, err
	}
	e := &Engine{
		machine: machine{Process: p, Rank: p.Rank(), Size: p.Size(), Limits: limits}, contexts: contexts{ranks: p.Size(), shared: shared},
		partial: sparse.New[[]byte](p.Size()), idlePoll: -1,
	}
	if e.Messenger, _ = p.(rma.Messenger); e.Messenger != nil {
		e.atOnce = limits.atOnce(e.Rank, e.Size)
	}
	e.Waiting.now.IsReceive = true
	e.Sources.news = e.Sources.hasNews
	e.Out.Init(p)
	if x, ok := p.(rma.Explainer); ok {
		x.Explain(e.Explain)
	}
	if x, ok := p.(rma.Oversubscription); ok {
		e.Oversubscribed = x.Oversubscribed()
	}
	return e, nil
}

// lookTime is how long a second poll takes at least. On machines where polling costs
// nothing, time would stand still for a program that polls until something is there.
const lookTime = 100 * units.Nanosecond

// EndIdlePoll is called when a process has polled for what it then does not wait for.
func (e *Engine) EndIdlePoll() {
	if now := e.Process.Now(); now != e.idlePoll {
		e.idlePoll = now
		return
	}
	e.Process.Compute(lookTime)
	e.idlePoll = e.Process.Now()
}
