package fabric

// Prefetcher is a fabric that can bring what it will need to the processor's cache.
type Prefetcher interface {
	// PrefetchSend does so for a packet that is to be sent from a port of an end point to another end point.
	PrefetchSend(src, out, dst, class int)
	// PrefetchPacket does so for a packet that is to be released, and PrefetchRelease, some events later, for the buffer that it
	// is in.
	PrefetchPacket(id uint32)
	PrefetchRelease(id uint32)
}

// Tagger is a fabric that tells the tag of a packet without the rest of its delivery, which takes as long as an event.
type Tagger interface {
	// Tag returns the tag of a packet in the network.
	Tag(packet uint32) uint64
}
