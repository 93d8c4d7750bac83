// Package core passes messages of bytes between the processes of a job: it matches them, keeps
// requests, and makes progress for all that is under way. Types and operations are known at run
// time only; package mpi is a generic skin over it.
//
// An Engine is what all communicators of a process share. It is made of
//
//	machine     the process, and which messages it can send at once
//	contexts    posted receives and unexpected messages of each context (package match)
//	outgoing    messages in flight
//	steppers    operations of several steps that can advance, such as collective operations
//	sources     progress other than by messages, added by other packages
//	waiting     what the process waits for, for error messages when a job hangs
//
// A Comm is a group with two contexts. A Request is a message, or another operation, that can be
// waited for.
package core

import (
	"unsafe"

	"musubi/internal/goroutine"
	"musubi/internal/sparse"
	"musubi/mpi/internal/buffer"
	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/match"
	"musubi/mpi/internal/outgoing"
	"musubi/rma"
	"musubi/units"
)

// Engine is what all communicators of a process have in common: it sends, takes
// arrivals, matches them with receives and pulls long messages. It does so inside
// calls of the process only, and then for everything that is under way.
//
// All that it sends is envelopes with data behind them (package envelope), each by one IPush
// (package outgoing). A message takes these methods:
//
//	Send            sends a short message with its data (sendEager); of a long one it exposes
//	                the memory, or a copy, and sends the envelope (requestRendezvous, sendStaged)
//	takeArrival     at the receiver, in any call that makes progress: passes a whole message
//	                to Handle
//	arrive          finds a posted receive, or adds the message to the unexpected queue
//	Receive         finds an unexpected message, or posts the receive
//	deliver         message and receive match: copies the data, or starts to pull it
//	endPulls        the data is there: answers the sender (answered)
type Engine struct {
	// What nearly each message needs comes first: in large jobs the engine of a process is not in the processor's cache. First of
	// all comes what a server is asked while the processor works.
	Pulls []*Request // being pulled, in the order of their beginnings
	Out   outgoing.Messages
	machine
	contexts contexts
	offers   offers // receives at an interface that matches
	steppers steppers
	Sources  sources
	limit    *Limit // of the call that the program is in; nil: it waits as long as it takes

	// Share lets other threads of the program call, and returns some time later: soon if something is so then that the one which calls waits
	// for. It is called where the process would block; nil: there is one thread.
	Share func(until func() bool)

	record  record // what is told of messages, if somebody asks
	spare   spares
	Buffers buffer.Pool           // for what arrives, and what is packed
	buffer  [buffer.Smallest]byte // the first of them, so that it is where the engine is
	begun   int                   // messages that have arrived in part
	taking  []byte                // where the message goes that is being taken, see server
	Waiting waiting               // the last that nearly each message needs, see needsAhead

	partial    *sparse.Values[[]byte] // of each process, what has come of a message; nil: no message has come in parts
	unanswered Table[*Request]        // sends that wait for an answer
	staging    *staging               // of long messages, where ranks share processors; nil: none
	Windows    windowMessages         // takes messages for windows; nil: there are none
	tracers    tracers                // who is told of calls
	givenUp    []*Comm                // that calls have left in the middle
	idlePoll   units.Time             // time of the last poll that found nothing; -1: none
	owner      uintptr                // goroutine that may call, if calls are checked

	Closed  bool
	Checked bool // calls are checked
	Compare bool // and compared by messages, where the world does not compare them
	guarded bool // Closed, Checked, traced or limited: calls have to pass the long check

	// Plain says that nothing is to be done before and behind calls: nobody is told of them, and no handle limits
	// how long they wait. Short calls look at it first, and at nothing else of that kind.
	Plain bool
}

// machine is the process, and how it communicates.
type machine struct {
	Process        rma.Process
	Messenger      rma.Messenger // Process, or nil if it is none
	payload        rma.Payload   // Process, or nil if its data is always real
	sharer         rma.Sharer    // Process, or nil if it shares no memory with other ranks, or its interface matches messages
	Rank, Size     int
	Oversubscribed bool // processes share processors
	Limits         limits
	atOnce         []int                // bytes of the longest message to each process that the messenger can send; -1: none
	head           [envelope.Bytes]byte // of the message that is being sent; a field, so that it does not escape
}

// spares are recycled requests and messages.
type spares struct {
	requests []*Request
	messages []*match.Message

	// The first requests are here, so that they are where the engine is: an operation, and the message that it waits for.
	few    [2]Request
	places [4]*Request // of requests, as long as that is enough
}

// begin takes the first requests in.
func (s *spares) begin() { s.requests = append(s.places[:0], &s.few[1], &s.few[0]) }

// windowMessages takes messages for windows.
type windowMessages interface {
	Take(from int32, context, id uint32, body []byte) error
	Open() []string // describes windows that have not been freed
}

// mostAwaited is how many of the pulls in flight are waited for at once. The interface carries them
// out in about the order in which they were started, and each check costs time.
const mostAwaited = 4

// NewEngine gives a process its receive rings, and returns its engine.
func NewEngine(p rma.Process, o Options) (*Engine, error) {
	limits := o.limits(p)
	shared, err := o.setRings(p, limits.longest())
	if err != nil {
		return nil, err
	}
	e := &Engine{
		machine: machine{Process: p, Rank: p.Rank(), Size: p.Size(), Limits: limits}, contexts: contexts{ranks: p.Size(), shared: shared},
		idlePoll: -1,
	}
	e.asked(p)
	if e.Messenger, _ = p.(rma.Messenger); e.Messenger != nil {
		e.Waiting.receive = &Request{IsReceive: true}
		if !e.Records() { // a record is of requests
			e.atOnce = limits.atOnce(e.Rank, e.Size)
		}
	} else {
		e.spare.begin()
		e.Buffers.Put(e.buffer[:])
	}
	e.offers.matcher, _ = p.(rma.Matcher)
	e.payload, _ = p.(rma.Payload)
	if e.offers.matcher == nil {
		e.sharer, _ = p.(rma.Sharer)
	}
	e.Sources.anyEvent = e.Sources.hasEvent
	e.Out.Init(p)
	if o.Check.isOn() {
		e.Checked, e.owner = true, goroutine.Current()
		e.Compare = o.Check.isAsked()
		e.guard()
	}
	if x, ok := p.(rma.Explainer); ok {
		x.Explain(e.Explain)
	}
	if x, ok := p.(rma.Oversubscription); ok {
		e.Oversubscribed = x.Oversubscribed()
	}
	if e.Oversubscribed {
		e.staging = newStaging(p)
	}
	e.needsAhead()
	e.leftNew()
	return e, nil
}

// needsAhead lets the world know what of the engine nearly each message needs.
func (e *Engine) needsAhead() {
	if x, ok := e.Process.(rma.Ahead); ok {
		x.Needs(unsafe.Pointer(e), unsafe.Offsetof(e.Waiting)+unsafe.Offsetof(e.Waiting.receive))
	}
}

// pollTime is how long a second poll takes at least. On simulated machines where polling costs
// nothing, time would stand still for a program that polls until something is there.
const pollTime = 100 * units.Nanosecond

// EndIdlePoll is called when a program has polled and found nothing. A second idle poll at the same
// time takes pollTime.
func (e *Engine) EndIdlePoll() {
	if now := e.Process.Now(); now != e.idlePoll {
		e.idlePoll = now
		return
	}
	e.Process.Compute(pollTime)
	e.idlePoll = e.Process.Now()
}

// Close ends the use of all communicators.
func (e *Engine) Close() {
	e.Closed = true
	e.guard()
}

// guard decides whether calls have to pass the long check.
func (e *Engine) guard() {
	e.guarded = e.Closed || e.Checked || len(e.tracers.all) > 0 || e.limit != nil
}
