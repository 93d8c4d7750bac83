package window

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/match"
)

// access is an access to a window under way, as a request.
type access struct {
	core.Request
	p      *peer
	byBOTF bool    // the processor has written what is put
	kept   bool    // the program has the request
	words  int     // that it changes
	whole  *access // of a change of words: the access that gets the old ones; nil: none
}

// newAccess returns an access without a request for the program, recycled if possible.
func (w *Window) newAccess(call string, p *peer, data []byte) *access {
	var a *access
	if last := len(w.all.spare) - 1; last < 0 {
		a = new(access)
	} else {
		a = w.all.spare[last]
		w.all.spare = w.all.spare[:last]
	}
	a.setUp(w, call, p, data)
	return a
}

// keptAccess returns an access whose request the program gets.
func (w *Window) keptAccess(call string, p *peer, data []byte) *access {
	a := new(access)
	a.setUp(w, call, p, data)
	a.kept = true
	return a
}

// setUp sets an access to a peer, or to all if that is nil.
func (a *access) setUp(w *Window, call string, p *peer, data []byte) {
	*a = access{p: p}
	process := int32(match.AnySource)
	if p != nil {
		process = p.process
	}
	a.SetOperation(&w.C.Comm, call, process, data, a, a)
}

// waitsFor returns a request that describes what a call waits for: a peer, or all if it is nil.
func (w *Window) waitsFor(call string, p *peer) *core.Request {
	w.waits.setUp(w, call, p, nil)
	return &w.waits.Request
}

// ExplainPeer names the rank whose window is accessed.
func (a *access) ExplainPeer() string { return a.Request.ExplainPeer(" of a window of ") }

// PullEnded completes an access whose operation is complete.
func (a *access) PullEnded(err error) {
	e, all := a.p.w.e, a.p.w.all
	if a.byBOTF {
		e.Out.InFlightBOTF--
	}
	a.p.pending--
	err = e.Withdraw(&a.Request, err)
	all.changing -= a.words
	a.whole.endPart(a.words, err)
	a.complete(err)
}

// complete completes an access. If the program does not have the request, the peer keeps an error
// for the next flush.
func (a *access) complete(err error) {
	a.Finish(err)
	if a.kept {
		return
	}
	if p := a.p; p.failed == nil && a.Err != nil {
		p.failed = a.Err
		p.markBusy()
	}
	a.recycle()
}

// recycle takes back an access that is complete. Nobody may use it any more.
func (a *access) recycle() {
	all := a.p.w.all
	*a = access{}
	all.spare = append(all.spare, a)
}

// end waits for an access of newAccess, and recycles it.
func (a *access) end() error {
	if err := a.p.w.e.Wait(&a.Request); err != nil { // the engine may still hold the request
		return a.Fail(err)
	}
	err := a.Err
	a.recycle()
	return err
}

// endPart counts words of an access that have arrived, and completes it with the last one. A nil
// access ignores them.
func (a *access) endPart(words int, err error) {
	if a == nil {
		return
	}
	if err != nil && a.Err == nil {
		a.Err = a.Fail(err)
	}
	if a.Status.Bytes += words * wordBytes; a.Status.Bytes == len(a.Data) {
		a.p.pending--
		a.complete(nil)
	}
}
