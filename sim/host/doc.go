// Package host simulates hosts and runs the programs of ranks on them. It implements
// rma.Process in simulated time: ranks with their processors and memory, their placement,
// receive rings, the loop that handles events, and how a run ends. What network interfaces
// do is up to a [Model], of which the packages below sim/nic have one each; package fabric
// carries the packets.
//
// A [Cluster] has the ranks, each with a coroutine for its program, and one model. The model
// works in an [Env]. The way of an operation:
//
//	rank     a call, such as Push, becomes a request (rank.go)
//	model    Start gives it a number (operation.go), keeps the processor busy for as
//	         long as it takes, which suspends the program, and pushes the first event
//	Cluster  the loop (run.go) gives each event to the model, or lets a rank go on
//	model    Handle does what is due then: it sends packets, moves the bytes (move.go),
//	         appends to receive rings (inbox.go, append.go), and pushes the next event
//	Env      CompleteOp notes that it is over, and wakes the rank if it waits for that
//
// A program that has nothing to do but to wait for the next message, or for what it reads, leaves that to the loop, which also takes
// what comes: see later.go, await_later.go and driver.go.
//
// A processor does not know at once what the interface has written: [Look] says when it
// sees that.
//
// A model registers itself as an [Entry]: its name and section in machine files, what is
// known of it before a run, and how it is built. What only some models can do or say they
// offer by the small interfaces beside Model. The page docs/nic.md takes a model apart.
//
// Synthetic traffic (traffic.go) goes to the fabric without any model.
package host
