package host

import (
	"errors"

	"musubi/internal/phantom"
	"musubi/nic/ring"
	"musubi/rma"
	"musubi/sim/engine"
)

// Phantom implements rma.Payload.
func (r *Process) Phantom(bytes int) []byte {
	if r.c.phantom == nil {
		return nil
	}
	return r.c.phantom.Bytes(bytes)
}

// IsPhantom implements rma.Payload.
func (r *Process) IsPhantom(a rma.Arrival) bool {
	rec, ok := r.inbox.held(a.Record)
	if !ok {
		return false
	}
	_, is := r.inbox.heads.Get(uint64(rec.At[0].Offset))
	return is
}

// fillPhantom keeps the head of a message whose data is phantom, if it begins with this packet.
func (b *inbox) fillPhantom(at ring.Placement, data []byte) {
	if head := phantom.Head(data); len(head) > 0 {
		b.heads.Set(uint64(at.At[0].Offset), head)
	}
}

// fetchPhantom brings the head of a record to where its message goes, and reports whether that is
// all, as the data is phantom or has nowhere to go.
func (b *inbox) fetchPhantom(rec *ring.Record, into []byte) bool {
	head, is := b.heads.Get(uint64(rec.At[0].Offset))
	if !is {
		return phantom.Is(into)
	}
	if phantom.Is(into) {
		phantom.Join(into, head, nil)
	} else {
		copy(into, head)
	}
	return true
}

// errValues is the error of a program that uses values that are not there.
var errValues = errors.New("the program reads or writes memory that has no bytes (payload none); expected payload real")

// explained replaces the panic of a program that has accessed phantom memory.
func explained(err error) error {
	var p *engine.Panic
	if !errors.As(err, &p) {
		return err
	}
	if p.Value == any(phantom.ErrExhausted) {
		return phantom.ErrExhausted
	}
	if phantom.IsFault(p.Value) {
		return errValues
	}
	return err
}
