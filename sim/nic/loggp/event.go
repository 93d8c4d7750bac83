package loggp

import "musubi/sim/host"

// Events of interfaces. Unless stated otherwise A is an operation.
const (
	evDone   = host.FirstModel + iota // the completion is visible to the initiator
	evArrive                          // a message of B bytes has arrived
	evTake                            // the first message at rank A has its turn
)
