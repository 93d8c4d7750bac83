package fabric

// Combiner is a fabric whose switches combine long messages of several end points and copy the result to
// several, such as SHARP of InfiniBand.
type Combiner interface {
	Fabric
	// SendCombined sends messages of the same length from some end points to the switch of the first
	// destination, by the paths to it, which are combined where paths meet; and from there to all
	// destinations, by the paths of these backwards. So a link carries the data once in each direction. Delivered
	// comes up once, when the last packet has reached the last destination.
	SendCombined(c Combined) uint32
}

// Combined is a message that switches combine.
type Combined struct {
	From, To []int  // end points
	Packets  int    // at least 1
	Flits    int    // of each packet but the last
	Last     int    // flits of the last packet
	Tag      uint64 // returned with the delivery
}
