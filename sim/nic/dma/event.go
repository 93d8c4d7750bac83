package dma

import "musubi/sim/host"

// Events of interfaces. Unless stated otherwise A is a transfer.
const (
	evDone    = host.FirstModel + iota // the completion is visible to the initiator
	evFetch                            // the next packet's data is to be read from memory
	evInject                           // a packet of B bytes of data is ready for the link
	evWritten                          // C bytes of data of transfer B, from packet A, have been written to memory
	evReply                            // a packet of role B is to be sent
	evTurn                             // a change of a word waits for its turn
	evChanged                          // a word is changed
	evStepped                          // the engine of port A has stepped over a NOP
	evLooped                           // a put of a queue comes to the rank that it is from
	evTaken                            // what a put of a queue asks for at its taker has been done
	evFired                            // a gate of barrier channel A has been passed
	evCrossed                          // barrier packet A has come to a channel of the same node
	evTold                             // the result is in the memory of the rank of barrier channel A
)
