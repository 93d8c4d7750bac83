package mpi

import "fmt"

// explain says what the process waits for; see rma.Explainer.
func (e *engine) explain() string {
	switch {
	case e.meets != nil:
		return e.meets.explainMeeting()
	case e.awaited != nil:
		return e.awaited.explain()
	}
	return ""
}

// blockFor is block by a process that waits for a request.
func (e *engine) blockFor(r *Request) error {
	e.awaited = r
	err := e.block()
	e.awaited = nil
	return err
}

// blockForMessage is block by a process that waits for a message, and does not
// receive it.
func (c *Comm) blockForMessage(call string, from, tag int) error {
	var r Request
	r.setReceive(c, call, c.point, from, tag, nil)
	return c.e.blockFor(&r)
}

// explain says what a request is, such as "Receive from rank 3 with tag 7". Ranks are
// those of the job, which can be looked for there.
func (r *Request) explain() string {
	if r.access != nil {
		return r.call + r.explainPeer(" of a window of ")
	}
	if r.does != nil {
		return r.call + r.does.explainPeer()
	}
	tag := "any tag"
	if r.tag != AnyTag {
		tag = fmt.Sprintf("tag %d", r.tag)
	}
	if r.receive {
		return r.call + r.explainPeer(" from ") + " with " + tag
	}
	return fmt.Sprintf("%s of %d bytes%s with %s", r.call, len(r.data), r.explainPeer(" to "), tag)
}

// explainPeer names the first rank that a collective operation waits for.
func (r *running) explainPeer() string {
	for _, m := range r.open {
		if !m.complete {
			return m.explainPeer(" for ")
		}
	}
	return ""
}

// explainPeer names the other end of a request.
func (r *Request) explainPeer(preposition string) string {
	if r.peer == AnySource {
		return preposition + "any rank"
	}
	text := fmt.Sprintf("%srank %d", preposition, r.peer)
	if r.c.members != nil {
		text += fmt.Sprintf(" (rank %d of %d in its communicator)", r.c.rankOf(r.peer), r.c.Size())
	}
	return text
}
