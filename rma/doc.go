// Package rma is the contract between a program and the network interface of the machine that it
// runs on: one-sided access to the memory of other processes, and messages that the receiver's
// interface appends to rings.
//
// A program is a function that every rank runs with a Process of its own. It
// exposes memory as numbered segments, writes into the segments of others with
// Push, reads from them with Pull, and learns what others have written by
// looking at its own memory, for which it blocks in WaitUntil:
//
//	func hello(p rma.Process) error {
//		inbox := make([]byte, 1)
//		segment := p.Expose(inbox)
//		if p.Rank() == 0 {
//			op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, []byte{42}, rma.DMA)
//			if err != nil {
//				return err
//			}
//			return p.Wait(op)
//		}
//		return p.WaitUntil(func() bool { return inbox[0] == 42 })
//	}
//
// With IPush it sends without an address: the receiver's interface appends the
// message to a receive ring, and an arrival to the status ring, from which the
// receiver takes one after the other; see Receiver.
//
// A world carries that out: simulated hosts and switches, or real processes. Programs do not know
// which. They may rely only on what follows, and a world must provide all of it. Package nic has
// the mechanisms for it, without time and I/O; package rmatest tests a world against it. The
// smallest world is the one in the tests of package workload.
//
// # Processes
//
// Rank, Size, Expose, ExposeWindow, Rings and Windows take effect at once and do not let other
// processes run. Memory that a process exposes, and rings that it sets, before it first calls any
// other method but Now are there before any access of any process arrives. It must tell others of
// memory that it exposes later before they use it.
//
// A Process belongs to the goroutine that runs its program. No other goroutine may use it, and no
// one may use it after the program has returned. Operations that are still open then take place all
// the same.
//
// # Operations
//
// Push, Pull, IPush, PushLayout and PullLayout start an operation and return when the processor is
// free again: when the interface has the operation and, by BOTF, its data. They wait for programs
// of other ranks only if these leave their rings full. A rank may be its own target. Any number of
// operations may be open, and they may be waited for in any order.
//
// The operation is complete when its data has arrived: in the target's memory, in its receive ring,
// or in the memory of the process that pulls. Wait returns then, with nil if it has succeeded.
// Until Wait or Test has reported that,
//
//   - the program may not change the data to be sent, with either mechanism;
//   - the contents of the memory that a Pull reads into are not defined.
//
// An operation that has failed may have moved some of its data. An operation that is never waited
// for takes place too, but nobody learns of its error.
//
// A Fence is an operation that is complete when everything that this process has started before is
// complete: one Wait in place of many. It orders nothing by itself; a process that must not go on
// before others can see its writes waits for a fence. Commands in command queues are not
// operations, and no fence waits for them.
//
// Atomics change a word of memory in one step, Accumulator changes consecutive words with one
// request and Sequencer several words, each in its way, and Multicaster writes to several ranks at
// once, on machines that can. Their operations follow the rules of the others, except for the
// order.
//
// # Layouts
//
// A layout names elements in the memory that begins at an Address or a slice; on the network they
// are contiguous. If both sides have a layout, or one side has a layout and the other is a slice,
// they have the same number of bytes. An element may be read several times. Elements that are
// written may not overlap; if they do, the contents are not defined. A layout without elements
// moves nothing.
//
// # Order
//
// Data that one process sends to another with Push and IPush arrives in the order in which it was
// started, whatever the sizes and mechanisms. The last byte of a push (with a scatter, the last
// byte of its last element) is written after all its other bytes and after everything that was
// pushed before; the other bytes may arrive in any order. When a message is reported, everything
// that was pushed before it has been written; so a message can announce data.
//
// Nothing else is ordered: not operations of different processes or to different targets, not pulls
// with anything, and not a push without data.
//
// # What a process sees
//
// A process sees what others have pushed in the condition of WaitUntil, and after any of its
// blocking calls has returned. In between, its memory may change or not, at any time. A condition
// may find a push that is written in part; so it should look at the last byte. It is evaluated at
// least once after each push has been written as a whole, and once for several pushes that arrive
// together.
//
// Exposed slices always show what was written. But where the memory lies on the interface and the
// processor cannot address it, reading it takes a Load; a program whose times must be right uses
// Load for the data that it works on.
//
// # Receive rings
//
// Each sender has one receive ring at a process, or none; then its IPush fails. A ring with status
// per message has one arrival for each message, when all of it is there, and fails messages that
// are longer than the ring. A ring with status per packet takes messages of any length: each
// arrives as one or more arrivals, whose bytes are consecutive, and the last one is marked. An
// empty message has an arrival too.
//
// Arrivals come off the status ring in the order in which they were appended, over all rings; so
// those of one sender come in the order of its calls, and those of several may alternate. Poll and
// Await report that there is one, for which Next then does not block.
//
// Take gives back the room of an arrival, once for each, in any order. Its record can be used again
// at once. Its bytes can be used again when all earlier arrivals in the same ring are given back
// too.
//
// A message that finds no room in its ring, or no record, waits until there is room; it is not
// lost. It may block everything behind it on its way to the process, whoever sends it and by
// whatever operation (head-of-line blocking). So a process that others send messages to must keep
// taking them, also while it waits for something else. It can do so: starting a transfer by DMA of
// data in exposed memory does not wait for room at the target. By BOTF, or from other memory, it
// may have to wait for a buffer of its own interface, which operations that were started before
// free.
//
// Rings that a user chooses replace those that the program asks for, because recorded runs may show
// better ones. Programs should work with any rings; with a Receiver they do.
//
// # Time
//
// Now is the time since the program was started. It does not go backwards. Clocks of different
// ranks need not agree. Compute stands for work of the processor: simulated worlds let that much
// time pass.
//
// # Errors
//
// An error of a method that starts an operation means that none was started. It is about arguments
// that are wrong by themselves, or that the machine refuses. Errors that the target discovers, such
// as memory that is not exposed, come from Wait or Test. A world may report either kind in either
// place. Methods do not panic, unless a condition that the program gave panics.
//
// # What a world may refuse
//
// With an error that says what it can do:
//
//   - BOTF, of more than a number of bytes or at all;
//   - layouts where data is written, and lists of more offsets than fit a packet;
//   - a Push to an exposed window of more than a packet;
//   - windows, if it has none, with Windows and ExposeWindow;
//   - rings of which one is smaller than a packet, or that have more memory or records together
//     than there is, and a job with more senders than packets can name.
//
// A world must provide everything else, by other means if its hardware cannot.
//
// # What may be slow
//
// DMA out of memory that is not exposed, and BOTF out of memory that is, where one side does not
// reach the other's memory; Uncached copies; each check for completions and arrivals, which is the
// least cost of Wait, Test, Poll, Await, Next and WaitUntil; data in many small pieces.
package rma
