package window

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/match"
)

// access is an access to a window under way, as a request.
type access struct {
	core.Request
	p     *peer
	late  bool    // the processor has written what is put
	kept  bool    // the caller knows the request
	words int     // that it changes
	whole *access // of a change of words: the access that wants to know what was there
}

// newAccess returns an access, which its caller does not know.
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

// keptAccess returns an access that its caller gets as a request.
func (w *Window) keptAccess(call string, p *peer, data []byte) *access {
	a := new(access)
	a.setUp(w, call, p, data)
	a.kept = true
	return a
}

// setUp makes it an access to a peer, to all if that is nil.
func (a *access) setUp(w *Window, call string, p *peer, data []byte) {
	*a = access{p: p}
	process := int32(match.AnySource)
	if p != nil {
		process = p.process
	}
	a.SetOperation(&w.C.Comm, call, process, data, a, a)
}

// waitsFor returns a request that says what a call waits for: for a peer, or for all if it is
// nil.
func (w *Window) waitsFor(call string, p *peer) *core.Request {
	w.waits.setUp(w, call, p, nil)
	return &w.waits.Request
}

// ExplainPeer says whose window is accessed.
func (a *access) ExplainPeer() string { return a.Request.ExplainPeer(" of a window of ") }

// PullEnded completes an access of which the machine says that it is done.
func (a *access) PullEnded(err error) {
	e, all := a.p.w.e, a.p.w.all
	if a.late {
		e.Out.Late--
	}
	a.p.under--
	err = e.Withdraw(&a.Request, err)
	all.changing -= a.words
	a.whole.endPart(a.words, err)
	a.settle(err)
}

// settle completes an access. If its caller does not know the request, an error is
// kept for those who ask for its end.
func (a *access) settle(err error) {
	a.Finish(err)
	if a.kept {
		return
	}
	if p := a.p; p.failed == nil {
		p.failed = a.Err
	}
	a.recycle()
}

// recycle gives back an access that is complete and that nobody knows.
func (a *access) recycle() {
	all := a.p.w.all
	*a = access{}
	all.spare = append(all.spare, a)
}

// end waits for an access of newAccess, and gives it back.
func (a *access) end() error {
	if err := a.p.w.e.Wait(&a.Request); err != nil { // others may still know the request
		return a.Fail(err)
	}
	err := a.Err
	a.recycle()
	return err
}

// endPart notes that some of the words are there that an access wants; nil: nobody wants them.
func (a *access) endPart(words int, err error) {
	if a == nil {
		return
	}
	if err != nil && a.Err == nil {
		a.Err = a.Fail(err)
	}
	if a.Status.Bytes += words * wordBytes; a.Status.Bytes == len(a.Data) {
		a.p.under--
		a.settle(nil)
	}
}
