// Package memory models network interfaces of protected memory-based communication, model
// "memory-based": a process names remote memory by virtual addresses, and the interface
// checks each access.
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
// also fills the route table (os.route), sends on what comes for a process that has moved, and
// stops one that another process was told of (os.stop). A word is changed between two accesses
// over a bus that is held meanwhile, with remote.compare between them; a sequence changes one
// word after the other. A multicast is a packet that switches copy, and whose
// acknowledgements they combine, or one that each interface sends on when its data has been
// written; with remote.convert the first of these lets switches copy it to the others, and
// passes on what they answer. Where switches do not copy (remote.copies), a copy goes on as a
// chain through the hosts of a switch. Where links make errors, interfaces acknowledge what
// they get from each other, and send again what has not come within remote.retry. The program
// of a rank goes on when its process has had the processor for as long as its work takes.
package memory
