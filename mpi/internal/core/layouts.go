package core

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
	"musubi/rma"
)

// A long message of a type with gaps need not be packed before it goes: its sender exposes the memory and tells the layout,
// and the receiver pulls what that names, to where its own type has it. So the sender gathers the next piece while
// the receiver scatters the one before, and the data is copied once less at either end.

// mostLayout is how many bytes an encoded layout has at most that goes with a request.
const mostLayout = 4 << 10

// pullsLayouts reports whether that is done: between processes. On simulated machines packing takes no time. Where ranks share
// processors no two of them copy at the same time, and what is packed is staged. A record is of what is sent.
func (e *Engine) pullsLayouts() bool { return e.Messenger != nil && !e.Oversubscribed && !e.Records() }

// layoutToPull returns the encoded layout of a message that is to be pulled as it lies in memory, nil if it is to be packed.
func (e *Engine) layoutToPull(to int32, memory []byte, t *datatype.Type) []byte {
	if !e.pullsLayouts() || to == int32(e.Rank) || t.Size <= e.Limits.of(to) || t.Runs() < 2 || t.Runs() > mostLayout/8 && !t.IsStrided() {
		return nil
	}
	layout, ok := t.OnMachine()
	if !ok || layout.Check(len(memory)) != nil {
		return nil
	}
	if code := layout.Encode(nil); len(code) <= mostLayout {
		return code
	}
	return nil
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
	if err != nil {
		return 0, err
	}
	into, scatter := e.landing(r, &gather, msg.Bytes)
	if gather.IsContiguous() && scatter.IsContiguous() {
		return e.Out.Pull(from, into)
	}
	return e.Process.PullLayout(from, gather, into, scatter)
}

// landing returns where the data of a message of some bytes goes that is pulled: to where the type of the receive has it,
// or to the buffer from which it is unpacked.
func (e *Engine) landing(r *Request, gather *rma.Layout, bytes int) (into []byte, scatter rma.Layout) {
	n := r.Status.Bytes
	if n < bytes && !gather.IsContiguous() {
		return e.takeWhole(r, bytes), rma.Layout{}
	}
	if p := r.packed; p != nil && p.memory != nil && p.Size == n && e.pullsLayouts() {
		if l, ok := p.OnMachine(); ok && l.Check(len(p.memory)) == nil {
			into, p.memory = p.memory, nil
			return into, l
		}
	}
	return r.Data[:n], rma.Layout{}
}

// takeWhole returns a buffer for a message that is too long, of which the receive gets the beginning when all of it is there: a
// layout may end within one of its blocks.
func (e *Engine) takeWhole(r *Request, bytes int) []byte {
	if r.packed != nil {
		e.Buffers.Put(r.Data)
	} else {
		r.packed = &packed{Type: datatype.Contiguous(r.Status.Bytes), memory: r.Data}
	}
	r.Data = e.Buffers.Get(bytes)
	return r.Data
}
