package rma

// Witness is a Process whose world can compare what its processes say, and pass on what they tell each
// other, without messages and without time. Simulated processes are one. Libraries find out by it where
// calls of processes do not fit together.
type Witness interface {
	// Witness records what this process says of a topic, of which as many processes as there are
	// members speak once each. It returns the process that was the first to speak, which may be this
	// one, and what that has said. The bytes may not be changed.
	Witness(about Topic, members int, said []byte) (first int, text []byte)
	// Tell adds a number to what a process has been told of a topic.
	Tell(about Topic, process int, number int32)
	// Told returns what this process has been told of a topic since the last such call, in the order in which it was told.
	Told(about Topic) []Telling
}

// Telling is a number that a process has told another one.
type Telling struct {
	From   int // process
	Number int32
}

// Topic is something that several processes speak of, in the same order.
type Topic struct {
	First   int    // process that tells apart groups with the same context
	Context uint32 // of the library
	Number  uint64 // by counting
}
