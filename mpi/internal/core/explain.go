package core

import (
	"fmt"

	"musubi/mpi/internal/match"
)

// waiting is what the process waits for, for explain.
type waiting struct {
	Awaited *Request
	Other   waiter   // nil: it waits for requests only
	receive *Request // describes a receive without a request; nil where there are none such
}

// waiter describes a wait for something that is not a request.
type waiter interface {
	Explain() string // returns what the process waits for
}

// Explain returns what the process waits for; see rma.Explainer.
func (e *Engine) Explain() string {
	switch {
	case e.Waiting.Other != nil:
		return e.Waiting.Other.Explain()
	case e.Waiting.Awaited != nil:
		return e.Waiting.Awaited.Explain()
	}
	return ""
}

// BlockFor blocks like block, and records the request that the process waits for.
func (e *Engine) BlockFor(r *Request) error {
	e.Waiting.Awaited = r
	err := e.block()
	e.Waiting.Awaited = nil
	return err
}

// blockForMessage blocks like block, for a call that waits for a message and does not receive it.
func (c *Comm) blockForMessage(call string, from, tag int) error {
	var r Request
	r.SetReceive(c, call, c.Point, from, tag, nil)
	return c.Engine.BlockFor(&r)
}

// Explain describes a request, such as "Receive from rank 3 with tag 7". Ranks are those of the
// job, so that a user can find them there.
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
