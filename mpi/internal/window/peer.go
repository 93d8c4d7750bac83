package window

import (
	"slices"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/outgoing"
	"musubi/mpi/internal/wordlock"
)

// peer is the state of a window towards one of its ranks.
type peer struct {
	PeerState
	w       *Window
	rank    int
	process int32

	direct bool // pushes to it are complete when they have been started

	pending     int   // accesses that have been started and are not complete
	acks        int   // confirmations that are expected
	unconfirmed bool  // something has been sent that nothing confirms
	failed      error // of an access, until a flush returns it

	holds lock // that it has here

	granted           bool           // the lock that was asked for
	claim             wordlock.Claim // of the lock of its memory, if that is in words
	posted, completed int            // of which no use has been made yet
}

// peer returns what is known of a rank.
func (w *Window) peer(rank int) *peer {
	p := w.peers.At(int32(rank))
	if *p == nil {
		*p = &peer{w: w, rank: rank, process: w.C.Process(rank), claim: wordlock.Claim{Rank: w.C.Rank()}}
		(*p).direct = w.near != nil && !(*p).isSelf()
	}
	return *p
}

// isSelf reports whether it is this rank.
func (p *peer) isSelf() bool { return p.rank == p.w.C.Rank() }

// isBusy reports whether there is something for a flush to do.
func (p *peer) isBusy() bool {
	return p.busy && (p.pending > 0 || p.acks > 0 || p.unconfirmed || p.failed != nil)
}

// markBusy adds a peer to the list of those with which something is under way.
func (p *peer) markBusy() {
	if !p.busy {
		p.busy = true
		p.w.busy++
		p.w.working = append(p.w.working, p)
	}
}

// endWork takes a peer with which nothing is under way any more from the list, if its memory is near: then its next accesses need not
// come here.
func (p *peer) endWork() {
	w := p.w
	if w.near == nil || !p.busy || p.isBusy() {
		return
	}
	p.busy = false
	w.busy--
	w.working = slices.DeleteFunc(w.working, func(other *peer) bool { return other == p })
}

// reach checks an access to n elements of a rank, from index at on, and returns the peer; nil
// without error for None.
func (w *Window) reach(call string, to, at, n int) (*peer, error) {
	if w.lacks(to) {
		return nil, w.refuse(call, to)
	}
	p := *w.peers.At(int32(to))
	if p == nil || !p.open {
		var err error
		if p, err = w.enter(call, to); err != nil {
			return nil, err
		}
	}
	if at < 0 || n > w.places[to].Length-at {
		return nil, w.refuseRange(call, to, at, n)
	}
	return p, nil
}

// refuseRange returns why elements cannot be accessed that a rank does not have.
func (w *Window) refuseRange(call string, to, at, n int) error {
	return w.failf(fault.RMARange, call, "%d elements from %d on at rank %d, which has %d", n, at, to, w.places[to].Length)
}

// refuse returns why a rank cannot be accessed; nil for None.
func (w *Window) refuse(call string, to int) error {
	if err := w.Check(call); err != nil || to == core.None {
		return err
	}
	return w.failf(fault.Rank, call, "rank %d; expected 0 to %d, or None", to, len(w.places)-1)
}

// track lets the engine complete an access.
func (p *peer) track(r *access) {
	e := p.w.e
	e.Pulls = append(e.Pulls, &r.Request)
	p.pending++
	p.markBusy()
}

// wordsPerAccess is how many words of one request count as an access, as the machine may have to
// keep their operands.
const wordsPerAccess = 1 << 10

// makeRoom makes progress, if very many accesses are under way, until half of them are complete, so
// that the next ones can be batched.
func (w *Window) makeRoom(call string) error {
	for few := outgoing.Most; max(len(w.e.Pulls), w.all.changing/wordsPerAccess) >= few; few = outgoing.Most / 2 {
		if err := w.block(call, nil); err != nil {
			return err
		}
	}
	return w.fail(call, w.e.MakeRoom())
}

// block blocks a call that waits for a peer, or for several if it is nil.
func (w *Window) block(call string, p *peer) error {
	return w.fail(call, w.e.BlockFor(w.waitsFor(call, p)))
}
