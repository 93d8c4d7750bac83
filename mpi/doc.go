// Package mpi is message passing for Go programs, with the semantics of MPI 4.1 and
// the manners of Go. It is written on the contract of package rma and runs in every
// world that provides that.
//
//	func program(c *mpi.Comm) error {
//		if c.Rank() == 0 {
//			return mpi.Send(c, 1, 0, []float64{1, 2, 3})
//		}
//		numbers := make([]float64, 10)
//		status, err := mpi.Receive(c, 0, mpi.AnyTag, numbers)
//		numbers = numbers[:mpi.Count[float64](status)]
//		...
//	}
//
// Run gives such a program the communicator of all ranks of a world.
//
// # Messages
//
// A message is elements of a slice, sent to a rank of a communicator with a tag. What
// can be sent is numbers, booleans, and arrays and structs of them: anything without
// pointers. Messages are the memory of their elements, padding included, so all
// processes have to be of the same architecture, little-endian with 64 bits. The
// receiver need not name the same type; it gets the bytes.
//
// Receive takes the first message that matches its source, its tag and its
// communicator, of which the first two may be wildcards. Messages do not overtake:
// of two from one rank that match the same receive, the one sent first is received
// first, and of two receives that match a message the one posted first gets it,
// whatever their lengths and whether the calls block or not. Between different
// senders there is no order.
//
// A receive may have room for more than has been sent; Count tells how much that was.
// If it has less, it fails with ErrTruncate and has the beginning.
//
// Send returns when the data may be changed, which for long messages is when they
// have been received. Programs in which all send long messages before they receive
// wait for ever; SendReceive, ISend and IReceive are for them. SendSync returns when
// the message has been matched, whatever its length.
//
// # Requests
//
// ISend, IReceive and their like start an operation and return a Request, which Wait,
// Test, WaitAll, WaitAny, WaitSome and their like complete. Until then the slice belongs to the
// package. Operations that are started again and again can be prepared: see
// Persistent. Programs with very many requests can recycle them: see Release. A Layout
// names elements that are not contiguous, such as the column of a matrix.
//
// Probe returns the status of a message without receiving it. Match also takes the message out
// of the unexpected queue, so that only ReceiveMatched can receive it.
//
// # Communicators and collective operations
//
// New returns the communicator of all ranks; Dup, Split, CommCreate, Cart and Graph make others
// of it. Messages of different communicators never match each other, nor do those of
// a communicator's collective operations and its point-to-point messages. Collective
// operations, from Barrier to AllToAllW, are called by all ranks of a communicator in
// the same order. Each can also be started, by IBarrier and its like, and any number of
// them be under way; all ranks start it then.
//
// Close ends the use of the package. It fails if something has been left undone.
//
// # Windows
//
// A Window is memory of each rank that the others access: they put elements there and
// get them, combine them with those that are there, and take locks. Put and Get are a
// Push and a Pull of package rma. Accumulate, the operations like it, and locks are messages
// to the target, which carries them out in its next call of this package.
//
// # Progress
//
// A process makes progress inside calls of this package, on all operations that are under
// way: it takes messages off its receive rings, so that they do not fill, and answers
// requests. While it computes, others may have to wait for it; only command queues of the
// machine work meanwhile. There is no progress goroutine; like its process, a communicator
// belongs to one goroutine.
//
// # Protocols
//
// A message of up to Options.Eager bytes is sent eagerly: at once, with an envelope of 8
// bytes, as one IPush. If no receive is posted, the receiver keeps it in its unexpected
// queue. A longer message goes by rendezvous: only the envelope is sent, and when a receive
// matches it, the receiver pulls the data straight to where it belongs. Messages of a
// process to itself are copied.
//
// With private rings, one for every sender, a receive that names its source searches the
// unexpected messages of that sender only. With a shared ring it searches all of them.
//
// # Errors
//
// Errors are of type *Error and have an ErrorClass, which errors.Is finds. Wrong
// arguments have no effect. An error of class ErrOther is of the machine: it may be the
// error of another operation that was under way. After it a request that is not complete
// can be waited for again.
//
// # Deadlines
//
// Comm.WithContext and Comm.WithDeadline are for calls that wait no longer than to a time, or until they are
// cancelled. They say what state the communicator is in then.
//
// # What it does not do
//
// There are no intercommunicators, dynamic processes, files or thread levels, and
// windows cannot get further memory. Data is not converted between architectures. Sends
// cannot be cancelled.
package mpi
