// Package device simulates hosts and network interfaces, and runs the programs
// of ranks on them. It implements rma.Process in simulated time: a machine
// description gives the cost of each stage, and package fabric carries the
// packets.
//
// # How it is put together
//
// A [Cluster] has the ranks, each with a coroutine for its program, and one model of the
// network interfaces. The way of an operation:
//
//	rank     a call, such as Push, becomes a request (rank.go)
//	model    start gives it a number (operation.go), keeps the processor busy for as
//	         long as it takes, which suspends the program, and pushes the first event
//	Cluster  the loop (run.go) gives each event to the model, or lets a rank go on
//	model    handle does what is due then: it sends packets, moves the bytes (move.go),
//	         appends to receive rings (inbox.go, append.go), and pushes the next event
//	Cluster  completeOp notes that it is over, and wakes the rank if it waits for that
//
// A processor does not know at once what the interface has written: look.go says when it
// sees that. There are five models, as different as the papers about them:
//
//	interfaces described by a few stages   dma*.go
//	the same with command queues           and queue*.go, with barriers barrier*.go
//	memory-based communication             mbc*.go
//	LogGP                                  loggp.go
//	cards with windows                     card*.go
//
// Synthetic traffic (traffic.go) goes to the fabric without any of them.
//
// # Interfaces described by a few stages
//
// The passage of a PUSH, with the parameters of the machine file that give the
// time of each stage:
//
//	initiator                                   target
//	processor  host.post
//	NIC        nic.start
//	bus        bus.setup + data / bus.rate
//	link, switches  ...................  header arrives
//	                                     NIC        nic.receive
//	                                     bus        bus.setup + data / bus.rate
//	                                     processor  host.poll (if it looks)
//	                                     NIC        nic.reply
//	reply arrives  ....................  link, switches
//	NIC        nic.complete
//	processor  host.poll
//
// By PIO the processor writes the packet (host.pio + data / host.pio_rate) and
// the header leaves after nic.pio_start. Scattered data takes a bus.setup for each
// piece that lies by itself.
//
// An IPUSH is like a PUSH, but each of its packets needs a place in a ring:
//
//	header arrives
//	NIC        nic.receive
//	NIC        ring.manage, for one packet after the other
//	bus        bus.setup + data / bus.rate; another bus.setup if it wraps around
//	processor  host.poll (if it looks), for each arrival
//	processor  data / host.copy, to take it out of the ring
//
// With atomic.time, ranks are rma.Atomics. A change of a word goes:
//
//	processor  host.post
//	NIC        nic.start
//	link, switches  ...................  request arrives
//	                                     NIC        nic.receive
//	                                     NIC        atomic.time, for one change of a node after the other
//	                                     NIC        nic.reply
//	answer arrives  ...................  link, switches
//	NIC        nic.receive
//	bus        bus.setup + 8 B / bus.rate
//	NIC        nic.complete
//	processor  host.poll
//
// A packet that finds no room stays in the buffer of the fabric until there is. So
// do all that arrive after it at the same rank, but for replies and the answers to
// PULLs where switch.classes gives them buffers of their own. Full buffers in turn
// hold back those who send.
//
// # Interfaces with command queues
//
// The model of Tofu2: like the one before, but an interface has several engines. Each is
// a port of its end point, with a bus of its own. PUSH, PULL and IPUSH between two ranks
// always go by the same two engines, and begin like commands. Ranks are rma.Commanders
// there. The passage of a put that a queue holds, which begins when it is posted or
// released:
//
//	processor  queue.command for each of a call, and host.post once
//	engine     nic.start
//	bus        bus.setup + data / bus.rate
//	link, switches  ...................  header arrives
//	                                     engine     nic.receive
//	                                     bus        bus.setup + data / bus.rate
//	                                     engine     queue.arrive, if it advances a
//	                                                scheduling pointer or leaves a notice
//	                                     processor  host.poll (if it looks)
//	                                     processor  queue.take, a notice
//	                                     engine     nic.reply
//	reply arrives  ....................  link, switches
//	engine     nic.complete
//	processor  host.poll
//	processor  queue.take, the completion
//
// An engine goes on to the next command when the last packet of a put has left. A NOP
// takes it queue.nop, and a put to the own rank queue.self in place of links and
// switches. A put whose notice finds no room in the MRQ stays in the buffer of the fabric,
// as a packet does that finds none in a ring.
//
// With barrier.channels, ranks are rma.Collectors as well. The operations of a group go by
// gates, as nic.BarrierChannel has them; each node passes one after the other:
//
//	processor  host.post
//	interface  barrier.gate
//	link, switches  ...................  packet arrives, or within a node after queue.self
//	                                     interface  barrier.gate, when the gate before it is passed
//	                                     and so on, and after the last one
//	                                     interface  nic.complete
//	                                     processor  host.poll, to see the result
//	                                     processor  host.poll, to take it
//
// # Memory-based communication
//
// The model of SSS-CORE. An interface moves data between memory and two rings in an SRAM of
// its own, and packets are whole there before they go on. The passage of a PUSH:
//
//	processor  host.post, for each piece that is contiguous at both ends
//	interface  nic.start
//	bus        bus.setup for each burst + data / bus.rate, to the send ring
//	link, switches  ...................  tail arrives, in the receive ring
//	                                     interface  nic.receive
//	                                     bus        data, to memory
//	                                     processor  host.poll (if it looks)
//	                                     interface  nic.reply
//	acknowledgement arrives  ..........  link, switches
//	interface  nic.receive
//	bus        a flag, to memory
//	interface  nic.complete
//	processor  host.poll
//
// Data of a PULL goes the same way from the target, and needs no acknowledgement. An IPUSH
// takes at least ring.manage between nic.receive and the end of its way over the bus; one
// that finds no room in its receive ring holds back all requests behind it, but no replies.
// What finds no room in the SRAM waits on the link.
//
// What the gate of package nic does not let the interface do goes to the operating system of
// the host, which does one thing after the other: os.interrupt, and os.access for an access
// to a process that does not run, or whose page is absent and comes after os.page_in. It
// also fills the route table (os.route), and sends on what comes for a process that has
// moved. A word is changed between two accesses over a bus that is held meanwhile, with
// remote.compare between them. A multicast is a packet that switches copy, and whose
// acknowledgements they combine, or one that each interface sends on when its data has been
// written; with remote.convert the first of these lets switches copy it to the others, and
// passes on what they answer. Where switches do not copy (remote.copies), a copy goes on as a
// chain through the hosts of a switch. Where links make errors, interfaces acknowledge what
// they get from each other, and send again what has not come within remote.retry. The program
// of a rank goes on when its process has had the processor for as long as its work takes.
//
// # LogGP
//
// There are no packets. A message is appended in pieces of 4 KiB when it has
// its turn at the receiver's interface, which takes ring.manage more for each; if a
// piece finds no room, the message and all behind it wait there.
//
// # Cards with windows
//
// The model of DIMMnet-2. Inside a card, steps are counted in clocks (card.clock), as
// the papers have them. The passage of a packet, with the parameters or the tables of
// them that give its times:
//
//	processor  BOTF: processor.write, of header and data, and processor.command_64
//	           else: processor.command_128
//	card       card.command
//	           BOTF: botf_send; else: memory_send
//	SWIF       swif.send, once the last line is there
//	link, switches  ...................  tail arrives
//	                                     SWIF       swif.transit + swif.receive
//	                                     card       to a window: window_receive
//	                                                to memory: push_receive
//	                                                to a ring: ipush_receive + ring.manage
//	                                     processor  processor.poll
//	                                                processor.read_status
//	                                     and to copy the data:
//	                                     processor  processor.read_command
//	                                     card       memory_read
//	                                     processor  processor.poll
//	                                                processor.copy
//
// The status is written while the card takes the next packet. Each packet is
// acknowledged when it is where it belongs, and a transfer is complete when all of
// its packets are, or a PULL when its data is there.
package host
