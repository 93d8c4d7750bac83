package core

import (
	"fmt"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
	"musubi/rma"
)

// A long message of a type with gaps need not be packed before it goes: its sender exposes the memory and tells the layout,
// and the receiver pulls what that names, to where its own type has it. So the sender gathers the next piece while
// the receiver scatters the one before, and the data is copied once less at either end.

// mostRuns is how many runs that are not equally far apart a request names at most.
const mostRuns = 512

// pullsLayouts reports whether that is done: between processes. On simulated machines packing takes no time. Where ranks share
// processors no two of them copy at the same time, and what is packed is staged. A record is of what is sent.
func (e *Engine) pullsLayouts() bool { return e.Messenger != nil && !e.Oversubscribed && !e.Records() }

// layoutToPull returns the encoded layout of a message that is to be pulled as it lies in memory, nil if it is to be packed.
func (e *Engine) layoutToPull(to int32, memory []byte, t *datatype.Type) []byte {
	if !e.pullsLayouts() || to == int32(e.Rank) || t.Size <= e.Limits.of(to) || t.Runs() < 2 || t.Runs() > mostRuns && !t.IsStrided() {
		return nil
	}
	layout, ok := t.OnMachine()
	if !ok || layout.Check(len(memory)) != nil {
		return nil
	}
	return layout.Encode(nil)
}

// sendToPull sends the bytes that a layout names in memory, so many, and waits until they are pulled.
func (c *Comm) sendToPull(call string, to, tag int, memory, layout []byte, bytes int) error {
	e := c.Engine
	if err := e.MakeRoom(); err != nil { // nothing has been sent
		return c.failWait(call, err)
	}
	r, err := c.startToPull(e.NewRequest(), call, to, tag, memory, layout, bytes)
	if err == nil {
		_, err = e.End(r)
	}
	return err
}

// startToPull starts a send with a fresh request.
func (c *Comm) startToPull(r *Request, call string, to, tag int, memory, layout []byte, bytes int) (*Request, error) {
	r.SetSend(c, call, c.Point, to, tag, memory)
	if err := c.Engine.requestRendezvous(r, layout, bytes); err != nil {
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// startPull starts to read the data of a message.
func (e *Engine) startPull(r *Request, msg *match.Message) (rma.Op, error) {
	from := rma.Address{Rank: int(msg.From), Segment: int(msg.Segment)}
	gather, err := rma.DecodeLayout(msg.Data)
	e.Buffers.Put(msg.Buffer)
	if err == nil && !gather.IsContiguous() && gather.Bytes() != msg.Bytes {
		err = fmt.Errorf("a layout of %d bytes with a message of %d", gather.Bytes(), msg.Bytes)
	}
	if err != nil {
		return 0, err
	}
	into, scatter := e.landing(r, &gather)
	if gather.IsContiguous() && scatter.IsContiguous() {
		return e.Out.Pull(from, into)
	}
	return e.Process.PullLayout(from, gather, into, scatter)
}

// landing returns where the data of a message goes that is pulled: to where the type of the receive has it, or to the buffer from
// which it is unpacked. It cuts a layout for which there is no room.
func (e *Engine) landing(r *Request, gather *rma.Layout) (into []byte, scatter rma.Layout) {
	n := r.Status.Bytes
	if !gather.IsContiguous() && n < gather.Bytes() {
		*gather = beginning(gather, n)
		return e.bufferFor(r, gather.Bytes()), rma.Layout{}
	}
	if p := r.packed; p != nil && p.memory != nil && p.Size == n && e.pullsLayouts() {
		if l, ok := p.OnMachine(); ok && l.Check(len(p.memory)) == nil {
			into, p.memory = p.memory, nil
			return into, l
		}
	}
	return r.Data[:n], rma.Layout{}
}

// beginning returns the elements of a layout that have its first n bytes, which may end within the last of them.
func beginning(l *rma.Layout, n int) rma.Layout {
	of := *l
	of.Element = min(l.Element, n)
	of.Count = (n + of.Element - 1) / of.Element
	if of.Offsets != nil {
		of.Offsets = of.Offsets[:of.Count]
	}
	return of
}

// bufferFor returns a buffer of some bytes, of which a receive gets the beginning when all of them are there.
func (e *Engine) bufferFor(r *Request, bytes int) []byte {
	if r.packed != nil {
		e.Buffers.Put(r.Data)
	} else {
		r.packed = &packed{Type: datatype.Contiguous(r.Status.Bytes), memory: r.Data}
	}
	r.Data = e.Buffers.Get(bytes)
	return r.Data
}
