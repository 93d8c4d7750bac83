package fabric

import "musubi/units"

// Observer is told what links carry and where packets wait, if Config names one.
type Observer interface {
	// Busy tells that a link, by its position in Fabric.Busy, is taken for some time, and carries
	// flits for as long or less. It is told when that begins, in the order of time for each link.
	Busy(link int, from, to, carrying units.Time)
	// Waiting tells that there are more or fewer packets in the buffer at the end of a link that
	// have been routed and not been granted their next link. Behind the links of Fabric.Busy
	// come the queues of sources, one for each port of each end point. The packet engine only.
	Waiting(link, change int, at units.Time)
}

// Follower is an Observer that wants to know of single packets, too. The packet engine tells it.
type Follower interface {
	Observer
	// Granted tells that a packet starts on a link, by its position in Fabric.Busy: it has got the
	// room behind it, and leaves what it has held before.
	Granted(packet uint32, link int, at units.Time)
}
