package rma

// HostCommander is a Commander whose command queues can serve all processes of its host: one of them
// opens a queue and posts commands with data of the others, who let the queue go on and see how far
// it is. It is optional.
type HostCommander interface {
	Commander

	// HostRanks returns the ranks that run on the host of this process, which is one of them, in
	// ascending order. The caller does not change the list.
	HostRanks() []int
	// MemoryOf returns n bytes that a rank of this host has exposed, to be the data of commands.
	MemoryOf(a Address, n int) ([]byte, error)
	// Release moves the scheduling pointer of a queue in session mode of any rank by some steps, at
	// least 1. That is a put without data in a queue of the interface that programs do not see. It
	// is complete when the pointer has moved, and fails if the queue is not open.
	Release(q QueueAddress, steps int) (Op, error)
	// ProgressOf returns a function that tells how many commands of a queue of a rank of this host
	// have been completed since it was opened. It goes on to tell so when the queue is closed. It
	// only reads memory, so a condition of WaitUntil may call it.
	ProgressOf(q QueueAddress) (completed func() uint64, err error)
}
