package card

import "musubi/sim/host"

// Events of cards.
const (
	evCommand  = host.FirstModel + iota // a command has reached card A
	evFormed                            // the sender of card A has formed a packet
	evReady                             // the SWIF sends packet A
	evReceived                          // the SWIF has received packet A
	evPlace                             // the receiver of card A looks for room in a ring
	evStored                            // the receiver of card A has written a packet's data
	evNext                              // the receiver of card A is free
	evStatus                            // the status of packet A has been written
	evTimeout                           // card A has waited for an acknowledgement from card B since C
	evPost                              // a posted receive of rank A has reached its card
)
