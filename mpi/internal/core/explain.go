package core

import (
	"fmt"

	"musubi/mpi/internal/match"
)

// waiting is what the process waits for, for explain.
type waiting struct {
	Awaited   *Request
	Elsewhere waiter  // nil: it waits for requests only
	now       Request // of a receive that needs no request
}

// waiter is what a process can wait for that is no request.
type waiter interface {
	Explain() string // says what it waits for
}

// Explain says what the process waits for; see rma.Explainer.
func (e *Engine) Explain() string {
	switch {
	case e.Waiting.Elsewhere != nil:
		return e.Waiting.Elsewhere.Explain()
	case e.Waiting.Awaited != nil:
		return e.Waiting.Awaited.Explain()
	}
	return ""
}

// BlockFor is block by a process that waits for a request.
func (e *Engine) BlockFor(r *Request) error {
	e.Waiting.Awaited = r
	err := e.block()
	e.Waiting.Awaited = nil
	return err
}

// blockForMessage is block by a process that waits for a message, and does not
// receive it.
func (c *Comm) blockForMessage(call string, from, tag int) error {
	var r Request
	r.SetReceive(c, call, c.Point, from, tag, nil)
	return c.Engine.BlockFor(&r)
}

// Explain says what a request is, such as "Receive from rank 3 with tag 7". Ranks are
// those of the job, which can be looked for there.
func (r *Request) Explain() string {
	if r.Does != nil {
		return r.Call + r.Does.ExplainPeer()
	}
	tag := "any tag"
	if r.Tag != match.AnyTag {
		tag = fmt.Sprintf("tag %d", r.Tag)
	}
	if r.IsReceive {
		return r.Call + r.ExplainPeer(" from ") + " with " + tag
	}
	return fmt.Sprintf("%s of %d bytes%s with %s", r.Call, len(r.Data), r.ExplainPeer(" to "), tag)
}

// ExplainPeer names the other end of a request.
func (r *Request) ExplainPeer(preposition string) string {
	if r.Peer == match.AnySource {
		return preposition + "any rank"
	}
	return r.Comm.ExplainProcess(preposition, r.Peer)
}

// ExplainProcess names a process, by its rank in the communicator too where that differs.
func (c *Comm) ExplainProcess(preposition string, process int32) string {
	text := fmt.Sprintf("%srank %d", preposition, process)
	if c.members != nil {
		text += fmt.Sprintf(" (rank %d of %d in its communicator)", c.RankOf(process), c.Size())
	}
	return text
}
