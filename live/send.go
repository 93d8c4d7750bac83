package live

import (
	"fmt"
	"slices"

	"musubi/onesided"
	"musubi/rma"
)

// directBytes is from which size on data is copied from process to process.
const directBytes = 32 << 10

// outlet is a rank's way to another one. Transfers that the ring has no room for
// wait, in order, and so does all that comes after them.
type outlet struct {
	writer
	stream *stream // instead of the ring, to a rank of another group
	back   *inlet  // from that rank
	queue  queue
	asked  rma.Op // that was started last of those that are complete with an answer; 0: none
	ends   uint64 // where the last operation ends
	copier copier
}

// publish makes a record visible. It tells what was taken of the other ring as well,
// which spares the other rank to look for it in a place of its own.
func (o *outlet) publish(k kind, n int) { o.writer.publish(k, n, o.back.acknowledged()) }

// transfer is something to be written to a ring, in one record or more.
type transfer struct {
	kind     kind
	slot     uint32 // of the operation; of answers: of the one at the target
	segment  int
	offset   int         // of answers: of the first byte, in the operation
	data     []byte      // memory that is read; kindFarPush, kindFarPull: that the target reads or writes
	gather   layout      // of data
	target   []byte      // layout at the target, encoded; kindModify: what to do to the word
	change   combination // kindAccumulate
	total    int         // bytes to be moved
	sent     int
	begun    bool
	fleeting bool   // data is used for something else when send has returned
	failed   report // of answers; kindResult without a code: the hint is what the word was
}

// answers reports whether the transfer is for an operation of the target.
func (t *transfer) answers() bool { return t.kind == kindAnswer || t.kind == kindResult }

// layout is a pointer, so that operations without are small.
type layout = *onesided.Layout

func (r *rank) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := r.checkPush(to.Rank, by, len(data)); err != nil {
		return 0, err
	}
	if r.pushDirect(to, &contiguous, data, &contiguous, len(data)) || r.pushAcross(to, data) {
		return 0, nil
	}
	return r.push(to, nil, data, nil, len(data)), nil
}

func (r *rank) PushLayout(to rma.Address, scatter rma.Layout, data []byte, gather rma.Layout, by rma.Mechanism) (rma.Op, error) {
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
	if far, near := scatter, gather; r.pushDirect(to, &far, data, &near, total) {
		return 0, nil
	}
	target, err := r.encode(scatter)
	if err != nil {
		return 0, err
	}
	return r.push(to, target, data, layoutOf(gather), total), nil
}

func (r *rank) checkPush(to int, by rma.Mechanism, n int) error {
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

// layoutOf returns a layout as transfers have it, nil for a contiguous one.
func layoutOf(l rma.Layout) layout {
	if l.IsContiguous() {
		return nil
	}
	access := l
	return &access
}

// encode returns the form in which a layout travels, nil for a contiguous one.
func (r *rank) encode(l rma.Layout) ([]byte, error) {
	if l.IsContiguous() {
		return nil, nil
	}
	if l.Element < 1 || l.Count < 0 || l.Stride < 0 || l.Offsets != nil && len(l.Offsets) != l.Count {
		return nil, fmt.Errorf("rma: layout of %d elements of %d bytes with stride %d and %d offsets; expected a well-formed one", l.Count, l.Element, l.Stride, len(l.Offsets))
	}
	if most := r.out[0].most/2 - pullHead; 8*(len(l.Offsets)+3) > most {
		return nil, fmt.Errorf("rma: layout of %d offsets at the target; expected at most %d", len(l.Offsets), most/8-3)
	}
	access := l
	return access.Encode(nil), nil
}

func (r *rank) push(to rma.Address, target, data []byte, gather layout, total int) rma.Op {
	t := transfer{kind: kindPush, segment: segmentNumber(to.Segment), offset: to.Offset, data: data, gather: gather, target: target, total: total}
	if r.copies(to.Rank, total) && gather == nil && target == nil {
		t.kind = kindFarPush
	}
	return r.begin(operation{at: to, bytes: total, memory: data}, t)
}

func (r *rank) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := r.checkPush(to, by, len(data)); err != nil {
		return 0, err
	}
	t := transfer{kind: kindPacket, data: data, total: len(data)}
	return r.begin(operation{at: rma.Address{Rank: to}, bytes: len(data), memory: data}, t), nil
}

// begin starts an operation. What the ring has no room for follows when it has.
func (r *rank) begin(e operation, t transfer) rma.Op {
	slot, op := r.ops.start(e)
	t.slot = slot
	r.send(e.at.Rank, &t)
	return op
}

// send writes a transfer to the ring of a rank, as soon as all before it are written.
func (r *rank) send(to int, t *transfer) {
	o := &r.out[to]
	if o.queue.isEmpty() && r.advance(to, t) {
		return
	}
	if s := o.stream; s != nil && !s.connected && r.far.reach(s) && r.advance(to, t) {
		return
	}
	if t.kind == kindModify {
		t.target = slices.Clone(t.target) // of r.change, which the next one needs
	}
	if t.fleeting {
		t.keep(&r.spares)
	}
	o.queue.add(t)
	r.queued++
	r.depart()
}

// flushQueues writes what waits, as far as there is room, and reports whether
// something was written.
func (r *rank) flushQueues() bool {
	moved := false
	for to := range r.out {
		o := &r.out[to]
		before := o.head
		for !o.queue.isEmpty() && r.advance(to, o.queue.first()) {
			if t := o.queue.first(); t.fleeting {
				r.spares.giveBack(t.data)
			}
			o.queue.drop()
			r.queued--
		}
		moved = moved || o.head != before
	}
	return moved
}

// advance writes what there is room for of a transfer, and reports whether all of it
// is written.
func (r *rank) advance(to int, t *transfer) bool {
	o := &r.out[to]
	before := o.head
	for !t.begun || t.sent < t.total {
		if !o.write(t) {
			if o.head != before {
				r.tell(to)
			}
			return false
		}
		t.begun = true
	}
	r.tell(to)
	if !t.answers() {
		r.ops.entries[t.slot].end, o.ends = o.head, o.head
	}
	return true
}

// tell lets a rank see what has been written for it.
func (r *rank) tell(to int) {
	if s := r.out[to].stream; s != nil {
		r.far.tell(s)
		return
	}
	r.job.wake(to)
}

// copies reports whether contiguous data of n bytes is copied from process to process.
func (r *rank) copies(to, n int) bool {
	return r.direct && n >= directBytes && r.out[to].stream == nil
}

// keep copies the data that is still to be sent, as its owner needs the memory.
func (t *transfer) keep(in *spares) {
	t.data = in.keep(t.data[t.sent:])
	t.offset, t.total, t.sent = t.offset+t.sent, t.total-t.sent, 0
}
