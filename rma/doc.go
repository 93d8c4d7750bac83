// Package rma is the contract between a program and the network interface of
// the machine that it runs on: one-sided access to the memory of other processes,
// and messages that the interface of their receiver puts in order.
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
// What carries that out is a world: simulated hosts and switches, or something
// else. Programs do not know which. What follows is all that they may rely on, and
// so all that a world must provide. Package nic has the mechanisms for it, without
// time and I/O; package rmatest holds a world to it. The smallest world is the one
// that package workload is tested in.
//
// # Processes
//
// Rank, Size, Expose, ExposeWindow, Rings and Windows take effect at once and do
// not let others go on. What a process exposes, and the rings that it sets, before
// it first calls any other method but Now, is there before any access of any
// process arrives. What it exposes later it must tell others of before they use it.
//
// A Process belongs to the goroutine that its program was started on; no other
// may use it, nor anyone after the program has returned. Operations that are
// open then take place all the same.
//
// # Operations
//
// Push, Pull, IPush and the two with layouts start an operation and return when the
// processor is free again: when the interface has the operation and, by BOTF, its
// data. For programs of other ranks they wait only if those leave their rings full.
// A rank may be its own target. There may be any number of operations open, and they
// may be waited for in any order.
//
// The operation is complete when its data is where it belongs: in the target's
// memory, in its receive ring, or in the memory of the process that pulls. Wait
// returns then, nil if that has come about. Until Wait or Test has said so,
//
//   - what is to be sent may not be changed, by either mechanism;
//   - what is in the memory that a Pull reads into is not defined.
//
// An operation that has failed may have moved some of its data. One that is never
// waited for takes place too, but nobody learns of its error.
//
// A Fence is an operation that waits for all that this process has started before: one
// Wait in place of many. It orders nothing by itself; a process that must not go on before
// others can see what it has written waits for one. What command queues carry out is no
// operation, and no fence waits for it.
//
// Atomics change a word of memory in one step, Accumulator many words upon one request, and
// Multicaster writes to several ranks at once, where a machine can. Their operations are like
// the others, but for the order.
//
// # Layouts
//
// A layout names elements in the memory that an Address or a slice begins; on the
// way they are one after the other. If both sides have a layout, or one has and the
// other is a slice, they have the same number of bytes. An element may be read
// several times. Elements that are written may not overlap; what is there then is
// not defined. A layout without elements moves nothing.
//
// # Order
//
// What one process sends to another with Push and IPush comes there in the order in
// which it was started, whatever the sizes and mechanisms. The last byte of a push,
// of a scattered one that of its last element, is written when all others and all
// that was pushed before are there; the others may come in any order. When a message
// is told of, all that was pushed before it has been written; so a message can tell
// that data is there.
//
// Nothing else is ordered: neither operations of different processes or to
// different targets, nor pulls with anything, nor a push without data.
//
// # What a process sees
//
// What others have pushed a process sees in the condition of WaitUntil, and after
// any of its calls that block has returned. In between its memory may change, or
// not, at any time. A condition may find a push written in part; so it should look
// at its last byte. It is evaluated at least once after each push has been written as
// a whole, for several at once if they come together.
//
// Slices that are exposed always show what was written. But where the memory lies
// on the interface and the processor does not reach it, reading it takes a Load;
// a program whose times are to be right reads there with Load what it works on.
//
// # Receive rings
//
// Each sender has one receive ring at a process, or none; then its IPush fails. A
// ring that tells of messages has one arrival for each, when it is there as a
// whole. It fails messages that are longer than the ring. A ring that tells of
// packets takes messages of any length: each comes as one arrival or more, whose
// bytes follow each other and of which the last is marked. There is an arrival for
// an empty message too.
//
// Arrivals come off the status ring in the order in which they were appended, over
// all rings; so those of one sender come in the order of its calls, and those of
// several may alternate. Poll and Await tell that there is one, for which Next then
// does not block.
//
// Take gives back the room of an arrival, once for each, in any order. Its record
// can be used again at once. Its bytes can when those that came before them in the
// same ring are given back too.
//
// A message that finds no room in its ring, or no record, waits until there is; it
// is not lost. It may hold back everything else on its way to the process, whoever
// sends it and by whatever operation. So a process that others send messages to must
// keep taking them, also while it waits for something else. It can: starting a
// transfer by DMA of data in exposed memory does not wait for room at the target. By
// BOTF, or from other memory, it may have to wait for a buffer of its own interface,
// which what has been started before frees.
//
// Rings that a user chooses take the place of those that the program asks for, as
// recorded runs may show better ones. Programs should work with any, as they do with
// a Receiver.
//
// # Time
//
// Now is the time since the program was started. It does not go backwards. Clocks of
// different ranks need not agree. Compute stands for work of the processor: worlds
// that simulate let that much time pass.
//
// # Errors
//
// An error of a method that starts an operation means that none was started. It is
// about arguments that are wrong by themselves, or that the machine refuses. Errors
// that the target finds out about, such as memory that is not exposed, come from
// Wait or Test. A world may report either kind in either place. Methods do not
// panic, but with a condition that does.
//
// # What a world may refuse
//
// With an error that says what it can do:
//
//   - BOTF, of more than a number of bytes or at all;
//   - layouts where data is written, and lists of more offsets than fit a packet;
//   - a Push to an exposed window of more than a packet;
//   - windows that it does not have, with Windows and ExposeWindow;
//   - rings of which one is smaller than a packet, or that have more memory or
//     records together than there is, and a job with more senders than packets can name.
//
// All else it must provide, by other means if its hardware has none.
//
// # What may be slow
//
// DMA out of memory that is not exposed, and BOTF out of memory that is, where
// one side does not reach the other's memory; Uncached copies; each look at
// completions and arrivals, which is what Wait, Test, Poll, Await, Next and
// WaitUntil cost at least; data in many small pieces.
package rma
