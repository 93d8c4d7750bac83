// Package dma models network interfaces that are described by the times of a few stages:
// the processor posts a command, and the interface moves data between memory and links by
// direct memory access. Model "dma" has one engine for each node; model "queues" has
// several, with command queues, and may do barriers.
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
// piece that lies by itself. What crosses the host's chipset, a command, data that is written, the
// request for data that is read and the answer, is later by bus.latency each time, and occupies
// nothing meanwhile.
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
// # Command queues
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
package dma
