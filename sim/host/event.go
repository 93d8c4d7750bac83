package host

import "musubi/sim/fabric"

// Events of hosts.
const (
	evResume        = fabric.FirstDevice + iota // rank A goes on
	evGenerate                                  // end point A may generate a packet
	evMeasure                                   // the measurement of traffic begins or has ended
	evAlarm                                     // rank A looks again what it waits for
	evDomainShare                               // of the scale-up network; see package domain
	evDomainEnd                                 // likewise
	evDomainArrived                             // operation A has come through the scale-up network
	evDomainAsk                                 // a Pull, operation A, asks for its data
	evCombine                                   // combination A goes into the network
	evCombined                                  // combination A is complete

	// FirstModel is the first kind of event that belongs to the model of network interfaces.
	FirstModel
)
