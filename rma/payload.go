package rma

// Payload is a Process whose program may run with sizes and no bytes, as simulated ones do where the
// user has asked for that.
type Payload interface {
	// Phantom returns memory that has addresses and no bytes, nil if the memory of this run is real.
	// It can be exposed, sent and received into like any other, and takes as long; but a program that
	// reads or writes it fails.
	Phantom(bytes int) []byte
	// Model returns empty memory of the kind that an arrival is to be taken into: without bytes if it was sent from
	// such, of which the head arrives if the message has one (see package internal/phantom); nil: real.
	Model(a Arrival) []byte
}

// Memory returns memory for data that a program sends and receives but does not look at: zeros, or
// memory without bytes if the run of the process has such.
func Memory(p Process, bytes int) []byte {
	if p, ok := p.(Payload); ok {
		if memory := p.Phantom(bytes); memory != nil {
			return memory
		}
	}
	return make([]byte, bytes)
}

// Sharer is a Process whose world has the memory of many ranks in one process, as simulated ones do.
type Sharer interface {
	// Constant returns memory that fill has filled and that other ranks have as well: the result of the same call there,
	// counted from their first one. Results of different calls of a rank do not overlap.
	Constant(bytes int, fill func(memory []byte)) []byte
	// Reference returns empty memory without bytes, of the kind that messages with this data may lie in, as it is a part of
	// what Constant has returned and so need not be copied (phantom.Refer). nil: it has to be copied.
	Reference(data []byte) []byte
}

// Constant returns memory that fill has filled, and that nobody changes any more; or without bytes if the run of the
// process has such. All ranks call it with the same arguments, in the same order. Simulated ranks share it: data of a
// thousand ranks takes the memory of one.
func Constant(p Process, bytes int, fill func(memory []byte)) []byte {
	if !HasBytes(p) {
		return Memory(p, bytes)
	}
	if p, ok := p.(Sharer); ok {
		return p.Constant(bytes, fill)
	}
	memory := make([]byte, bytes)
	fill(memory)
	return memory
}

// HasBytes reports whether what Memory returns is real.
func HasBytes(p Process) bool {
	without, ok := p.(Payload)
	return !ok || without.Phantom(0) == nil
}
