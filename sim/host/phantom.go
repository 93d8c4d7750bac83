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

// Model implements rma.Payload.
func (r *Process) Model(a rma.Arrival) []byte {
	rec, ok := r.inbox.held(a.Record)
	switch {
	case !ok || !r.inbox.isPhantom(&rec):
		return nil
	case r.c.phantom != nil:
		return r.c.phantom.Bytes(0)
	}
	return r.c.references.Bytes(0)
}

// headAt returns the key of what begins where a record does among the heads.
func headAt(rec *ring.Record) uint64 { return uint64(rec.At[0].Offset) }

// isPhantom reports whether a message without bytes begins with a record.
func (b *inbox) isPhantom(rec *ring.Record) bool {
	if mark := phantom.Mark(*b.rx.NoteOf(rec.Number)); !mark.IsNone() {
		return mark.IsPhantom()
	}
	_, has := b.heads.Get(headAt(rec))
	return has
}

// fillPhantom keeps the head of a message whose data is phantom, if it begins with this packet.
func (b *inbox) fillPhantom(at ring.Placement, data []byte) {
	b.heads.SetLike(uint64(at.At[0].Offset), data)
}

// errValues is the error of a program that uses values that are not there.
var errValues = errors.New("the program reads or writes memory that has no bytes (payload none); expected payload real")

// explained replaces the panic of a program that has accessed phantom memory, or gone on for too long.
func explained(err error) error {
	var p *engine.Panic
	if !errors.As(err, &p) {
		return err
	}
	for _, cause := range []error{phantom.ErrExhausted, engine.ErrHorizon} {
		if p.Value == any(cause) {
			return cause
		}
	}
	if phantom.IsFault(p.Value) {
		return errValues
	}
	return err
}
