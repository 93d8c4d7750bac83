package window

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/datatype"
	"musubi/rma"
)

// noAccess returns the result of a call without a peer: an error, or a complete request for None.
func noAccess(w *Window, call string, err error) (*core.Request, error) {
	if err != nil {
		return nil, err
	}
	return w.Done(call, core.Nothing), nil
}

// Done returns a request that is complete.
func (w *Window) Done(call string, status core.Status) *core.Request {
	return &core.Request{Comm: &w.C.Comm, Call: call, Status: status, Complete: true}
}

// RPut starts a Put and returns its request.
func (w *Window) RPut(call string, to, at, n int, data []byte) (*core.Request, error) {
	p, err := w.reach(call, to, at, n)
	if p == nil {
		return noAccess(w, call, err)
	}
	if w.dynamic != nil {
		whole := datatype.Contiguous(len(data))
		return w.moveNow(call, true, p, at, &whole, data, &whole)
	}
	r := w.keptAccess(call, p, data)
	return &r.Request, w.startPut(r, at*w.element)
}

// RGet starts a Get and returns its request.
func (w *Window) RGet(call string, from, at, n int, into []byte) (*core.Request, error) {
	p, err := w.reach(call, from, at, n)
	if p == nil {
		return noAccess(w, call, err)
	}
	if w.dynamic != nil {
		whole := datatype.Contiguous(len(into))
		return w.moveNow(call, false, p, at, &whole, into, &whole)
	}
	r := w.keptAccess(call, p, into)
	r.Status = core.Status{From: from, Bytes: len(r.Data)}
	return &r.Request, w.startGet(r, at*w.element)
}

// Put starts to write n elements. Where ranks share memory it is little more than a copy.
func (w *Window) Put(call string, to, at, n int, data []byte) error {
	p, err := w.reach(call, to, at, n)
	if p == nil {
		return err
	}
	if w.near != nil {
		if memory := w.memoryAtOnce(p, at, len(data)); memory != nil {
			copy(memory, data)
			w.wrote = true
			return nil
		}
	}
	if !p.direct {
		return w.putFar(call, p, at, data)
	}
	there := p.address(at * w.element)
	if w.mayOvertake(p) && w.pushUnordered(there, data) {
		return nil
	}
	op, err := w.e.Process.Push(there, data, rma.DMA)
	if op != 0 {
		p.trackDirect(call, op, data)
	}
	return w.fail(call, err)
}

// pushUnordered is Push that may overtake messages; it takes more memory of the stack than Put.
//
//go:noinline
func (w *Window) pushUnordered(there rma.Address, data []byte) bool {
	return w.all.unordered.PushUnordered(there, rma.Layout{}, data, rma.Layout{})
}

// putFar is Put where a push may take time; it takes more memory of the stack.
func (w *Window) putFar(call string, p *peer, at int, data []byte) error {
	if w.dynamic != nil {
		whole := datatype.Contiguous(len(data))
		return w.moveByMessages(call, true, p, at, &whole, data, &whole)
	}
	return w.startPut(w.newAccess(call, p, data), at*w.element)
}

// trackDirect lets the engine complete an access to memory that ranks share.
func (p *peer) trackDirect(call string, op rma.Op, data []byte) {
	r := p.w.newAccess(call, p, data)
	r.Pull = op
	p.track(r)
}

// mayOvertake reports whether this rank may write to the memory of a rank at once, whatever messages it has sent there
// before, as it has the lock. Else the owner would have to take these first, which may compute.
func (w *Window) mayOvertake(p *peer) bool { return p.lock != noLock && w.all.unordered != nil }

// Get starts to read n elements.
func (w *Window) Get(call string, from, at, n int, into []byte) error {
	p, err := w.reach(call, from, at, n)
	if p == nil {
		return err
	}
	if w.near != nil {
		if memory := w.memoryAtOnce(p, at, len(into)); memory != nil {
			copy(into, memory)
			return nil
		}
	}
	if !p.direct {
		return w.getFar(call, p, at, into)
	}
	op, err := w.e.Process.Pull(p.address(at*w.element), into)
	if op != 0 {
		p.trackDirect(call, op, into)
	}
	return w.fail(call, err)
}

// getFar is Get where a pull may take time.
func (w *Window) getFar(call string, p *peer, at int, into []byte) error {
	if w.dynamic != nil {
		whole := datatype.Contiguous(len(into))
		return w.moveByMessages(call, false, p, at, &whole, into, &whole)
	}
	return w.startGet(w.newAccess(call, p, into), at*w.element)
}

func (p *peer) address(offset int) rma.Address {
	return rma.Address{Rank: int(p.process), Segment: int(p.w.places[p.rank].Segment), Offset: offset}
}

// startPut starts to write the data of a request.
func (w *Window) startPut(r *access, offset int) error {
	switch {
	case len(r.Data) == 0:
		r.complete(nil)
		return nil
	case r.p.isSelf():
		copy(w.Memory[offset:], r.Data)
		r.complete(nil)
		return nil
	}
	if err := w.makeRoom(r.Call); err != nil {
		return err
	}
	op, err := w.push(r, r.p.address(offset))
	return w.begun(r, op, err)
}

// push pushes the data of a request, short data by BOTF. Longer data is exposed, so that the
// interface reads it: otherwise this rank might wait for a buffer of its interface while others
// wait for this rank.
func (w *Window) push(r *access, to rma.Address) (rma.Op, error) {
	out, p := &w.e.Out, w.e.Process
	if r.p.direct {
		if w.mayOvertake(r.p) && w.all.unordered.PushUnordered(to, rma.Layout{}, r.Data, rma.Layout{}) {
			return 0, nil
		}
		return p.Push(to, r.Data, rma.DMA)
	}
	if out.MayWrite(len(r.Data)) {
		if op, err := p.Push(to, r.Data, rma.BOTF); err == nil {
			if op != 0 {
				r.byBOTF = true
				out.InFlightBOTF++
			}
			return op, nil
		}
	}
	w.exposeData(r)
	return p.Push(to, r.Data, rma.DMA)
}

// exposeData exposes the data of a request until it is complete.
func (w *Window) exposeData(r *access) { r.Segment, r.Exposed = w.e.Process.Expose(r.Data), true }

// startGet starts to read the data of a request.
func (w *Window) startGet(r *access, offset int) error {
	switch {
	case len(r.Data) == 0:
		r.complete(nil)
		return nil
	case r.p.isSelf():
		copy(r.Data, w.Memory[offset:])
		r.complete(nil)
		return nil
	}
	if err := w.makeRoom(r.Call); err != nil {
		return err
	}
	op, err := w.e.Process.Pull(r.p.address(offset), r.Data)
	return w.begun(r, op, err)
}

// begun records an access that has been started, or returns why it could not be.
func (w *Window) begun(r *access, op rma.Op, err error) error {
	call := r.Call
	switch {
	case err != nil:
		return w.fail(call, w.e.Withdraw(&r.Request, err))
	case op == 0:
		r.p.direct = true
		r.complete(w.e.Withdraw(&r.Request, nil))
	default:
		r.Pull = op
		r.p.track(r)
	}
	return nil
}
