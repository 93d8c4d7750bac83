package mpi

import (
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/outgoing"
	"musubi/rma"
)

// Put starts to write elements to a rank, from one of its elements on. They may not be
// changed before the access is complete; see Window.
//
// It fails with ErrRMASync outside an epoch in which the rank may be accessed, with
// ErrRMARange if the rank does not have the elements, and with ErrRank, ErrWindow or
// ErrOther. What the machine finds out later the call says that completes the access.
func (w *Window[T]) Put(to, at int, data []T) error {
	return w.core().put("Put", to, at, len(data), elements.Memory(data))
}

// RPut is Put that returns a request, which is complete when the elements may be
// changed.
func (w *Window[T]) RPut(to, at int, data []T) (*Request, error) {
	const call = "RPut"
	p, err := w.core().reach(call, to, at, len(data))
	if p == nil {
		return noAccess(w.core(), call, err)
	}
	r := &Request{c: w.c, call: call, peer: p.process, access: p, data: elements.Memory(data), kept: true}
	return r, w.startPut(r, at*w.element)
}

// Get starts to read elements of a rank, from one of its elements on. They are there
// when the access is complete. Errors are as for Put.
func (w *Window[T]) Get(from, at int, into []T) error {
	return w.core().get("Get", from, at, len(into), elements.Memory(into))
}

// RGet is Get that returns a request, which is complete when the elements are there.
func (w *Window[T]) RGet(from, at int, into []T) (*Request, error) {
	const call = "RGet"
	p, err := w.core().reach(call, from, at, len(into))
	if p == nil {
		return noAccess(w.core(), call, err)
	}
	r := &Request{c: w.c, call: call, peer: p.process, access: p, data: elements.Memory(into), kept: true}
	r.status = Status{From: from, Bytes: len(r.data)}
	return r, w.startGet(r, at*w.element)
}

// noAccess returns the request of an access to None, or why there is none.
func noAccess(w *window, call string, err error) (*Request, error) {
	if err != nil {
		return nil, err
	}
	return &Request{c: w.c, call: call, status: nothing, complete: true, kept: true}, nil
}

// put is Put of n elements. Where ranks share memory it is little more than a copy.
func (w *window) put(call string, to, at, n int, data []byte) error {
	p, err := w.reach(call, to, at, n)
	if p == nil {
		return err
	}
	if p.direct {
		op, err := w.e.p.Push(p.address(at*w.element), data, rma.DMA)
		if op != 0 {
			r := w.newAccess(call, p, data)
			r.pull = op
			p.track(r)
		}
		return w.fail(call, err)
	}
	return w.startPut(w.newAccess(call, p, data), at*w.element)
}

// get is Get of n elements.
func (w *window) get(call string, from, at, n int, into []byte) error {
	p, err := w.reach(call, from, at, n)
	if p == nil {
		return err
	}
	if p.direct {
		op, err := w.e.p.Pull(p.address(at*w.element), into)
		if op != 0 {
			r := w.newAccess(call, p, into)
			r.pull = op
			p.track(r)
		}
		return w.fail(call, err)
	}
	return w.startGet(w.newAccess(call, p, into), at*w.element)
}

func (p *peer) address(offset int) rma.Address {
	return rma.Address{Rank: int(p.process), Segment: int(p.w.places[p.rank].Segment), Offset: offset}
}

// startPut starts to write the data of a request.
func (w *window) startPut(r *Request, offset int) error {
	switch {
	case len(r.data) == 0:
		w.e.settle(r, nil)
		return nil
	case r.access.isSelf():
		copy(w.memory[offset:], r.data)
		w.e.settle(r, nil)
		return nil
	}
	if err := w.makeRoom(r.call); err != nil {
		return err
	}
	op, err := w.push(r, r.access.address(offset))
	return w.begun(r, op, err)
}

// push pushes the data of a request. Short data the processor writes. What is longer
// is exposed, so that the interface reaches it, and this rank need not wait for room
// while others wait for it.
func (w *window) push(r *Request, to rma.Address) (rma.Op, error) {
	out, p := &w.e.out, w.e.p
	if r.access.direct {
		return p.Push(to, r.data, rma.DMA)
	}
	if len(r.data) <= out.Botf && out.Late < outgoing.MostLate {
		if op, err := p.Push(to, r.data, rma.BOTF); err == nil {
			if op != 0 {
				r.late = true
				out.Late++
			}
			return op, nil
		}
	}
	w.expose(r)
	return p.Push(to, r.data, rma.DMA)
}

// expose exposes the data of a request until it is complete.
func (w *window) expose(r *Request) { r.segment, r.exposed = w.e.p.Expose(r.data), true }

// startGet starts to read the data of a request.
func (w *window) startGet(r *Request, offset int) error {
	switch {
	case len(r.data) == 0:
		w.e.settle(r, nil)
		return nil
	case r.access.isSelf():
		copy(r.data, w.memory[offset:])
		w.e.settle(r, nil)
		return nil
	}
	if err := w.makeRoom(r.call); err != nil {
		return err
	}
	op, err := w.e.p.Pull(r.access.address(offset), r.data)
	return w.begun(r, op, err)
}

// begun takes note of an access that has been started, or could not be.
func (w *window) begun(r *Request, op rma.Op, err error) error {
	call := r.call
	switch {
	case err != nil:
		return w.fail(call, w.e.withdraw(r, err))
	case op == 0:
		r.access.direct = true
		w.e.settle(r, w.e.withdraw(r, nil))
	default:
		r.pull = op
		r.access.track(r)
	}
	return nil
}
