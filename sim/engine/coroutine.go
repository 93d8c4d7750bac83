package engine

import (
	"fmt"
	"iter"
	"runtime/debug"
	"unsafe"

	"musubi/internal/goroutine"
	"musubi/internal/prefetch"
)

// Coroutine runs a function that can suspend itself. The function and its caller take turns on one
// thread of control: they never run at once.
//
// A suspended coroutine costs 3 to 9 KB; a switch there and back about 0.1 us.
type Coroutine struct {
	body    func(*Coroutine) // until it starts
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	running bool
	failure error
	stack   uintptr // the address where it was suspended last; its stack may have moved since
	state   uintptr // the address of what the runtime keeps of its goroutine; 0: not known
}

// Panic is the error of a coroutine whose body has panicked.
type Panic struct {
	Value any
	Stack []byte
}

// Error has the stack below the value, as the runtime prints them.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n\n%s", p.Value, p.Stack) }

// stopped is the panic value that unwinds a coroutine that is stopped while suspended. Others see it if they suspend a
// body that is not theirs.
type stopped Coroutine

func (*stopped) Error() string {
	return "engine: a rank's operation was called while the rank was not running; a rank may use its process handle only from its own goroutine"
}

// NewCoroutine returns a coroutine that Init has been called for.
func NewCoroutine(body func(*Coroutine)) *Coroutine {
	c := new(Coroutine)
	c.Init(body)
	return c
}

// Init prepares body to run; it starts at the first Resume. The coroutine may not be copied from then on.
func (c *Coroutine) Init(body func(*Coroutine)) { c.body, c.next = body, c.first }

// first is next until the body starts.
func (c *Coroutine) first() (struct{}, bool) {
	c.start()
	return c.next()
}

// start gives the body a goroutine. That is not done before, as its stack begins small and moves when it grows: the next one to
// start takes what it leaves.
func (c *Coroutine) start() {
	body := c.body
	c.body = nil
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield, c.state = yield, goroutine.Current()
		defer func() {
			if r := recover(); r != nil && r != any((*stopped)(c)) {
				c.failure = &Panic{r, debug.Stack()}
			}
		}()
		body(c)
	})
}

// Resume runs the body until it suspends itself or ends; false means that it
// has ended. It is short enough to be inlined, as Suspend is.
func (c *Coroutine) Resume() bool {
	c.running = true
	_, alive := c.next()
	c.running = false
	return alive
}

// Lines of a suspended stack that the body needs before it is suspended again: those of the calls that it returns from,
// and some below, for the switch.
const (
	stackLines = 24
	belowLines = 4
)

// stateLines is how many lines of its goroutine a switch looks at, from the first on.
const stateLines = 3

// Prefetch brings the stack of a suspended coroutine, which will be resumed soon, to the processor's cache.
func (c *Coroutine) Prefetch() {
	if c.stack != 0 {
		prefetch.Lines(c.state, stateLines)
		prefetch.Lines(c.stack-belowLines*prefetch.LineBytes, stackLines)
	}
}

// Recovered returns the *Panic for a value that the body has recovered from. If that was to unwind the body, as it is stopped, it
// panics again.
func (c *Coroutine) Recovered(value any) error {
	if value == any((*stopped)(c)) {
		panic(value)
	}
	return &Panic{value, debug.Stack()}
}

// Failure returns the *Panic that ended the body, or nil.
func (c *Coroutine) Failure() error { return c.failure }

// Suspend returns control to the caller of Resume until the next Resume. Only
// the body itself may call it, on the goroutine that it runs on. It is short enough to be inlined: one
// more return behind a switch takes 10 ns, as the processor expects that of the stack before.
func (c *Coroutine) Suspend() {
	var here byte
	c.stack = uintptr(unsafe.Pointer(&here))
	if !c.running || !c.yield(struct{}{}) {
		panic((*stopped)(c))
	}
}

// Stop unwinds the body at the point where it is suspended, running its
// deferred calls, and frees the coroutine. It may be called more than once.
func (c *Coroutine) Stop() {
	if c.body != nil {
		c.start() // which does not run the body
	}
	c.running = true // deferred calls of the body may not block, but must get a clear panic
	c.stop()
	c.running = false
}
