// Package rma is the contract between a program and the network interface of
// the machine that it runs on: one-sided access to the memory of other
// processes.
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
// # What a world guarantees
//
// Pushes from one process to another are written in the order in which they were
// started, each from its first byte to its last, whatever their sizes and
// mechanisms. Nothing else is ordered: neither pushes of different sources or
// targets, nor pulls, nor a push without data. When Wait returns nil the data of
// that operation is where it belongs, in the memory of the target of a push or of
// the process that pulled.
//
// What a process exposes before it first calls Compute, Push, Pull, Wait or
// WaitUntil is there before any access of any process arrives.
//
// A process sees what others have written in the condition of WaitUntil, and after
// any of its calls that block has returned. In between its memory may change, or
// not, at any time.
//
// A Process belongs to the goroutine that its program was started on; no other
// may use it.
package rma
