package host

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// rank is a process and its processor. Of large jobs none is in the processor's cache, so what is needed together lies together:
// first what starting a message needs, then what its arrival needs.
type Process struct {
	c      *Cluster
	number int
	Done   bool    // it has returned
	driver *driver // that deals with an arrival; nil: none does
	asked  Request // that the model is starting; a field, so that it does not escape
	errand errand
	ends
	blocked string     // the call that it is blocked in without a time to wake
	idle    units.Time // that it has been blocked so far
	since   units.Time // when it began to look
	looking Look       // how it looks for what it is blocked for
	changed units.Time // when that came about
	Looked  units.Time // when it last looked at what its interface tells
	co      engine.Coroutine
	needs   needs
	inside  int   // what it has entered and not left; 0 if nobody observes it
	inbox   inbox // the last that nearly each message needs, see usualBytes

	Segments  []Segment
	Exposed   int   // bytes of segments
	withdrawn []int // numbers of segments to be used again
	constants int   // calls of Constant

	explain func() string // says what the program waits for; nil if it does not
	err     error         // what the program returned
	rma.Tuning
	rma.Recordable
}

// ends is what the end of an operation looks at.
type ends struct {
	waiting   uint32 // operation that the rank is blocked for in Wait, 0 if none
	awaitsOps bool   // what it watches for may be an operation of its own
	watching  bool   // blocked until something is written
	fences    fences
}

// exposure is an exposed segment.
type Segment struct {
	Memory []byte
	window bool // memory of the interface
	valid  bool // not withdrawn
	Unread bool // messages have come whose status has not been read
}

var (
	_ rma.Ahead     = (*Process)(nil)
	_ rma.Idler     = (*Process)(nil)
	_ rma.Explainer = (*Process)(nil)
	_ rma.Traced    = (*Process)(nil)
	_ rma.Tuned     = (*Process)(nil)
	_ rma.Recorded  = (*Process)(nil)
	_ rma.Sharer    = (*Process)(nil)
)

// Rank implements rma.Process.
func (r *Process) Rank() int { return r.number }

// Size implements rma.Process.
func (r *Process) Size() int { return len(r.c.Ranks) }

// Now implements rma.Process.
func (r *Process) Now() units.Time {
	r.settle()
	return r.c.Clock.Now()
}

// Compute implements rma.Process.
func (r *Process) Compute(d units.Time) {
	r.settle()
	if d > 0 {
		r.wakeAfter(d)
		r.suspend("compute")
	}
}

// Sleep suspends the program for a time.
func (r *Process) Sleep(d units.Time) {
	r.settle()
	if d == 0 {
		return
	}
	r.wakeAfter(d)
	if r.inside == 1 { // in the program itself, in no call
		r.suspend("busy")
		return
	}
	r.pause()
}

// suspend suspends the program, inside something that observers know by a name.
func (r *Process) suspend(what string) {
	if r.inside > 0 {
		r.suspendIn(what)
		return
	}
	r.pause()
}

func (r *Process) wakeAfter(d units.Time) { r.WakeAt(r.c.Clock.Now() + d) }

func (r *Process) WakeAt(t units.Time) {
	if p := r.c.Processors; p != nil {
		p[r.number].begin(r.c.Clock.Now(), t-r.c.Clock.Now())
	}
	r.c.Clock.Push(engine.Event{At: t, Kind: evResume, A: uint32(r.number), Args: engine.Args{B: uint32(r.errand.stage)}})
}

// Block suspends the program until somebody wakes it.
func (r *Process) Block(call string) {
	r.blocked = call
	begin := r.c.Clock.Now()
	r.suspend("wait")
	r.idle += r.c.Clock.Now() - begin
	r.blocked = ""
}

// Idle implements rma.Idler.
func (r *Process) Idle() units.Time {
	r.settle()
	return r.idle
}

// Expose implements rma.Process. Others know of it only by what is sent later, so it does not wait for the processor, unless the
// model wants to know when it is.
func (r *Process) Expose(memory []byte) int {
	if r.c.follower != nil {
		r.settle()
	}
	r.Exposed += len(memory)
	segment := len(r.Segments)
	if last := len(r.withdrawn) - 1; last >= 0 {
		segment = r.withdrawn[last]
		r.withdrawn = r.withdrawn[:last]
		r.Segments[segment] = Segment{Memory: memory, valid: true}
	} else {
		r.Segments = append(r.Segments, Segment{Memory: memory, valid: true})
	}
	if f := r.c.follower; f != nil {
		f.Exposed(r, segment, len(memory))
	}
	return segment
}

// Withdraw implements rma.Process.
func (r *Process) Withdraw(segment int) error {
	r.settle()
	if !r.isExposed(segment) {
		return fmt.Errorf("rma: Withdraw of segment %d, which rank %d has not exposed", segment, r.number)
	}
	s := &r.Segments[segment]
	if s.window {
		r.c.Model.GiveBack(r, len(s.Memory))
	}
	r.Exposed -= len(s.Memory)
	if f := r.c.follower; f != nil {
		f.Withdrawn(r, segment, len(s.Memory))
	}
	*s = Segment{}
	r.withdrawn = append(r.withdrawn, segment)
	return nil
}

func (r *Process) isExposed(segment int) bool {
	return segment >= 0 && segment < len(r.Segments) && r.Segments[segment].valid
}

// IsWindow reports whether a segment is memory of the interface.
func (r *Process) IsWindow(segment int) bool {
	return r.isExposed(segment) && r.Segments[segment].window
}

// ExposeWindow implements rma.Process.
func (r *Process) ExposeWindow(bytes int) (int, []byte, error) {
	if bytes < 0 {
		return 0, nil, fmt.Errorf("rma: window of %d bytes; expected at least 0", bytes)
	}
	r.settle()
	memory, err := r.c.Model.Window(r, bytes)
	if err != nil {
		return 0, nil, err
	}
	segment := r.Expose(memory)
	r.Segments[segment].window = true
	return segment, memory, nil
}

// Push implements rma.Process.
func (r *Process) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	return r.PushLayout(to, rma.Layout{}, data, rma.Layout{}, by)
}

// PushLayout implements rma.Process.
func (r *Process) PushLayout(to rma.Address, scatter rma.Layout, data []byte, gather rma.Layout, by rma.Mechanism) (rma.Op, error) {
	q := r.ask(Push, to.Rank)
	q.Address, q.Local, q.By = to, data, by
	q.setLayouts(&scatter, &gather)
	return r.start()
}

// Pull implements rma.Process.
func (r *Process) Pull(from rma.Address, into []byte) (rma.Op, error) {
	return r.PullLayout(from, rma.Layout{}, into, rma.Layout{})
}

// PullLayout implements rma.Process.
func (r *Process) PullLayout(from rma.Address, gather rma.Layout, into []byte, scatter rma.Layout) (rma.Op, error) {
	q := r.ask(Pull, from.Rank)
	q.Address, q.Local = from, into
	q.setLayouts(&gather, &scatter)
	return r.start()
}

// IPush implements rma.Process.
func (r *Process) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	q := r.ask(IPush, to)
	q.Local, q.By = data, by
	return r.start()
}

// ask begins a request to a rank. Its caller sets what is missing there: a request that is made
// elsewhere would take much of the stack of each rank.
func (r *Process) ask(a Action, target int) *Request {
	r.settle()
	q := &r.asked
	*q = Request{}
	q.Action, q.Target, q.Address.Rank = a, int32(target), target
	return q
}

// start checks what the rank asks for and hands it to the model.
func (r *Process) start() (rma.Op, error) {
	if err := r.check(&r.asked); err != nil {
		return 0, err
	}
	if r.inside > 0 {
		return r.startObserved()
	}
	return r.c.Model.Start(r, &r.asked)
}

func (r *Process) check(q *Request) error {
	if rank := q.Address.Rank; rank < 0 || rank >= len(r.c.Ranks) {
		return fmt.Errorf("rma: %v names rank %d; there are ranks 0 to %d", q.Action, rank, len(r.c.Ranks)-1)
	}
	if q.By != rma.DMA && q.By != rma.BOTF {
		return fmt.Errorf("rma: %v by %v; expected %v or %v", q.Action, q.By, rma.DMA, rma.BOTF)
	}
	if err := q.Near().Check(len(q.Local)); err != nil {
		return err
	}
	if !q.Far().IsContiguous() && q.Far().Bytes() != q.Bytes() {
		return fmt.Errorf("rma: %v of %d bytes here and %d bytes at rank %d; expected as many", q.Action, q.Bytes(), q.Far().Bytes(), q.Target)
	}
	return nil
}

// Windows implements rma.Process.
func (r *Process) Windows(n int) error {
	r.settle()
	return r.c.Model.UseWindows(r, n)
}

// Wait implements rma.Process.
func (r *Process) Wait(op rma.Op) error {
	r.settle()
	if op == 0 {
		return nil
	}
	if r.inside > 0 {
		r.begin("Wait")
		defer r.end()
	}
	id, err := r.c.findOp(op, r)
	if err != nil {
		return err
	}
	if o := r.c.ops.At(id); !o.complete {
		r.Look(r.c.Model.Completion())
		r.waiting = id
		r.Block("Wait")
		r.Saw()
	} else if look := r.c.Model.Completion(); look.Period == 0 || o.at > r.Looked {
		r.Sleep(look.Once())
	}
	return r.finish(id)
}

// finish ends an operation that is complete.
func (r *Process) finish(id uint32) error {
	o := r.c.ops.At(id)
	err := o.err
	if err == nil && o.ofModel {
		r.c.Model.Finish(r, id)
	}
	r.c.FreeOp(id)
	return err
}

// Test implements rma.Process.
func (r *Process) Test(op rma.Op) (bool, error) {
	if op == 0 {
		return true, nil
	}
	if r.inside > 0 {
		r.begin("Test")
		defer r.end()
	}
	if _, err := r.c.findOp(op, r); err != nil {
		return false, err
	}
	r.Sleep(r.c.Model.Completion().Once())
	return r.tested(op)
}

// tested is Test when the processor has looked.
func (r *Process) tested(op rma.Op) (bool, error) {
	id, err := r.c.findOp(op, r)
	if err != nil || !r.c.ops.At(id).complete {
		return false, err
	}
	return true, r.finish(id)
}

// WaitUntil implements rma.Process.
func (r *Process) WaitUntil(condition func() bool) error {
	if r.inside > 0 {
		r.begin("WaitUntil")
		defer r.end()
	}
	r.watch("WaitUntil", condition)
	return nil
}

// watch blocks in a call until a condition on memory holds.
func (r *Process) watch(call string, condition func() bool) {
	r.settle()
	if condition() {
		r.Sleep(r.c.Model.Arrival().Once())
		return
	}
	r.Look(r.c.Model.Arrival())
	for {
		r.watching = true
		r.Block(call)
		if condition() {
			r.Saw()
			r.c.TellTime("notice arrival by polling", r.c.Clock.Now()-r.changed)
			return
		}
	}
}

// Look begins to look for something.
func (r *Process) Look(l Look) { r.looking, r.since = l, r.c.Clock.Now()-l.Phase }

// Saw ends the look that found something.
func (r *Process) Saw() {
	r.Looked = r.c.Clock.Now()
	r.Sleep(r.looking.Rest())
}

// Sees returns when a rank that looks for something sees it if it comes about now.
func (r *Process) Sees() units.Time { return r.looking.Sees(r.since, r.c.Clock.Now()) }

// Touched wakes a rank that watches its memory.
func (r *Process) Touched() {
	if r.watching {
		r.watching, r.changed = false, r.c.Clock.Now()
		r.WakeAt(r.Sees())
	}
}

// segment returns n bytes of exposed memory.
func (r *Process) Memory(a rma.Address, n int) ([]byte, error) {
	if !r.isExposed(a.Segment) {
		return nil, fmt.Errorf("rma: access to %v, which is not exposed; %d segments are", a, len(r.Segments)-len(r.withdrawn))
	}
	size := len(r.Segments[a.Segment].Memory)
	if a.Offset < 0 || a.Offset > size-n {
		return nil, fmt.Errorf("rma: access to %d bytes at %v, outside the segment's %d bytes", n, a, size)
	}
	return r.Segments[a.Segment].Memory[a.Offset:][:n], nil
}
