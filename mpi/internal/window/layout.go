package window

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// reachType checks an access to the bytes that a type names, and returns the peer; nil without
// error for None.
func (w *Window) reachType(call string, to, at int, there *datatype.Type) (*peer, error) {
	p, err := w.reach(call, to, at, 0)
	if p == nil {
		return nil, err
	}
	if err := there.Check((w.places[to].Length-at)*w.element, w.element); err != nil {
		return nil, w.C.Fail(fault.RMARange, call, err)
	}
	return p, nil
}

// checkHere fails if a type does not fit memory here, or does not have as many bytes as the one at
// the rank.
func (w *Window) checkHere(call string, here *datatype.Type, memory, there int) error {
	if err := here.Check(memory, w.element); err != nil {
		return w.C.Fail(fault.Argument, call, err)
	}
	if here.Size != there {
		return w.failf(fault.Count, call, "%d elements here and %d at the rank; expected as many", here.Size/w.element, there/w.element)
	}
	return nil
}

// Move puts or gets bytes that types name: by one operation if the machine can, else in pieces.
func (w *Window) Move(call string, puts bool, to, at int, there *datatype.Type, memory []byte, here *datatype.Type) error {
	p, err := w.reachType(call, to, at, there)
	if p == nil {
		return err
	}
	if err := w.checkHere(call, here, len(memory), there.Size); err != nil {
		return err
	}
	if w.dynamic != nil {
		return w.moveByMessages(call, puts, p, at, there, memory, here)
	}
	if w.near != nil {
		if err := w.pollSometimes(call); err != nil {
			return err
		}
	}
	if !p.isSelf() {
		moved, err := w.moveAtOnce(call, puts, p, at, there, memory, here)
		if moved || err != nil {
			return err
		}
	}
	return w.movePieces(call, puts, p, at, there, memory, here)
}

// moveAtOnce moves bytes between types by one operation, and reports whether the machine can.
func (w *Window) moveAtOnce(call string, puts bool, p *peer, at int, there *datatype.Type, memory []byte, here *datatype.Type) (bool, error) {
	far, isOne := there.OnMachine()
	near, isAlso := here.OnMachine()
	if !isOne || !isAlso {
		return false, nil
	}
	if puts && p.direct && w.mayOvertake(p) && w.all.unordered.PushUnordered(p.address(at*w.element), far, memory, near) {
		return true, nil
	}
	if err := w.makeRoom(call); err != nil {
		return false, err
	}
	r := w.newAccess(call, p, memory)
	var op rma.Op
	var err error
	if puts {
		w.exposeData(r)
		op, err = w.e.Process.PushLayout(p.address(at*w.element), far, memory, near, rma.DMA)
	} else {
		op, err = w.e.Process.PullLayout(p.address(at*w.element), far, memory, near)
	}
	if err != nil { // a machine may refuse scattered writes, or long lists
		return false, w.fail(call, w.e.Withdraw(&r.Request, nil))
	}
	return true, w.begun(r, op, nil)
}

// movePieces moves each piece that is contiguous at both ends.
func (w *Window) movePieces(call string, puts bool, p *peer, at int, there *datatype.Type, memory []byte, here *datatype.Type) error {
	far, near := datatype.From(there), datatype.From(here)
	for left := there.Size; left > 0; {
		f, n := far.Rest(), near.Rest()
		bytes := min(f.Bytes, n.Bytes)
		r := w.newAccess(call, p, memory[n.At:][:bytes])
		start := (*Window).startGet
		if puts {
			start = (*Window).startPut
		}
		if err := start(w, r, at*w.element+f.At); err != nil {
			return err
		}
		far.Advance(bytes)
		near.Advance(bytes)
		left -= bytes
	}
	return nil
}
