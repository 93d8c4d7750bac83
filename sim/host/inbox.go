package host

import (
	"fmt"
	"slices"

	"musubi/internal/phantom"
	"musubi/internal/sparse"
	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/rma"
)

// inbox is the receive rings of a rank with their status ring. It comes into
// being when the rank sets its rings, or else when it is first needed.
type inbox struct {
	layout *receiverLayout  // nil: it has no rings yet
	seen   bool             // a look has found the record that is next
	taking ring.Record      // by Take; a field, so that it does not escape
	heads  phantom.Heads    // of messages whose data is phantom, by where they begin in the receive area, if not in notes of records
	areas  sparse.Few[area] // memory of each ring, as far as it is in use
	pool   *areaPool        // of that memory
	stalls []stall          // packets that have found no room, the oldest first
	rx     ring.Receiver    // its first lines are the last that nearly each message needs
	use    RingUse
}

// Store puts the data of a packet where the receiver has placed it, and tells
// the rank.
func (r *Process) Store(p *ring.Packet, at ring.Placement, data []byte) {
	if note := r.inbox.rx.Written(p, at); note == nil || !keptIn(note, data) {
		r.Fill(at, data)
	}
	r.c.ahead.Ask()
	r.Touched()
}

// keptIn keeps a message in the note of its record if it is short, as most messages of large jobs are: it needs no memory of its
// ring then.
func keptIn(note *ring.Note, message []byte) bool {
	mark := phantom.MarkOf(message)
	*note = ring.Note(mark)
	return !mark.IsNone()
}

// Fill copies the data of a packet to its place.
func (r *Process) Fill(at ring.Placement, data []byte) {
	if phantom.Is(data) {
		r.inbox.fillPhantom(at, data)
		return
	}
	for _, s := range at.At {
		data = data[copy(r.inbox.memory(at.Ring, s), data):]
	}
}

// Stored tells the rank of a packet whose data is in its place.
func (r *Process) Stored(p *ring.Packet, at ring.Placement) {
	r.inbox.rx.Written(p, at)
	r.Touched()
}

// RingArea returns the size of the rank's receive rings, so far.
func (r *Process) RingArea() int {
	if r.inbox.layout == nil {
		return 0
	}
	return r.inbox.rx.Area()
}

// RefuseForeign counts a packet that came from another process group.
func (r *Process) RefuseForeign() { r.inbox.use.Foreign++ }

// memory returns a part of the receive area.
func (b *inbox) memory(ring int, s ring.Span) []byte {
	if s.Bytes == 0 {
		return nil
	}
	e := b.rx.Entry(ring)
	return b.areas.At(int32(ring)).part(s.Offset-e.Base, s.Bytes, e.Size, b.pool)
}

// Poll implements rma.Process.
func (r *Process) Poll() (bool, error) {
	r.settle()
	if err := r.ready(); err != nil {
		return false, err
	}
	if r.inside > 0 {
		r.begin("Poll")
		defer r.end()
	}
	look := r.c.Model.Arrival()
	r.Sleep(look.Once() - look.Rest())
	arrived := r.inbox.rx.Pending()
	r.Sleep(look.Rest())
	r.inbox.seen = arrived
	return arrived, nil
}

// Await implements rma.Process.
func (r *Process) Await(ops ...rma.Op) error { return r.AwaitUntil(never, ops...) }

func never() bool { return false }

// AwaitUntil implements rma.Process.
func (r *Process) AwaitUntil(condition func() bool, ops ...rma.Op) error {
	r.settle()
	if err := r.ready(); err != nil {
		return err
	}
	if r.inside > 0 {
		r.begin("Await")
		defer r.end()
	}
	r.awaitsOps = len(ops) > 0
	r.watch("Await", func() bool { return r.inbox.rx.Pending() || condition() || slices.ContainsFunc(ops, r.isComplete) })
	r.awaitsOps = false
	r.inbox.seen = r.inbox.rx.Pending()
	return nil
}

// isComplete reports whether there is nothing to wait for in an operation.
func (r *Process) isComplete(op rma.Op) bool {
	id, err := r.c.findOp(op, r)
	return err != nil || r.c.ops.At(id).complete
}

// Next implements rma.Process.
func (r *Process) Next() (rma.Arrival, error) {
	r.settle()
	if err := r.ready(); err != nil {
		return rma.Arrival{}, err
	}
	if r.inside > 0 {
		r.begin("Next")
		defer r.end()
	}
	if !r.inbox.seen {
		r.watch("Next", r.inbox.rx.Pending)
	}
	return r.takeRecord(), nil
}

// takeRecord takes the next record, which is there, off the status ring.
func (r *Process) takeRecord() rma.Arrival {
	r.Sleep(r.c.Model.ReadRecord())
	return r.nextRecord()
}

// nextRecord is takeRecord when the processor has read the record. It is the one that is being taken.
func (r *Process) nextRecord() rma.Arrival {
	b := &r.inbox
	b.seen = false
	b.taking, _ = b.rx.Next()
	rec := &b.taking
	return rma.Arrival{From: int(rec.From), Bytes: rec.Bytes, Last: rec.Last, Record: rec.Number}
}

// Take implements rma.Process.
func (r *Process) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	r.settle()
	rec, held := r.inbox.held(a.Record)
	switch {
	case !held:
		return fmt.Errorf("rma: Take of arrival %d, which rank %d has not open; an arrival may be taken once", a.Record, r.number)
	case into != nil && len(into) < rec.Bytes:
		return fmt.Errorf("rma: Take of %d bytes into %d", rec.Bytes, len(into))
	}
	if r.inside > 0 {
		r.begin("Take")
		defer r.end()
	}
	r.inbox.taking = rec
	r.c.Model.Take(r, &r.inbox.taking, into, as)
	return r.endTake()
}

// endTake gives back the room of the record that is being taken.
func (r *Process) endTake() error {
	r.c.ahead.Ask()
	r.inbox.heads.Delete(headAt(&r.inbox.taking))
	if err := r.inbox.release(r.inbox.taking); err != nil {
		return err
	}
	r.c.Model.Released(r)
	return nil
}

// held returns a record that the rank has open, by its number.
func (b *inbox) held(number uint64) (ring.Record, bool) {
	if b.layout == nil {
		return ring.Record{}, false
	}
	return b.rx.Held(number)
}

// release gives back the room of a record, and the memory of its ring if that is empty now.
func (b *inbox) release(rec ring.Record) error {
	if err := b.rx.Release(rec); err != nil {
		return err
	}
	if b.rx.Used(rec.Ring) > 0 {
		return nil
	}
	if a := b.areas.Known(int32(rec.Ring)); a != nil {
		a.giveBack(b.pool)
		b.areas.Forget(int32(rec.Ring))
	}
	return nil
}

// Fetch copies a record's data out of the receive area.
func (r *Process) Fetch(rec *ring.Record, into []byte) {
	to := into[:min(len(into), rec.Bytes)]
	if mark := phantom.Mark(*r.inbox.rx.NoteOf(rec.Number)); !mark.IsNone() {
		mark.Fetch(to)
		return
	}
	if r.inbox.heads.Fetch(headAt(rec), to) || phantom.Is(into) { // the data is phantom, or has nowhere to go
		return
	}
	for _, s := range rec.At {
		into = into[copy(into, r.inbox.memory(rec.Ring, s)):]
	}
}

// Load implements rma.Process.
func (r *Process) Load(segment, offset int, gather rma.Layout, into []byte, as rma.Caching) error {
	r.settle()
	a := rma.Address{Rank: r.number, Segment: segment, Offset: offset}
	access := gather
	memory, n, err := r.Reach(a, &access, len(into))
	switch {
	case err != nil:
		return err
	case n > len(into):
		return fmt.Errorf("rma: Load of %d bytes into %d", n, len(into))
	}
	if r.inside > 0 {
		r.begin("Load")
		defer r.end()
	}
	r.c.Model.Load(r, a, &access, into[:n], as)
	access.Gather(into[:n], memory, 0)
	return nil
}

// Reach returns the memory that an access to exposed memory is counted from, and
// how many bytes the access moves: n if it is contiguous.
func (r *Process) Reach(a rma.Address, access *onesided.Layout, n int) ([]byte, int, error) {
	if access.IsContiguous() {
		memory, err := r.Memory(a, n)
		return memory, n, err
	}
	if _, err := r.Memory(a, 0); err != nil {
		return nil, 0, err
	}
	memory := r.Segments[a.Segment].Memory[a.Offset:]
	if err := access.Check(len(memory)); err != nil {
		return nil, 0, fmt.Errorf("rma: access to %v: %w", a, err)
	}
	return memory, access.Bytes(), nil
}
