package fabric

// Prefetcher is a fabric that can bring what it needs to send a packet to the processor's cache, before devices have the packet.
type Prefetcher interface {
	// PrefetchSend does so for a packet from a port of an end point to another end point.
	PrefetchSend(src, out, dst, class int)
}

// Tagger is a fabric that tells the tag of a packet without the rest of its delivery, which takes as long as an event.
type Tagger interface {
	// Tag returns the tag of a packet in the network.
	Tag(packet uint32) uint64
}
