// Package queue carries out command queues (rma.Commander) of ranks that share memory.
//
// The queues lie in the shared memory, and whoever releases a command carries it out at once,
// whosever queue it is in; so an exchange takes place in the call of the rank that comes to it last.
// Where that rank cannot, as the system forbids it to copy or the data goes to another group, a
// progress goroutine of the rank that can does it, which sleeps unless it is asked. Commands to other
// groups have connections of their own, which goroutines serve.
package queue
