package mpi

import (
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/outgoing"
)

// peer is what a window knows of one of its ranks.
type peer struct {
	w       *window // nil: nothing yet
	rank    int
	process int32

	open   bool // it may be accessed in this epoch
	direct bool // pushes to it are complete when they have been started

	under       int   // accesses that have been started and are not complete
	acks        int   // confirmations that are expected
	unconfirmed bool  // something has been sent that nothing tells the end of
	busy        bool  // it is in the list of those with any of this
	failed      error // of an access whose end nobody has asked for yet

	lock  lock // that this rank has there
	holds lock // that it has here

	granted           bool // the lock that was asked for
	posted, completed int  // of which no use has been made yet
}

// peer returns what is known of a rank.
func (w *window) peer(rank int) *peer {
	p := w.peers.At(int32(rank))
	if p.w == nil {
		*p = peer{w: w, rank: rank, process: w.c.process(rank)}
	}
	return p
}

// isSelf reports whether it is this rank.
func (p *peer) isSelf() bool { return p.rank == p.w.c.rank }

// isBusy reports whether there is something for a flush to do.
func (p *peer) isBusy() bool {
	return p.under > 0 || p.acks > 0 || p.unconfirmed || p.failed != nil
}

// note lists a peer as one with which something is under way.
func (p *peer) note() {
	if !p.busy {
		p.busy = true
		p.w.busy = append(p.w.busy, p)
	}
}

// reach returns the rank that n elements are accessed of, from one on; nil without
// error for None.
func (w *window) reach(call string, to, at, n int) (*peer, error) {
	if w == nil || w.freed || uint(to) >= uint(len(w.places)) {
		return nil, w.refuse(call, to)
	}
	p := w.peers.At(int32(to))
	if !p.open {
		if err := w.enter(call, to); err != nil {
			return nil, err
		}
	}
	if length := w.places[to].Length; at < 0 || n > length-at {
		return nil, w.failf(fault.RMARange, call, "%d elements from %d on at rank %d, which has %d", n, at, to, length)
	}
	return p, nil
}

// refuse says why there is no such rank to be accessed; nil for None.
func (w *window) refuse(call string, to int) error {
	if err := w.check(call); err != nil || to == None {
		return err
	}
	return w.failf(fault.Rank, call, "rank %d; expected 0 to %d, or None", to, len(w.places)-1)
}

// track lets the engine complete an access.
func (p *peer) track(r *Request) {
	e := p.w.e
	e.pulls = append(e.pulls, r)
	p.under++
	p.note()
}

// endAccess completes an access of which the machine says that it is done.
func (e *engine) endAccess(r *Request, err error) {
	if r.late {
		e.out.Late--
	}
	r.access.under--
	err = e.withdraw(r, err)
	e.changing -= r.words
	e.endPart(r.next, r.words, err)
	e.settle(r, err)
}

// settle completes an access. If its caller does not know the request, an error is
// kept for those who ask for its end.
func (e *engine) settle(r *Request, err error) {
	r.finish(err)
	if r.kept {
		return
	}
	if p := r.access; p.failed == nil {
		p.failed = r.err
	}
	*r = Request{}
	e.requests = append(e.requests, r)
}

// newAccess returns the request of an access, which its caller does not know.
func (w *window) newAccess(call string, p *peer, data []byte) *Request {
	r := w.e.newRequest()
	*r = Request{c: w.c, call: call, peer: p.process, access: p, data: data}
	return r
}

// wordsPerAccess is how many words count as an access, where many are changed together: the
// machine may have to keep their operands.
const wordsPerAccess = 1 << 10

// makeRoom makes progress, if very many accesses are under way, until half of them are
// complete: those that follow can go together then.
func (w *window) makeRoom(call string) error {
	for few := outgoing.Most; max(len(w.e.pulls), w.e.changing/wordsPerAccess) >= few; few = outgoing.Most / 2 {
		if err := w.block(call, nil); err != nil {
			return err
		}
	}
	return w.fail(call, w.e.makeRoom())
}

// block makes progress when a call waits for a rank, or for several if it is nil.
func (w *window) block(call string, p *peer) error {
	w.waits = Request{c: w.c, call: call, peer: AnySource, access: p}
	if p != nil {
		w.waits.peer = p.process
	}
	return w.fail(call, w.e.blockFor(&w.waits))
}

// Flush waits until all accesses to a rank that have been started are complete at
// both ends. It fails with the first of their errors, and with ErrRMASync if this rank
// has no lock there.
func (w *Window[T]) Flush(rank int) error { return w.core().flushLocked("Flush", rank, true) }

// FlushLocal waits until the memory of this rank may be used again that accesses to a
// rank have been given. Errors are as for Flush.
func (w *Window[T]) FlushLocal(rank int) error {
	return w.core().flushLocked("FlushLocal", rank, false)
}

func (w *window) flushLocked(call string, rank int, both bool) error {
	if w == nil || w.freed || uint(rank) >= uint(len(w.places)) {
		return w.refuse(call, rank)
	}
	if w.epoch != lockEpoch && w.epoch != lockAllEpoch {
		return w.expectEpoch(call, lockEpoch, lockAllEpoch)
	}
	p := w.peers.At(int32(rank))
	switch {
	case p.isBusy():
		return w.flush(call, p, both)
	case !p.open && w.epoch == lockEpoch:
		return w.failf(fault.RMASync, call, "rank %d, of which this rank has no lock", rank)
	}
	return w.breathe(call)
}

// breatheEvery is how many calls that find nothing to do follow each other until one
// makes progress: whoever looks at a rank again and again must answer others too.
const breatheEvery = 64

// breathe makes progress now and then.
func (w *window) breathe(call string) error {
	if w.idle++; w.idle%breatheEvery != 0 {
		return nil
	}
	return w.look(call)
}

// look makes progress, and lets time pass.
func (w *window) look(call string) error {
	if err := w.e.progress(); err != nil {
		return w.fail(call, err)
	}
	w.e.lookedInVain()
	return nil
}

// FlushAll is Flush of all ranks.
func (w *Window[T]) FlushAll() error { return w.core().flushAllLocked("FlushAll") }

// FlushLocalAll is FlushLocal of all ranks.
func (w *Window[T]) FlushLocalAll() error {
	const call = "FlushLocalAll"
	if err := w.core().expectPassive(call); err != nil {
		return err
	}
	var first error
	for _, p := range w.busy {
		if err := w.flush(call, p, false); first == nil {
			first = err
		}
	}
	return first
}

func (w *window) flushAllLocked(call string) error {
	if err := w.expectPassive(call); err != nil {
		return err
	}
	if len(w.busy) == 0 {
		return w.breathe(call)
	}
	return w.flushAll(call)
}

// flush completes all accesses to a rank: at both ends, or at this one.
func (w *window) flush(call string, p *peer, both bool) error {
	if both {
		if err := p.ask(call); err != nil {
			return err
		}
	}
	for p.under > 0 || both && p.acks > 0 {
		if err := w.block(call, p); err != nil {
			return err
		}
	}
	err := p.failed
	p.failed = nil
	return err
}

// flushAll completes all accesses at both ends.
func (w *window) flushAll(call string) error {
	for _, p := range w.busy {
		if err := p.ask(call); err != nil {
			return err
		}
	}
	var first error
	for _, p := range w.busy {
		if err := w.flush(call, p, true); first == nil {
			first = err
		}
		p.busy = false
	}
	clear(w.busy)
	w.busy = w.busy[:0]
	return first
}

// ask asks a rank to confirm what has been sent to it, if need be.
func (p *peer) ask(call string) error {
	if !p.unconfirmed {
		return nil
	}
	p.unconfirmed = false
	p.acks++
	return p.w.fail(call, p.tell(confirm))
}

// Sync makes progress, after which a rank sees in its own memory what has been put
// there, and others see what it has written.
func (w *Window[T]) Sync() error {
	const call = "Sync"
	if err := w.core().check(call); err != nil {
		return err
	}
	return w.look(call)
}
