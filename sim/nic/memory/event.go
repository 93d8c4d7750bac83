package memory

import (
	"musubi/sim/host"
)

// Events of interfaces. Unless stated otherwise A is an operation.
const (
	evDone      = host.FirstModel + iota // the completion is visible to the initiator
	evReply                              // frame A is to be sent
	evLooped                             // frame A comes to the interface that it is from
	evRequest                            // an interface takes the requests of an operation
	evRead                               // the data of frame A is in the send ring
	evChecked                            // an interface has looked at frame A
	evAccessed                           // what frame A asks for has been done
	evServed                             // the operating system of end point A has done what was next in list B
	evMove                               // migration A
	evRetry                              // end point A has waited for an acknowledgement by the passage B since C
	evCastAgain                          // the same of frame A, which switches copy
)
