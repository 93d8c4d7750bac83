package nccl

import "musubi/units"

// step is one step of a rank: it receives a chunk from some ranks, combines it with what is in its buffer or
// puts it there, and sends the result on. All of them are optional.
type step struct {
	receive []source
	reduce  bool // what is received is combined with what is in the buffer, and not put in its place
	into    int  // offset in the buffer of what is received
	send    []target
	from    int // offset of what is sent
	bytes   int
	delay   units.Time // what an accelerator spends on the step before it sends
	network *networkStep
	// after: the step begins when this program has done as many steps; -1: it waits for none.
	after, done int
}

// networkStep is a part in an operation in which the network combines or copies.
type networkStep struct {
	from, to []int
	key      uint64
}

// source and target name connections: each has slots at the receiver, and a number there.
type source struct{ rank, connection int }
type target struct{ rank, connection int }

// program is the steps of a rank that follow each other.
type program []step

// plan is what all programs of an operation have in common, and those of a rank.
type plan struct {
	programs    []program
	connections int // that a rank receives by at most
	chunk       int // most bytes of a step
	buffer      int // bytes of the buffer
	base        units.Time
	overhead    func(bytes int) int // bytes that the protocol adds to a chunk on its way
	rate        float64             // at which a program passes data on, in bytes per second; 0: it takes no time
}

// connectionsOf is how many connections the programs of a channel have at a rank at most.
const connectionsOf = 4

// algorithm makes the steps of a rank.
type algorithm struct {
	*layout
	rank     int
	bytes    int // of the operation, as nccl-tests counts it
	channels int
	chunk    int // most bytes of a step
	hop      func(from, to int) units.Time
	root     int
	skew     float64
	seed     uint64
	pxn      bool // messages to other rails leave by the accelerator of the node that is on it
}

// blank is a step that waits for no other program.
func blank() step { return step{after: -1} }

// part returns the part of a range that a channel has, in units of 16 bytes.
func part(bytes, channel, channels int) (at, n int) {
	each := (bytes + channels - 1) / channels
	each = (each + 15) / 16 * 16
	at = min(channel*each, bytes)
	return at, min(each, bytes-at)
}

// pieces cuts a range into chunks, and calls do for each; once for an empty one.
func pieces(at, n, chunk int, do func(at, n int)) {
	for first := true; n > 0 || first; first = false {
		m := min(n, chunk)
		do(at, m)
		at, n = at+m, n-m
	}
}
