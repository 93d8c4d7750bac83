package fabric

import "musubi/units"

// Bulker is a fabric that carries long messages as a whole.
type Bulker interface {
	Fabric
	// SendBulk sends the packets of a long message, which take as much of the links as others leave
	// them. It does not queue them behind others of their source, nor others behind them: a device that
	// has to keep an order waits for Sent. Sent (if Packet.NotifySent) comes up when the last tail has
	// left the source, and Delivered once, when the last has arrived. Delivery then describes the last
	// packet, but for Flits and Packets. It panics if there is no path.
	SendBulk(b Bulk) uint32
}

// Bulk is a message of several packets that a device hands to the fabric as a whole.
type Bulk struct {
	Packet      // what is said of all packets; Flits of each but the last, Ready and NotifyHeader are not used
	Packets int // at least 1
	Last    int // flits of the last packet
	// Delay is added to the time of each packet on its way. It stands for what a device does with a
	// packet while it is at others as well.
	Delay  units.Time
	Stages [2]Stage // of the source and of the destination
}

// Stage is a part of a device that all packets of a message pass one after the other, and that
// other messages use as well.
type Stage struct {
	Unit int        // number of the part among all of all devices, from 0 on
	Time units.Time // for which the message occupies it; 0: it does not
}
