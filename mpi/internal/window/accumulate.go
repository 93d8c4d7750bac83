package window

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
)

// leastPiece is the least size of a message of an accumulate, in bytes, whatever the eager limit.
const leastPiece = 256

// AccumulatePacked starts an Accumulate of the bytes that a type names here.
func (w *Window) AccumulatePacked(call string, to, at int, there *datatype.Type, memory []byte, here *datatype.Type, op reduction.ID) error {
	if err := w.Check(call); err != nil {
		return err
	}
	if err := w.checkHere(call, here, len(memory), there.Size); err != nil {
		return err
	}
	buffer := w.e.Buffers.Get(here.Size)
	here.Pack(buffer, memory)
	err := w.accumulateType(call, to, at, there, buffer, op)
	w.e.Buffers.Put(buffer)
	return err
}

// GetAccumulate starts an Accumulate that also gets the old elements, atomically in each.
func (w *Window) GetAccumulate(call string, to, at int, operands, into []byte, op reduction.ID) error {
	whole := datatype.Contiguous(len(into))
	p, err := w.reachFetch(call, to, at, &whole, len(operands), len(into), op)
	if p == nil {
		return err
	}
	return w.startFetch(w.newAccess(call, p, into), at, &whole, operands, op)
}

// RGetAccumulate starts a GetAccumulate and returns its request.
func (w *Window) RGetAccumulate(call string, to, at int, operands, into []byte, op reduction.ID) (*core.Request, error) {
	whole := datatype.Contiguous(len(into))
	p, err := w.reachFetch(call, to, at, &whole, len(operands), len(into), op)
	if p == nil {
		return noAccess(w, call, err)
	}
	r := w.keptAccess(call, p, into)
	r.Status.From = to
	return &r.Request, w.startFetch(r, at, &whole, operands, op)
}

// GetAccumulatePacked starts a GetAccumulate of the bytes that types name: operands in memory,
// local in into, and there at the rank.
func (w *Window) GetAccumulatePacked(call string, to, at int, there *datatype.Type, memory []byte, operands *datatype.Type, into []byte, local *datatype.Type, op reduction.ID) error {
	p, err := w.reachFetch(call, to, at, there, operands.Size, local.Size, op)
	if p == nil {
		return err
	}
	if err := local.Check(len(into), w.element); err != nil {
		return w.C.Fail(fault.Argument, call, err)
	}
	if err := operands.Check(len(memory), w.element); err != nil {
		return w.C.Fail(fault.Argument, call, err)
	}
	buffer := w.e.Buffers.Get(operands.Size)
	operands.Pack(buffer, memory)
	if w.near != nil {
		was := w.e.Buffers.Get(there.Size)
		err := w.combineNear(call, p, at, there, buffer, was, op)
		local.Unpack(into, was)
		w.e.Buffers.Put(was)
		w.e.Buffers.Put(buffer)
		return err
	}
	r := w.newAccess(call, p, w.e.Buffers.Get(there.Size))
	r.UnpackTo(into, local)
	err = w.startFetch(r, at, there, buffer, op)
	w.e.Buffers.Put(buffer)
	return err
}

// FetchAndOp combines one element with that of a rank, and waits for the old one.
func (w *Window) FetchAndOp(call string, to, at int, operand, was []byte, op reduction.ID) error {
	p, err := w.reach(call, to, at, len(operand)/w.element)
	if p == nil {
		return err
	}
	if err := w.checkOp(call, op); err != nil {
		return err
	}
	if err := w.enterFetch(call, p); err != nil {
		return err
	}
	if w.atomic {
		return w.fetchWord(call, p, at, op, operand, was)
	}
	one := datatype.Contiguous(len(operand))
	if w.near != nil {
		return w.combineNear(call, p, at, &one, operand, was, op)
	}
	r := w.newAccess(call, p, was)
	r.kept = true
	if err := w.startFetch(r, at, &one, operand, op); err != nil {
		return err
	}
	return r.end()
}

// CompareAndSwap replaces an element of a rank if it is the expected one, and waits for the old
// one.
func (w *Window) CompareAndSwap(call string, to, at int, expected, replacement, was []byte) error {
	p, err := w.reach(call, to, at, len(expected)/w.element)
	if p == nil {
		return err
	}
	if !w.kindNow().IsWhole() {
		return w.failf(fault.Type, call, "elements of type %s; expected integers or booleans", w.typeName)
	}
	if err := w.enterFetch(call, p); err != nil {
		return err
	}
	if w.atomic {
		return w.swapWord(call, p, at, expected, replacement, was)
	}
	if w.near != nil {
		return w.swapNear(call, p, at, expected, replacement, was)
	}
	r := w.newAccess(call, p, was)
	r.kept = true
	id := w.startAnswer(r)
	w.runs = append(w.runs[:0], run{at, len(expected) / w.element})
	l := p.write(id, compare, reduction.User, w.runs, 2*len(expected))
	copy(l.payload[copy(l.payload, expected):], replacement)
	if err := l.send(); err != nil {
		return w.fail(call, err)
	}
	return r.end()
}

// checkOp fails if an operation cannot be sent.
func (w *Window) checkOp(call string, op reduction.ID) error {
	switch {
	case op == reduction.User:
		return w.failf(fault.Op, call, "an operation of the program's own; expected one of this package, such as Sum")
	case reduction.Of(op, w.kindNow()) == nil:
		return w.failf(fault.Op, call, "elements that are neither numbers, booleans nor Located")
	}
	return nil
}

// Accumulate starts to combine elements with those of a rank, from one of its elements on.
func (w *Window) Accumulate(call string, to, at int, data []byte, op reduction.ID) error {
	whole := datatype.Contiguous(len(data))
	return w.accumulateType(call, to, at, &whole, data, op)
}

// accumulateType combines packed elements with those that a type names at a rank.
func (w *Window) accumulateType(call string, to, at int, there *datatype.Type, data []byte, op reduction.ID) error {
	p, err := w.reachType(call, to, at, there)
	if p == nil {
		return err
	}
	if err := w.checkOp(call, op); err != nil {
		return err
	}
	if w.atomic {
		return w.changeWords(call, p, at, there, data, op, nil)
	}
	if w.near != nil {
		return w.combineNear(call, p, at, there, data, nil, op)
	}
	if !p.isSelf() {
		p.unconfirmed = true
		p.markBusy()
	}
	return w.sendPieces(call, p, 0, accumulate, at, there, data, op)
}

// reachFetch checks an access that fetches elements, and returns the peer; nil without error for
// None. data and into are lengths in bytes.
func (w *Window) reachFetch(call string, to, at int, there *datatype.Type, data, into int, op reduction.ID) (*peer, error) {
	p, err := w.reachType(call, to, at, there)
	if p == nil {
		return nil, err
	}
	if n := there.Size; into != n || data != n && op != reduction.NoOpID {
		return nil, w.failf(fault.Count, call, "%d elements to combine with %d at the rank, and room for %d; expected as many", data/w.element, n/w.element, into/w.element)
	}
	if err := w.checkOp(call, op); err != nil {
		return nil, err
	}
	return p, w.enterFetch(call, p)
}

// enterFetch makes progress if a rank fetches from itself, as it may do that in a loop until another
// rank has changed an element.
func (w *Window) enterFetch(call string, p *peer) error {
	if p.isSelf() {
		return w.poll(call)
	}
	return nil
}

// startAnswer returns the number of an access that waits for an answer. The answer also confirms
// everything that has been sent before.
func (w *Window) startAnswer(r *access) uint32 {
	p := r.p
	p.unconfirmed = false
	p.pending++
	p.markBusy()
	return w.all.fetches.Add(r)
}

// startFetch starts to fetch elements to the data of a request.
func (w *Window) startFetch(r *access, at int, there *datatype.Type, data []byte, op reduction.ID) error {
	if len(r.Data) == 0 {
		r.complete(nil)
		return nil
	}
	if w.atomic {
		return w.fetchWords(r, at, there, data, op)
	}
	call, p := r.Call, r.p
	if w.near != nil {
		if err := w.combineNear(call, p, at, there, data, r.Data, op); err != nil {
			return err
		}
		r.Status.Bytes = len(r.Data)
		r.complete(nil)
		return nil
	}
	return w.sendPieces(call, p, w.startAnswer(r), fetch, at, there, data, op)
}

// sendPieces sends an access to elements that a type names, in messages that all rings can take.
func (w *Window) sendPieces(call string, p *peer, id uint32, a messageKind, at int, there *datatype.Type, data []byte, op reduction.ID) error {
	next := datatype.From(there)
	for left := there.Size / w.element; left > 0; {
		if err := w.e.MakeRoom(); err != nil {
			return w.fail(call, err)
		}
		n := w.piece(&next, at, left)
		bytes := n * w.element
		if op == reduction.NoOpID {
			bytes = 0
		}
		l := p.write(id, a, op, w.runs, bytes)
		data = data[copy(l.payload, data):]
		if err := l.send(); err != nil {
			return w.fail(call, err)
		}
		left -= n
	}
	return nil
}

// piece sets w.runs to the runs of the next message, and returns how many elements they have.
func (w *Window) piece(next *datatype.Cursor, at, left int) int {
	w.runs = w.runs[:0]
	n := 0
	for room := max(w.e.Limits.Default, leastPiece) - headerBytes; left > n && room >= runBytes+w.unit(); {
		r := next.Rest()
		count := min(r.Bytes/w.element, left-n, (room-runBytes)/w.unit()*w.unit()/w.element)
		w.runs = append(w.runs, run{at + r.At/w.element, count})
		next.Advance(count * w.element)
		n += count
		room -= runBytes + count*w.element
	}
	return n
}
