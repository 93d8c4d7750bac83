// Package device simulates hosts and network interfaces, and runs the programs
// of ranks on them. It implements rma.Process in simulated time: a machine
// description gives the cost of each stage, and package fabric carries the
// packets.
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
// the header leaves after nic.pio_start.
package device
