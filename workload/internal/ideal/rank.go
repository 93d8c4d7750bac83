package ideal

import (
	"fmt"
	"slices"
	"unsafe"

	"musubi/rma"
	"musubi/units"
)

var _ rma.Process = (*Member)(nil)

func (r *Member) resume()         { r.next() }
func (r *Member) Rank() int       { return r.number }
func (r *Member) Size() int       { return len(r.w.ranks) }
func (r *Member) Now() units.Time { return r.w.now }

// suspend lets the others go on. It unwinds the program if the run is over.
func (r *Member) suspend() {
	if !r.yield(struct{}{}) {
		panic(stopped{})
	}
}

func (r *Member) Compute(d units.Time) {
	r.w.at(r.w.now+d, r.resume)
	r.suspend()
}

func (r *Member) Expose(memory []byte) int {
	if last := len(r.withdrawn) - 1; last >= 0 {
		segment := r.withdrawn[last]
		r.withdrawn = r.withdrawn[:last]
		r.Segments[segment] = memory
		return segment
	}
	r.Segments = append(r.Segments, memory)
	return len(r.Segments) - 1
}

func (r *Member) Withdraw(segment int) error {
	if segment < 0 || segment >= len(r.Segments) || slices.Contains(r.withdrawn, segment) {
		return fmt.Errorf("segment %d is not exposed", segment)
	}
	r.Segments[segment] = nil
	r.withdrawn = append(r.withdrawn, segment)
	return nil
}

func (r *Member) ExposeWindow(bytes int) (int, []byte, error) {
	if bytes < 0 {
		return 0, nil, fmt.Errorf("window of %d bytes", bytes)
	}
	memory := make([]byte, bytes)
	return r.Expose(memory), memory, nil
}

// reach returns exposed memory from an address on, and fails if what is to be
// accessed there is not exposed.
func (r *Member) reach(a rma.Address, l rma.Layout, n int) ([]byte, error) {
	if a.Segment < 0 || a.Segment >= len(r.Segments) || slices.Contains(r.withdrawn, a.Segment) || a.Offset < 0 || a.Offset > len(r.Segments[a.Segment]) {
		return nil, fmt.Errorf("%v is not exposed", a)
	}
	memory := r.Segments[a.Segment][a.Offset:]
	if l.IsContiguous() && n > len(memory) {
		return nil, fmt.Errorf("%d bytes at %v are not exposed", n, a)
	}
	return memory, l.Check(len(memory))
}

// isExposed tells whether data lies in an exposed segment.
func (r *Member) isExposed(data []byte) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	for _, s := range r.Segments {
		if base := uintptr(unsafe.Pointer(unsafe.SliceData(s))); start >= base && start+uintptr(len(data)) <= base+uintptr(len(s)) {
			return true
		}
	}
	return false
}

// spans calls f for each piece of memory that a layout names.
func spans(l rma.Layout, memory []byte, f func(piece []byte)) {
	if l.IsContiguous() {
		f(memory)
	}
	for i := range l.Count {
		at := i * l.Stride
		if l.Offsets != nil {
			at = l.Offsets[i]
		}
		f(memory[at:][:l.Element])
	}
}

func gathered(l rma.Layout, memory []byte) []byte {
	var data []byte
	spans(l, memory, func(piece []byte) { data = append(data, piece...) })
	return data
}

func scatter(l rma.Layout, memory, data []byte) {
	spans(l, memory, func(piece []byte) { data = data[copy(piece, data):] })
}

func (r *Member) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	return r.PushLayout(to, rma.Layout{}, data, rma.Layout{}, by)
}

func (r *Member) PushLayout(to rma.Address, far rma.Layout, data []byte, near rma.Layout, by rma.Mechanism) (rma.Op, error) {
	if err := r.check(to.Rank, by, near, len(data), far); err != nil {
		return 0, err
	}
	packed := gathered(near, data)
	id, op := r.newOp()
	arrival := r.send(to.Rank, data, len(packed), by)
	op.at = arrival + r.w.Latency
	r.w.at(arrival, func() {
		t := r.w.ranks[to.Rank]
		memory, err := t.reach(to, far, len(packed))
		if op.err = err; err == nil {
			scatter(far, memory, r.w.carried(packed))
			t.touched()
		}
	})
	return id, nil
}

func (r *Member) Pull(from rma.Address, into []byte) (rma.Op, error) {
	return r.PullLayout(from, rma.Layout{}, into, rma.Layout{})
}

func (r *Member) PullLayout(from rma.Address, far rma.Layout, into []byte, near rma.Layout) (rma.Op, error) {
	if err := r.check(from.Rank, rma.DMA, near, len(into), far); err != nil {
		return 0, err
	}
	n := bytesOf(near, len(into))
	id, op := r.newOp()
	op.at = r.w.now + 2*r.w.Latency + units.Time(n)*r.w.PerByte
	r.w.at(r.w.now+r.w.Latency, func() {
		memory, err := r.w.ranks[from.Rank].reach(from, far, n)
		if op.err = err; err == nil {
			scatter(near, into, r.w.carried(gathered(far, memory)))
		}
	})
	return id, nil
}

// check fails for what is wrong with an operation by itself.
func (r *Member) check(rank int, by rma.Mechanism, near rma.Layout, size int, far rma.Layout) error {
	if err := near.Check(size); err != nil {
		return err
	}
	switch n := bytesOf(near, size); {
	case rank < 0 || rank >= r.Size():
		return fmt.Errorf("there is no rank %d", rank)
	case by > rma.BOTF:
		return fmt.Errorf("there is no %v", by)
	case bytesOf(far, n) != n:
		return fmt.Errorf("%d bytes there and %d here", far.Bytes(), n)
	}
	return nil
}

// bytesOf returns how many bytes of a memory of some size a layout names.
func bytesOf(l rma.Layout, size int) int {
	if l.IsContiguous() {
		return size
	}
	return l.Bytes()
}

func (r *Member) newOp() (rma.Op, *operation) {
	r.ops++
	r.open[r.ops] = &operation{at: units.Never}
	return r.ops, r.open[r.ops]
}

// touched wakes the rank if it watches its memory.
func (r *Member) touched() {
	if r.watching {
		r.watching = false
		r.resume()
	}
}

// complete says when an operation is complete of which that was not known.
func (r *Member) complete(op *operation, at units.Time) {
	op.at = at
	for _, f := range op.fences {
		f.passed(r, at)
	}
	r.w.at(at, r.touched) // for Await
	if r.blocked {
		r.blocked = false
		r.resume()
	}
}

func (r *Member) Wait(id rma.Op) error {
	if id == 0 {
		return nil
	}
	op := r.open[id]
	if op == nil {
		return fmt.Errorf("operation %d is not open", id)
	}
	for op.at == units.Never {
		r.blocked = true
		r.suspend()
	}
	delete(r.open, id)
	r.Compute(max(0, op.at-r.w.now))
	return op.err
}

func (r *Member) Test(id rma.Op) (bool, error) {
	if op := r.open[id]; op != nil && op.at > r.w.now {
		return false, nil
	}
	return true, r.Wait(id)
}

func (r *Member) WaitUntil(condition func() bool) error {
	for !condition() {
		r.watching = true
		r.suspend()
	}
	return nil
}

func (r *Member) Load(segment, offset int, gather rma.Layout, into []byte, as rma.Caching) error {
	memory, err := r.reach(rma.Address{Rank: r.number, Segment: segment, Offset: offset}, gather, len(into))
	if err != nil {
		return err
	}
	r.copies(len(into), as)
	if gather.IsContiguous() {
		memory = memory[:len(into)]
	}
	copy(into, gathered(gather, memory))
	return nil
}

// copies keeps the processor busy with copying.
func (r *Member) copies(n int, as rma.Caching) {
	cost := units.Time(n) * r.w.Copying
	if as == rma.Uncached {
		cost *= 2
	}
	if cost > 0 {
		r.Compute(cost)
	}
}
