package card

import (
	"fmt"

	"musubi/nic/dimmnet"
	"musubi/rma"
	"musubi/sim/host"
)

// jobs are the operations, by their numbers.
type jobs struct {
	*cards
	host.Slab[job]
}

// job is an operation, as the cards see it.
type job struct {
	host.Request
	initiator  int32
	left       int  // packets that are not acknowledged; with a PULL bytes that are not there
	staged     bool // local data is not in exposed memory
	intoWindow bool // a PULL to a Prefetch Window
}

// newJob numbers an operation.
func (w *jobs) newJob(r *host.Process, q *host.Request) (uint32, rma.Op) {
	id, op := w.NewOp(r)
	j := job{Request: *q, initiator: int32(r.Rank())}
	payload := int(w.Machine.Packet.Payload)
	j.left = max(1, (q.Bytes()+payload-1)/payload)
	if q.Action == host.Pull {
		j.left = q.Bytes()
	}
	*w.New(id) = j
	return id, op
}

// refuse fails for what the card cannot do.
func (w *jobs) refuse(q *host.Request) error {
	payload, name := int(w.Machine.Packet.Payload), w.Machine.Name
	switch {
	case q.By == rma.BOTF && q.Bytes() > payload:
		return fmt.Errorf("rma: %v of %d bytes by %v; a window of machine %s takes %d", q.Action, q.Bytes(), q.By, name, payload)
	case q.Action == host.Push && !q.Far().IsContiguous(), q.Action == host.Pull && !q.Near().IsContiguous():
		return fmt.Errorf("rma: machine %s reads memory in layouts, but writes in one piece; expected no layout where data is written", name)
	}
	access := *q.Far()
	if n := len(access.Encode(nil)); n > payload-dimmnet.LineSize {
		return fmt.Errorf("rma: Pull of %d listed elements; their list takes %d bytes, and a packet of machine %s has room for %d", len(q.Far().Offsets), n, name, payload-dimmnet.LineSize)
	}
	return nil
}

// packetDone notes that a packet is where it belongs. A PULL is complete when its answer
// is there, and its number may be in use again when the last packet of that is
// acknowledged.
func (w *jobs) packetDone(p *packet) {
	if h := p.header(); h.Operation == dimmnet.Pull || h.Operation == dimmnet.Answer {
		return
	}
	j := w.At(p.op)
	if j.left--; j.left == 0 {
		w.CompleteOp(p.op)
	}
}
