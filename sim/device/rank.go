package device

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// rank is a process and its processor.
type rank struct {
	c      *Cluster
	number int
	co     *engine.Coroutine
	err    error // what the program returned
	done   bool  // it has returned

	segments  []exposure
	exposed   int   // bytes of segments
	withdrawn []int // numbers of segments to be used again
	inbox     inbox
	fences    fences

	blocked   string        // the call that it is blocked in without a time to wake
	explain   func() string // says what the program waits for; nil if it does not
	watching  bool          // blocked until something is written
	awaitsOps bool          // what it watches for may be an operation of its own
	waiting   uint32        // operation that it is blocked for in Wait, 0 if none
	since     units.Time    // when it began to look
	looking   look          // how it looks for what it is blocked for
	changed   units.Time    // when that came about
	idle      units.Time    // that it has been blocked so far
	looked    units.Time    // when it last looked at what its interface tells
}

// exposure is an exposed segment.
type exposure struct {
	memory []byte
	window bool // memory of the interface
	valid  bool // not withdrawn
	unread bool // messages have come whose status has not been read
}

var (
	_ rma.Idler     = (*rank)(nil)
	_ rma.Explainer = (*rank)(nil)
)

// Rank implements rma.Process.
func (r *rank) Rank() int { return r.number }

// Size implements rma.Process.
func (r *rank) Size() int { return len(r.c.ranks) }

// Now implements rma.Process.
func (r *rank) Now() units.Time { return r.c.q.Now() }

// Compute implements rma.Process.
func (r *rank) Compute(d units.Time) {
	if d > 0 {
		r.sleep(d)
	}
}

// sleep suspends the program for a time.
func (r *rank) sleep(d units.Time) {
	if d == 0 {
		return
	}
	r.wakeAfter(d)
	r.co.Suspend()
}

func (r *rank) wakeAfter(d units.Time) { r.wakeAt(r.c.q.Now() + d) }

func (r *rank) wakeAt(t units.Time) {
	if p := r.c.processors; p != nil {
		p[r.number].begin(r.c.q.Now(), t-r.c.q.Now())
	}
	r.c.q.Push(engine.Event{At: t, Kind: evResume, A: uint32(r.number)})
}

// block suspends the program until somebody wakes it.
func (r *rank) block(call string) {
	r.blocked = call
	begin := r.c.q.Now()
	r.co.Suspend()
	r.idle += r.c.q.Now() - begin
	r.blocked = ""
}

// Idle implements rma.Idler.
func (r *rank) Idle() units.Time { return r.idle }

// Expose implements rma.Process.
func (r *rank) Expose(memory []byte) int {
	r.exposed += len(memory)
	segment := len(r.segments)
	if last := len(r.withdrawn) - 1; last >= 0 {
		segment = r.withdrawn[last]
		r.withdrawn = r.withdrawn[:last]
		r.segments[segment] = exposure{memory: memory, valid: true}
	} else {
		r.segments = append(r.segments, exposure{memory: memory, valid: true})
	}
	if f := r.c.follower; f != nil {
		f.exposed(r, segment, len(memory))
	}
	return segment
}

// Withdraw implements rma.Process.
func (r *rank) Withdraw(segment int) error {
	if !r.isExposed(segment) {
		return fmt.Errorf("rma: Withdraw of segment %d, which rank %d has not exposed", segment, r.number)
	}
	s := &r.segments[segment]
	if s.window {
		r.c.model.giveBack(r, len(s.memory))
	}
	r.exposed -= len(s.memory)
	if f := r.c.follower; f != nil {
		f.withdrawn(r, segment, len(s.memory))
	}
	*s = exposure{}
	r.withdrawn = append(r.withdrawn, segment)
	return nil
}

func (r *rank) isExposed(segment int) bool {
	return segment >= 0 && segment < len(r.segments) && r.segments[segment].valid
}

// isWindow reports whether a segment is memory of the interface.
func (r *rank) isWindow(segment int) bool { return r.isExposed(segment) && r.segments[segment].window }

// ExposeWindow implements rma.Process.
func (r *rank) ExposeWindow(bytes int) (int, []byte, error) {
	if bytes < 0 {
		return 0, nil, fmt.Errorf("rma: window of %d bytes; expected at least 0", bytes)
	}
	memory, err := r.c.model.window(r, bytes)
	if err != nil {
		return 0, nil, err
	}
	segment := r.Expose(memory)
	r.segments[segment].window = true
	return segment, memory, nil
}

// Push implements rma.Process.
func (r *rank) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	return r.PushLayout(to, rma.Layout{}, data, rma.Layout{}, by)
}

// PushLayout implements rma.Process.
func (r *rank) PushLayout(to rma.Address, scatter rma.Layout, data []byte, gather rma.Layout, by rma.Mechanism) (rma.Op, error) {
	return r.start(request{kind: push, target: int32(to.Rank), address: to, far: scatter, local: data, near: gather, by: by})
}

// Pull implements rma.Process.
func (r *rank) Pull(from rma.Address, into []byte) (rma.Op, error) {
	return r.PullLayout(from, rma.Layout{}, into, rma.Layout{})
}

// PullLayout implements rma.Process.
func (r *rank) PullLayout(from rma.Address, gather rma.Layout, into []byte, scatter rma.Layout) (rma.Op, error) {
	return r.start(request{kind: pull, target: int32(from.Rank), address: from, far: gather, local: into, near: scatter})
}

// IPush implements rma.Process.
func (r *rank) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	return r.start(request{kind: ipush, target: int32(to), address: rma.Address{Rank: to}, local: data, by: by})
}

// start checks a request and hands it to the model.
func (r *rank) start(q request) (rma.Op, error) {
	if err := r.check(&q); err != nil {
		return 0, err
	}
	return r.c.model.start(r, &q)
}

func (r *rank) check(q *request) error {
	if rank := q.address.Rank; rank < 0 || rank >= len(r.c.ranks) {
		return fmt.Errorf("rma: %v names rank %d; there are ranks 0 to %d", q.kind, rank, len(r.c.ranks)-1)
	}
	if q.by != rma.DMA && q.by != rma.BOTF {
		return fmt.Errorf("rma: %v by %v; expected %v or %v", q.kind, q.by, rma.DMA, rma.BOTF)
	}
	if err := q.near.Check(len(q.local)); err != nil {
		return err
	}
	if !q.far.IsContiguous() && q.far.Bytes() != q.bytes() {
		return fmt.Errorf("rma: %v of %d bytes here and %d bytes at rank %d; expected as many", q.kind, q.bytes(), q.far.Bytes(), q.target)
	}
	return nil
}

// Windows implements rma.Process.
func (r *rank) Windows(n int) error { return r.c.model.useWindows(r, n) }

// Wait implements rma.Process.
func (r *rank) Wait(op rma.Op) error {
	if op == 0 {
		return nil
	}
	id, err := r.c.findOp(op, r)
	if err != nil {
		return err
	}
	if o := &r.c.ops[id]; !o.complete {
		r.look(r.c.model.completion())
		r.waiting = id
		r.block("Wait")
		r.saw()
	} else if look := r.c.model.completion(); look.period == 0 || o.at > r.looked {
		r.sleep(look.once())
	}
	return r.finish(id)
}

// finish ends an operation that is complete.
func (r *rank) finish(id uint32) error {
	err := r.c.ops[id].err
	if err == nil && r.c.ops[id].ofModel {
		r.c.model.finish(r, id)
	}
	r.c.freeOp(id)
	return err
}

// Test implements rma.Process.
func (r *rank) Test(op rma.Op) (bool, error) {
	if op == 0 {
		return true, nil
	}
	id, err := r.c.findOp(op, r)
	if err != nil {
		return false, err
	}
	r.sleep(r.c.model.completion().once())
	if !r.c.ops[id].complete {
		return false, nil
	}
	return true, r.finish(id)
}

// WaitUntil implements rma.Process.
func (r *rank) WaitUntil(condition func() bool) error {
	r.watch("WaitUntil", condition)
	return nil
}

// watch blocks in a call until a condition on memory holds.
func (r *rank) watch(call string, condition func() bool) {
	if condition() {
		r.sleep(r.c.model.arrival().once())
		return
	}
	r.look(r.c.model.arrival())
	for {
		r.watching = true
		r.block(call)
		if condition() {
			r.saw()
			r.c.tellTime("notice arrival by polling", r.c.q.Now()-r.changed)
			return
		}
	}
}

// look begins to look for something.
func (r *rank) look(l look) { r.looking, r.since = l, r.c.q.Now()-l.phase }

// saw ends the look that found something.
func (r *rank) saw() {
	r.looked = r.c.q.Now()
	r.sleep(r.looking.rest())
}

// touched wakes a rank that watches its memory.
func (r *rank) touched() {
	if r.watching {
		r.watching, r.changed = false, r.c.q.Now()
		r.wakeAt(r.looking.sees(r.since, r.c.q.Now()))
	}
}

// segment returns n bytes of exposed memory.
func (r *rank) segment(a rma.Address, n int) ([]byte, error) {
	if !r.isExposed(a.Segment) {
		return nil, fmt.Errorf("rma: access to %v, which is not exposed; %d segments are", a, len(r.segments)-len(r.withdrawn))
	}
	size := len(r.segments[a.Segment].memory)
	if a.Offset < 0 || a.Offset > size-n {
		return nil, fmt.Errorf("rma: access to %d bytes at %v, outside the segment's %d bytes", n, a, size)
	}
	return r.segments[a.Segment].memory[a.Offset:][:n], nil
}
