package mpi

import (
	"slices"

	"musubi/mpi/internal/buffer"
	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/outgoing"
	"musubi/mpi/internal/sparse"
	"musubi/rma"
	"musubi/units"
)

// engine is what all communicators of a process have in common: it sends, takes
// arrivals, matches them with receives and pulls long messages. It does so inside
// calls of the process only, and then for everything that is under way.
//
// All that this package sends is envelopes with data behind them (envelope.go), each by
// one IPush (outgoing.go). The way of a message, by methods of engine:
//
//	send            a short message with its data (sendEager), else it asks with the
//	                envelope alone, and lends the memory (ask, in rendezvous.go)
//	takeArrival     at the other end, in whatever call that is: a whole message goes
//	                to handle (arrival.go)
//	arrive          looks for a receive in the matcher of its context, or keeps the message
//	receive         the other way round: looks for a message, or posts the receive
//	deliver         the two have met: copies the data, or begins to pull it
//	endPulls        the data is there: the sender is told (answered)
//
// Collective operations are schedules of such messages, computed beforehand (schedule.go);
// goOnAll carries out the steps that can be (schedule_run.go). What knows other ways, such
// as boards, barriers by interfaces, multicasts and persistent exchanges, has fields here of
// which progress and block take care.
type engine struct {
	p              rma.Process
	messenger      rma.Messenger        // p, or nil if it is none
	boards         rma.SharedBarriers   // likewise
	collector      rma.Collector        // likewise
	atomics        rma.Atomics          // likewise
	accumulator    rma.Accumulator      // likewise
	multicaster    rma.Multicaster      // likewise
	head           [envelope.Bytes]byte // of what it sends
	rank, size     int
	limits         limits
	atOnce         []int // bytes of the longest message to each process that the messenger can send; -1: none
	shared         bool
	oversubscribed bool // processes share processors
	closed         bool

	contexts []*matcher // nil where nothing has happened yet
	counts   counts     // of all matchers

	partial  sparse.Values[[]byte] // of each process, what has come of a message
	begun    int                   // messages of which something has come
	buffers  buffer.Pool           // for what arrives, and what is packed
	out      outgoing.Messages
	pulls    []*Request // being pulled, in the order of their beginnings
	changing int        // words of windows whose changes are under way
	asked    table      // sends that wait for an answer

	windows []*window // by the number of their communicator; nil where there is none
	fetches table     // accesses to windows that wait for what was there

	ready, spareReady []*running // collective operations that can go on
	exchanges         exchanges
	teams             []*Comm    // of which interfaces do an operation
	landings          []*landing // that wait for a multicast
	yard              yard
	news              func() bool

	ids ids // of communicators

	vain units.Time // of the last look that has found nothing

	awaited *Request // what the process waits for, for explain
	meets   *Comm    // on whose board it waits, likewise
	now     Request  // what it waits for in receiveNow

	requests []*Request // to be used again, of calls that have returned
	messages []*message // likewise
}

// watched is how many of the pulls under way are waited for at once. The interface
// carries them out in about the order in which they were started, and each look
// costs time.
const watched = 4

func newEngine(p rma.Process, o Options) (*engine, error) {
	limits := o.limits(p)
	shared, err := o.setRings(p, limits.longest())
	if err != nil {
		return nil, err
	}
	e := &engine{p: p, rank: p.Rank(), size: p.Size(), limits: limits, shared: shared, partial: sparse.New[[]byte](p.Size())}
	if e.messenger, _ = p.(rma.Messenger); e.messenger != nil {
		e.atOnce = limits.atOnce(e.rank, e.size)
	}
	e.boards, _ = p.(rma.SharedBarriers)
	e.collector, _ = p.(rma.Collector)
	e.atomics, _ = p.(rma.Atomics)
	e.accumulator, _ = p.(rma.Accumulator)
	e.multicaster, _ = p.(rma.Multicaster)
	e.now.receive = true
	e.news = func() bool {
		return e.exchanges.hasNews() || slices.ContainsFunc(e.teams, (*Comm).hasResult) || slices.ContainsFunc(e.landings, (*landing).hasLanded)
	}
	e.out.Init(p)
	e.vain = -1
	if x, ok := p.(rma.Explainer); ok {
		x.Explain(e.explain)
	}
	if x, ok := p.(rma.Oversubscription); ok {
		e.oversubscribed = x.Oversubscribed()
	}
	return e, nil
}

// matcher returns that of a context.
func (e *engine) matcher(context uint32) *matcher {
	if int(context) < len(e.contexts) && e.contexts[context] != nil {
		return e.contexts[context]
	}
	return e.addMatcher(context)
}

func (e *engine) addMatcher(context uint32) *matcher {
	if missing := int(context) + 1 - len(e.contexts); missing > 0 {
		e.contexts = append(e.contexts, make([]*matcher, missing)...)
	}
	m := newMatcher(e.size, e.shared, &e.counts)
	e.contexts[context] = m
	return m
}

// forget ends a context.
func (e *engine) forget(context uint32) {
	if int(context) < len(e.contexts) {
		e.contexts[context] = nil
	}
}

// wait makes progress until a request is complete. Its error is of the machine, not
// of the request.
func (e *engine) wait(r *Request) error {
	for !r.complete {
		if err := e.blockFor(r); err != nil {
			return err
		}
	}
	return nil
}

// block waits until something has come about, and deals with it.
func (e *engine) block() error {
	if err := e.out.Tidy(); err != nil {
		return err
	}
	switch {
	case len(e.ready) > 0: // they wait for room
		err := e.makeRoom()
		e.goOnAll()
		return err
	case len(e.exchanges.active) > 0 || len(e.teams) > 0 || len(e.landings) > 0:
		return e.blockForNews()
	case len(e.pulls) == 0:
		err := e.takeArrival()
		e.goOnAll()
		return err
	}
	var ops [watched]rma.Op
	n := 0
	for _, r := range e.pulls[:min(watched, len(e.pulls))] {
		ops[n] = r.pull
		n++
	}
	if err := e.p.Await(ops[:n]...); err != nil {
		return err
	}
	return e.progress()
}

// mostArrivals is how many arrivals a call deals with. A process that others want
// something of all the time comes to its own work all the same.
const mostArrivals = 256

// progress deals with what has come about, without waiting for more.
func (e *engine) progress() error {
	for range mostArrivals {
		arrived, err := e.p.Poll()
		if err != nil {
			return err
		}
		if !arrived {
			break
		}
		if err := e.takeArrival(); err != nil {
			return err
		}
	}
	err := e.endPulls()
	e.goOnAll()
	return err
}

// lookTime is how long a second look takes at least. On machines where looking costs
// nothing, time would stand still for a program that looks until something is there.
const lookTime = 100 * units.Nanosecond

// lookedInVain is called when a process has looked for what it then does not wait for.
func (e *engine) lookedInVain() {
	if now := e.p.Now(); now != e.vain {
		e.vain = now
		return
	}
	e.p.Compute(lookTime)
	e.vain = e.p.Now()
}
