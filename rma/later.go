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
	// PullLater is Pull that returns before the processor is free again, as IPushLater.
	PullLater(from Address, into []byte) (Op, bool)
	// Settle waits until the processor is free.
	Settle()
	// Serve waits for arrivals as Next does, each after Test of operations, takes them, and hands them to s until that waits for
	// nothing more or fails. If s awaits an operation as well, it waits as Await does instead, behind that it looks for an arrival
	// as Poll does, and if there is none it hands s what Test of the operation says.
	Serve(s Server) error
}

// Server deals with what a process waits for. A world may call its methods on another goroutine than that of the process, which
// waits in Serve.
type Server interface {
	// NextTest returns the operation that is to be tested next, 0 if there is none before the next arrival.
	NextTest() Op
	// Tested takes what Test returns. If it fails, so does Serve.
	Tested(done bool, err error) error
	// Awaits returns the operation that is waited for beside an arrival, 0 if there is none.
	Awaits() Op
	// Room returns memory for the data of an arrival. It may not call the process, nor may those before.
	Room(a Arrival) []byte
	// Arrived deals with an arrival whose data has been taken, for which it may call the process. It reports whether Serve is to wait
	// for more.
	Arrived(a Arrival) (more bool, err error)
	// Ended does so when Test of the operation that it awaits has returned.
	Ended(done bool, err error) (more bool, failed error)
}
