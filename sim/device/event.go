package device

import "musubi/sim/fabric"

// Events of the devices. Unless stated otherwise A is an operation.
const (
	evResume    = fabric.FirstDevice + iota // rank A goes on
	evGenerate                              // end point A may generate a packet
	evJudge                                 // the measurement of traffic begins or has ended
	evDone                                  // the completion is visible to the initiator
	evFetch                                 // the next packet's data is to be read from memory
	evInject                                // a packet of B bytes of data is ready for the link
	evWritten                               // C bytes of data of operation B, from packet A, have been written to memory
	evReply                                 // a packet of role B, or frame A, is to be sent
	evChanged                               // a word is changed
	evArrive                                // LogGP: a message of B bytes has arrived
	evTake                                  // LogGP: the first message at rank A has its turn
	evCommand                               // a command has reached card A
	evFormed                                // the sender of card A has formed a packet
	evReady                                 // the SWIF sends packet A
	evReceived                              // the SWIF has received packet A
	evPlace                                 // the receiver of card A looks for room in a ring
	evStored                                // the receiver of card A has written a packet's data
	evNext                                  // the receiver of card A is free
	evStatus                                // the status of packet A has been written
	evTimeout                               // card A has waited for an acknowledgement from card B since C
	evStepped                               // the engine of port A has stepped over a NOP
	evLooped                                // a put of a queue comes to the rank that it is from, or frame A to its interface
	evTaken                                 // what a put of a queue asks for at its taker has been done
	evFired                                 // a gate of barrier channel A has been passed
	evCrossed                               // barrier packet A has come to a channel of the same node
	evTold                                  // the result is in the memory of the rank of barrier channel A
	evRequest                               // an interface takes the requests of an operation
	evRead                                  // the data of frame A is in the send ring
	evChecked                               // an interface has looked at frame A
	evAccessed                              // what frame A asks for has been done
	evServed                                // the operating system of end point A has done what was next in list B
	evMove                                  // migration A
	evRetry                                 // end point A has waited for an acknowledgement by the passage B since C
	evCastAgain                             // the same of frame A, which switches copy
)
