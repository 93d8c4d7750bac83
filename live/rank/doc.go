// Package rank is a process of a live job: it implements rma.Process, whichever way data goes.
//
// A rank has an outlet and an inlet for each other one. Behind them is a ring of package shm, or a
// stream of package tcp; what records and packets ask for is the same, and is done by the same code:
//
//	Push    starts an operation and does it at once where it can: in a window (direct.go), or from
//	        memory to memory (across.go). Else it becomes a transfer of the outlet (send.go)
//	outlet  writes transfers as records or packets (record.go)
//	poll    in any call of the target takes them off the inlets (receive.go, packets.go),
//	        copies, or appends to a receive ring (inbox.go), and sends the answer
//	Wait    polls until the answer is there, and sleeps between (wait.go)
//
// A rank takes its records while it is in one of its calls. So one that computes for long without a call
// holds up those that want something of it, but for what goes to its windows (from other groups: what is
// short, attend.go) and what its command queues do. One that waits spins, then lets others have the
// processor, and, if there are more ranks than processors, sleeps.
//
// The owner of exposed memory says where that is, and does all copying from and to it but that of
// windows and long transfers; so no mistake of a program reaches what is not exposed.
package rank
