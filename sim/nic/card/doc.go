// Package card models network interfaces that are cards in a memory slot, model "windows":
// the processor writes packets and commands to small windows, and exposed memory and
// receive rings lie in the memory of the card.
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
package card
