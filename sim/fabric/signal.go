package fabric

// Signaller is a fabric that can tell when a packet will arrive as soon as it is sent.
type Signaller interface {
	Fabric
	// Signal carries a packet that has no data, such as an acknowledgement, and returns its delivery,
	// which lies ahead. No event comes up for it, and there is nothing to release. The packet waits for
	// those that have come to its links so far, and keeps none waiting but behind it at its source. So
	// others may overtake it. Signal reports false, and does nothing, if the packet is so long that
	// others would notice that. It panics if there is no path.
	Signal(p Packet) (d Delivery, sent bool)
}
