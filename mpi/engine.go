package mpi

import (
	"fmt"
	"slices"

	"musubi/rma"
	"musubi/units"
)

// engine is what all communicators of a process have in common: it sends, takes
// arrivals, matches them with receives and pulls long messages. It does so inside
// calls of the process only, and then for everything that is under way.
type engine struct {
	p           rma.Process
	messenger   rma.Messenger       // p, or nil if it is none
	boards      rma.Boards          // likewise
	collector   rma.Collector       // likewise
	atomics     rma.Atomics         // likewise
	multicaster rma.Multicaster     // likewise
	head        [envelopeBytes]byte // of what it sends
	rank, size  int
	limits      limits
	atOnce      []int // bytes of the longest message to each process that the messenger can send; -1: none
	shared      bool
	crowded     bool // processes share processors
	closed      bool

	contexts []*matcher // nil where nothing has happened yet
	counts   counts     // of all matchers

	partial pages[[]byte] // of each process, what has come of a message
	begun   int           // messages of which something has come
	buffers pool          // for what arrives, and what is packed
	out     outgoing
	pulls   []*Request // being pulled, in the order of their beginnings
	asked   table      // sends that wait for an answer

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
	e := &engine{p: p, rank: p.Rank(), size: p.Size(), limits: limits, shared: shared, partial: newPages[[]byte](p.Size())}
	if e.messenger, _ = p.(rma.Messenger); e.messenger != nil {
		e.atOnce = limits.atOnce(e.rank, e.size)
	}
	e.boards, _ = p.(rma.Boards)
	e.collector, _ = p.(rma.Collector)
	e.atomics, _ = p.(rma.Atomics)
	e.multicaster, _ = p.(rma.Multicaster)
	e.now.receive = true
	e.news = func() bool {
		return e.exchanges.hasNews() || slices.ContainsFunc(e.teams, (*Comm).hasResult) || slices.ContainsFunc(e.landings, (*landing).hasLanded)
	}
	e.out.init(p)
	e.vain = -1
	if x, ok := p.(rma.Explainer); ok {
		x.Explain(e.explain)
	}
	if x, ok := p.(rma.Crowd); ok {
		e.crowded = x.Crowded()
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
	if err := e.out.tidy(); err != nil {
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

// takeArrival waits for an arrival, and deals with the message that it completes.
func (e *engine) takeArrival() error {
	if e.messenger != nil {
		return e.borrowArrival()
	}
	a, err := e.p.Next()
	if err != nil {
		return err
	}
	have := *e.partial.at(int32(a.From))
	b := e.grown(have, len(have)+a.Bytes)
	if err := e.p.Take(a, b[len(have):], rma.Cached); err != nil {
		return err
	}
	return e.arrived(a, b)
}

// borrowArrival is takeArrival that does not copy messages that are there as a whole.
func (e *engine) borrowArrival() error {
	a, data, err := e.messenger.Borrow()
	if err != nil {
		return err
	}
	if err := e.borrowed(a, data); err != nil {
		return err
	}
	return e.follow(int32(a.From))
}

// followed is how many messages of one sender are taken before those of the next.
const followed = 32

// follow takes what has come behind a message, while receives wait for messages.
func (e *engine) follow(from int32) error {
	for range followed {
		if e.counts.posted == 0 {
			return nil
		}
		data := e.messenger.Follow()
		if data == nil {
			return nil
		}
		if e.receiveEager(from, data) {
			continue
		}
		if err := e.fromProcess(int(from), e.handle(from, data, nil)); err != nil {
			return err
		}
	}
	return nil
}

// borrowed deals with an arrival that is lent.
func (e *engine) borrowed(a rma.Arrival, data []byte) error {
	have := *e.partial.at(int32(a.From))
	if a.Last && have == nil {
		if e.receiveEager(int32(a.From), data) {
			return nil
		}
		return e.fromProcess(a.From, e.handle(int32(a.From), data, nil))
	}
	b := e.grown(have, len(have)+len(data))
	copy(b[len(have):], data)
	return e.arrived(a, b)
}

// arrived deals with what has come of a message so far, in a buffer.
func (e *engine) arrived(a rma.Arrival, b []byte) error {
	partial := e.partial.at(int32(a.From))
	if *partial != nil {
		e.begun--
	}
	if *partial = nil; !a.Last {
		*partial = b
		e.begun++
		return nil
	}
	return e.fromProcess(a.From, e.handle(int32(a.From), b, b))
}

// fromProcess says whose message an error is about.
func (e *engine) fromProcess(from int, err error) error {
	if err != nil {
		return fmt.Errorf("from process %d: %w", from, err)
	}
	return nil
}

// grown returns a buffer of n bytes that begins with what another has, which it
// replaces.
func (e *engine) grown(have []byte, n int) []byte {
	if n <= cap(have) {
		return have[:n]
	}
	b := e.buffers.get(n)
	copy(b, have)
	e.buffers.put(have)
	return b
}

// handle deals with a whole message. It is in a buffer, or borrowed.
func (e *engine) handle(from int32, b, buffer []byte) error {
	v, data, err := decode(b)
	if err != nil {
		return err
	}
	switch v.kind {
	case done, failed:
		e.buffers.put(buffer)
		return e.answered(from, &v)
	case remote:
		err := e.toWindow(from, &v, data)
		e.buffers.put(buffer)
		return err
	}
	msg := message{envelope: v, from: from, data: data, buffer: buffer}
	return e.arrive(&msg)
}

// arrive gives a message to the receive that it matches, or keeps a copy of it.
func (e *engine) arrive(msg *message) error {
	m := e.matcher(msg.context)
	if r := m.take(msg.from, msg.tag); r != nil {
		return e.deliver(r, msg)
	}
	kept := e.newMessage()
	*kept = *msg
	if kept.buffer == nil && len(kept.data) > 0 {
		kept.buffer = e.buffers.get(len(kept.data))
		copy(kept.buffer, kept.data)
		kept.data = kept.buffer
	}
	m.add(kept)
	return nil
}

func (e *engine) newMessage() *message {
	last := len(e.messages) - 1
	if last < 0 {
		return new(message)
	}
	msg := e.messages[last]
	e.messages = e.messages[:last]
	return msg
}

// freeMessage gives back a message that has been delivered.
func (e *engine) freeMessage(msg *message) {
	*msg = message{}
	e.messages = append(e.messages, msg)
}
