// Package live is the world of real processes: a program of package rma runs in as
// many operating-system processes as there are ranks, over memory that those of a host
// share, and over TCP between hosts.
//
//	result, err := live.Run(ctx, live.Config{Ranks: 4}, program)
//
// Run starts the ranks by executing the same command line again, with an
// environment that tells each of them who it is. In the ranks Run does not return:
// it runs the program and ends the process. So what stands before Run is done by
// every rank, and what stands behind it by the parent alone.
//
// Launch starts another program, which may come to Run by itself, for its own sake. With
// Config.Hosts both start ranks on other hosts by ssh: an agent there (Agent) is the
// parent of a group of ranks and does what the launcher says.
//
// A process that mpirun of Open MPI, mpiexec of MPICH or srun has started as one of
// several, or that has MUSUBI_RANK and MUSUBI_SIZE in its environment, is a rank as well.
// Run returns in rank 0 then, and ends the process in all others. Size tells how many there
// are.
//
// # Groups
//
// The ranks of an entry of Config.Hosts are a group, which has shared memory and a
// parent on its host. Between groups packets go over TCP: two ranks connect when one of them has
// something for the other for the first time. A job of several groups has a
// hub in the launcher, at which the ranks meet, and which watches over them. Each rank has
// a connection to it, on which both say now and then that they live.
//
// Where no parent of Musubi has started the ranks, rank 0 has the hub, and the ranks of a
// host share memory that the first of them has made. How they find each other and agree
// on a key depends on what has started them; see docs/launching.md.
//
// # Memory
//
// A group has one piece of anonymous shared memory. It has no name, so nothing is left
// behind, however the processes end. It holds a ring of bytes for each ordered pair
// of ranks, into which one writes records and from which the other takes them, in
// order and without locks. Two ranks also have a cache line in common, which messages of
// some words and the answers to them go by. Small transfers lie in the record. Long ones go
// from process to process (process_vm_readv, process_vm_writev): a push is written by the
// rank that starts it, if nothing is left in the ring that was sent before; else the record
// says where the data is, or is to go, and the target copies it. Where the system forbids
// that, they go through the ring in pieces. The owner of exposed memory says where that
// is, and does all other copying from and to it; so no mistake of a program reaches what
// is not exposed.
//
// Windows (ExposeWindow) lie in the shared memory as well, and the ranks of a group
// write and read them with their own processors, without the owner: at once, if
// nothing is left in the ring that was sent before. Where the limits of the process
// leave no room for that, windows are like other memory.
//
// Single words (rma.Atomics) are changed by atomic instructions: in windows by the
// processor of the rank that wants it, at once; elsewhere, and for ranks of other groups,
// by that of the owner, which a record or packet asks for it. So ranks of all groups may
// change the same word. Of many that follow each other (rma.Accumulator) the same processors
// change one after the other: one request has all operands, in as many records or packets
// as they take, and each of these is answered with what its words were, if somebody asks.
//
// What ranks of a group post on boards lies there too, a page for each board and rank.
//
// None of that is a protection from malice: ranks let other processes of their user
// read and write their memory.
//
// # Progress and waiting
//
// A rank takes its records while it is in one of its calls; there are no threads
// behind it. So a rank that computes for long without a call holds up those that
// want something of it, but for what goes to its windows. Compute takes records too. What it
// has taken is acknowledged without it.
//
// Command queues (rma.Commander) are the exception. They lie in the shared memory, and
// whoever releases a command carries it out at once, whosever queue it is in; so an
// exchange takes place in the call of the rank that comes to it last. Where that rank
// cannot, as the system forbids it to copy or the data goes to another group, a deputy of
// the rank that can does it: a goroutine that sleeps unless it is asked. Commands to other
// groups have connections of their own.
//
// A rank that waits spins, then lets others have the processor, and, if there are
// more ranks than processors, sleeps. Ranks that have a processor each keep it busy. One
// whose deputy serves connections does not spin, as that may need the processor.
//
// # Failure
//
// When a rank dies, returns an error, or ends before its program has, all others get
// an error that names it from the call in which they wait, and the parent returns
// the first failure. What a parent has to say of a process whose connections have ended is
// waited for, for Config.Bound at most; only ranks that both live have lost the connection
// between them. A process that ends with a status other than 0 after its program has
// succeeded has failed, too. Ranks that do not end in time are killed. If all ranks wait and
// nothing is under way that could end that, all get an error that says who waits for
// what. When the parent ends, however it does, the ranks are killed.
//
// A rank whose process gives no sign of life for Config.Bound is lost, and its job with
// it; so is one whose connection to another is cut for as long. One that computes for
// ever lives, also if it reads nothing meanwhile, and so does one on the same host as who
// listens for it that the system says runs, or waits for a processor: on a machine that
// has too much to do it may well be silent for so long. A parent counts its own beats, not
// time: if it was stopped itself, it blames nobody; but ranks of several groups that it
// has left alone for too long end. Ranks that have not called Run yet are waited for, for
// six times the bound if nobody would learn that their process has ended.
//
// # Standing
//
// Jobs tells what the ranks of running jobs of the user do. A rank writes into the
// shared memory what its program waits for when it is asked, and a parent tells that
// to all processes of its user.
//
// # How it is put together
//
// A rank has an outlet and an inlet for each other one. Behind them is a ring, or a stream to
// another group; what records and packets ask for is the same, and is done by the same code:
//
//	Push    starts an operation (ops.go) and does it at once where it can: in a window
//	        (direct.go), or from memory to memory (across.go). Else it becomes a
//	        transfer of the outlet (send.go)
//	outlet  writes transfers as records (record.go, ring.go) or packets (stream_send.go)
//	poll    in any call of the target takes them off the inlets (receive.go,
//	        stream_receive.go), copies, or appends to a receive ring (inbox.go), and
//	        sends the answer (pull.go, report.go)
//	Wait    polls until the answer is there, and sleeps between (wait.go, waker.go)
//
// Around that:
//
//	region.go, arena.go, board.go,   what lies in the shared memory
//	callers.go
//	message.go                       messages that are lent out of the ring
//	ahead.go                         what a rank that waits does for its next message
//	atomics.go, accumulate.go        single words, and many
//	queue_*.go                       command queues
//	link.go, connect.go, secure.go,  connections: when and how they are made, proved and
//	frame.go, socket.go, gate.go,    encrypted, and what is turned away
//	refusal.go
//	live.go, divide.go, launch.go,   how ranks are started: by a parent, by agents on other
//	group.go, child.go, agent.go,    hosts, by other starters; and how one finds out who it
//	remote.go, extern*.go, join.go   is
//	hub*.go, control.go, beat.go,    who lives, who has failed and why, and whether anything
//	failure.go, watch.go             can still happen
//	standing.go, job.go, explain.go  what ranks wait for
//
// # What it refuses
//
// BOTF of more than MaxBOTF bytes, a number of windows other than 0, and layouts at the
// target with more offsets than a record takes, some hundreds. It runs on Linux, on amd64
// and arm64.
package live
