package rma

// Later is a Process whose program may run ahead of its processor. It is optional: simulated worlds have it, in which each
// time that a call takes is a switch to other programs and back.
//
// A library that has started a message and has nothing to do but to wait for the next one says so by these calls. Times are
// the same as by IPush, Test and Next.
type Later interface {
	Process

	// RunsAhead reports whether the other methods may be called, once the process has its receive rings.
	RunsAhead() bool
	// IPushLater is IPush that returns before the processor is free again. It reports false, and has done nothing, if the
	// world cannot do that now.
	//
	// The next call of the process waits until the processor is free. Before that the program may neither look at memory that
	// others write nor change memory that others read.
	IPushLater(to int, data []byte, by Mechanism) (Op, bool)
	// Serve takes arrivals as Next does, each after Test of operations, and hands them to s until that wants no more or fails.
	// Or it leaves that to the program: then it reports false, and returns the first arrival.
	Serve(s Server) (a Arrival, served bool, err error)
	// Settle waits until the processor is free.
	Settle()

	// PullLater is Pull that returns before the processor is free again, as IPushLater.
	PullLater(from Address, into []byte) (Op, bool)
	// AwaitLater is Test of operations, one after the other, then Await of another one, and Poll behind that. If Poll finds
	// nothing, it is Test of that one as well.
	AwaitLater(t Tests, op Op) (Found, error)
}

// Tests are operations that are to be tested one after the other. A world may call the methods on another goroutine than that of
// the process, which waits.
type Tests interface {
	// NextTest returns the operation that is to be tested next, 0 if there is none. It may not call the process, nor may Tested.
	NextTest() Op
	// Tested takes what Test returns. If it fails, so does the call that has been given the tests.
	Tested(done bool, err error) error
}

// Found is what a process has found that has waited for an operation, or a message.
type Found struct {
	Arrived bool  // what Poll says
	Done    bool  // what Test of the operation says, if nothing has arrived
	Err     error // of Test
}

// Server deals with arrivals. A world may call its methods on another goroutine than that of the process, which waits in Serve.
type Server interface {
	// NextTest returns the operation that is to be tested next, 0 if there is none before the next arrival. It may not call the
	// process, nor may Tested.
	NextTest() Op
	// Tested takes what Test returns. If it fails, so does Serve.
	Tested(done bool, err error) error
	// Arrived deals with an arrival, for which it may call the process. It reports whether Serve is to wait for another one.
	Arrived(a Arrival) (more bool, err error)
}
