package rank

import (
	"fmt"
	"slices"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/rma"
)

// directBytes is from which size on data is copied from process to process.
const directBytes = 32 << 10

// outlet is a rank's way to another one. Transfers that there is no room for wait, in order, and
// so does all that comes after them.
type outlet struct {
	way        endpoint
	ring       *shm.Endpoint // the same if it is of shared memory, else nil; see write
	travelling wire.Transfer // that way writes
	queue      transferQueue
	asked      rma.Op // that was started last of those that are complete with an answer; 0: none
	ends       uint64 // where the last operation ends
}

// write writes the next part of a transfer, if there is room. A ring is called directly: a call
// through the interface costs a short record a tenth, and lets the transfer escape to the heap.
func (o *outlet) write(t *wire.Transfer) bool {
	if o.ring != nil {
		return o.ring.Write(t)
	}
	o.travelling = *t
	written := o.way.Write(&o.travelling)
	t.Begun, t.Sent = o.travelling.Begun, o.travelling.Sent // all that writing changes
	o.travelling.Data, o.travelling.Gather, o.travelling.Target = nil, nil, nil
	return written
}

func (r *Rank) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := r.checkPush(to.Rank, by, len(data)); err != nil {
		return 0, err
	}
	if r.pushDirect(to, &contiguous, data, &contiguous, len(data)) || r.pushAcross(to, data) {
		return 0, nil
	}
	return r.push(to, nil, data, nil, len(data)), nil
}

func (r *Rank) PushLayout(to rma.Address, scatter rma.Layout, data []byte, gather rma.Layout, by rma.Mechanism) (rma.Op, error) {
	total, err := layoutBytes(gather, len(data))
	if err != nil {
		return 0, err
	}
	if !scatter.IsContiguous() && scatter.Bytes() != total {
		return 0, fmt.Errorf("rma: layout of %d bytes at the target for %d bytes; expected as many", scatter.Bytes(), total)
	}
	if err := r.checkPush(to.Rank, by, total); err != nil {
		return 0, err
	}
	scatter, gather, data = plain(scatter), plain(gather), cut(data, &gather, total)
	if far, near := scatter, gather; r.pushDirect(to, &far, data, &near, total) {
		return 0, nil
	}
	target, err := r.encode(scatter)
	if err != nil {
		return 0, err
	}
	return r.push(to, target, data, layoutOf(gather), total), nil
}

func (r *sender) checkPush(to int, by rma.Mechanism, n int) error {
	if err := r.checkRank(to); err != nil {
		return err
	}
	return checkMechanism(by, n)
}

// layoutBytes checks the layout of memory of this process, and returns its bytes.
func layoutBytes(l rma.Layout, size int) (int, error) {
	if l.IsContiguous() {
		return size, nil
	}
	return l.Bytes(), l.Check(size)
}

// plain returns a layout whose elements lie in a row as that of contiguous memory, which is copied at once.
func plain(l rma.Layout) rma.Layout {
	if l.Element > 0 && l.IsDense() {
		return rma.Layout{}
	}
	return l
}

// cut returns the bytes that a layout of so many in all begins with, if they lie in a row.
func cut(memory []byte, l *rma.Layout, total int) []byte {
	if l.IsDense() {
		return memory[:total]
	}
	return memory
}

// layoutOf returns a layout as transfers have it, nil for a contiguous one.
func layoutOf(l rma.Layout) wire.Layout {
	if l.IsContiguous() {
		return nil
	}
	access := l
	return &access
}

// encode returns the form in which a layout travels, nil for a contiguous one.
func (r *sender) encode(l rma.Layout) ([]byte, error) {
	if l.IsContiguous() {
		return nil, nil
	}
	if l.Element < 1 || l.Count < 0 || l.Stride < 0 || l.Offsets != nil && len(l.Offsets) != l.Count {
		return nil, fmt.Errorf("rma: layout of %d elements of %d bytes with stride %d and %d offsets; expected a well-formed one", l.Count, l.Element, l.Stride, len(l.Offsets))
	}
	if most := r.out[r.number].ring.Out.Most/2 - wire.PullBytes; 8*(len(l.Offsets)+3) > most {
		return nil, fmt.Errorf("rma: layout of %d offsets at the target; expected at most %d", len(l.Offsets), most/8-3)
	}
	access := l
	return access.Encode(nil), nil
}

func (r *sender) push(to rma.Address, target, data []byte, gather wire.Layout, total int) rma.Op {
	t := wire.Transfer{Kind: wire.Push, Segment: wire.SegmentNumber(to.Segment), Offset: to.Offset, Data: data, Gather: gather, Target: target, Total: total}
	if r.copies(to.Rank, total) && gather == nil && target == nil {
		t.Kind = wire.FarPush
	}
	return r.begin(operation{at: to, bytes: total, memory: data}, t)
}

func (r *sender) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := r.checkPush(to, by, len(data)); err != nil {
		return 0, err
	}
	t := wire.Transfer{Kind: wire.Message, Data: data, Total: len(data)}
	return r.begin(operation{at: rma.Address{Rank: to}, bytes: len(data), memory: data}, t), nil
}

// begin starts an operation. What the ring has no room for follows when it has.
func (r *sender) begin(e operation, t wire.Transfer) rma.Op {
	slot, op := r.ops.start(e)
	t.Slot = slot
	r.send(e.at.Rank, &t)
	return op
}

// send writes a transfer to the ring of a rank, as soon as all before it are written.
func (r *sender) send(to int, t *wire.Transfer) {
	o := &r.out[to]
	if o.queue.isEmpty() && r.advance(to, t) || o.way.Reach() && r.advance(to, t) {
		r.depart()
		return
	}
	if t.Kind == wire.Modify {
		t.Target = slices.Clone(t.Target) // of r.change, which the next one needs
	}
	if t.Fleeting {
		r.spares.keepOf(t)
	}
	o.queue.add(t)
	r.queued++
	r.depart()
}

// flushQueues writes what waits, as far as there is room, and reports whether
// something was written.
func (r *sender) flushQueues() bool {
	moved := false
	for to := range r.out {
		o := &r.out[to]
		before := o.way.Position()
		for !o.queue.isEmpty() && r.advance(to, o.queue.first()) {
			if t := o.queue.first(); t.Fleeting {
				r.spares.giveBack(t.Data)
			}
			o.queue.drop()
			r.queued--
		}
		moved = moved || o.way.Position() != before
	}
	return moved
}

// advance writes what there is room for of a transfer, and reports whether all of it
// is written.
func (r *sender) advance(to int, t *wire.Transfer) bool {
	o := &r.out[to]
	for some := false; !t.IsOver(); some = true {
		if !o.write(t) {
			if some {
				o.way.Tell()
			}
			return false
		}
	}
	o.way.Tell()
	if !t.Answers() {
		end := o.way.Position()
		r.ops.entries[t.Slot].end, o.ends = end, end
	}
	return true
}

// copies reports whether contiguous data of n bytes is copied from process to process.
func (r *sender) copies(to, n int) bool {
	return r.direct && n >= directBytes && r.job.IsLocal(to)
}
