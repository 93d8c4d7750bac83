package dma

import (
	"musubi/onesided"
	"musubi/sim/host"
	"musubi/units"
)

// transfer is a PUSH, PULL or IPUSH, or the change of a word. The words push and pushes stand for IPUSH as
// well where nothing else is said: the two keep their order among each other.
type transfer struct {
	host.Request
	op        uint32 // the operation that it carries out
	initiator int32
	home      int32  // port of the initiator
	away      int32  // port of the target
	staged    int32  // packets fetched that have not left the interface yet
	follower  uint32 // next push to the same target, 0 if none; once it is over, the number given back before

	bulk     bool // the fabric carries it as a whole
	fetching bool // evFetch or evInject is pending
	behind   bool // an earlier push to the same target has data to be fetched
	held     bool // it has come to fetching, but is behind

	size      int        // in bytes
	fetched   int        // bytes read from memory
	arrived   int        // bytes that have reached the other interface
	written   int        // bytes in memory
	notBefore units.Time // when the one before it has been handed to the fabric
	ready     units.Time // when the last packet has been read

	memory   []byte  // of the target, which far counts from; nil until the first access
	old      int64   // of a change of a word: what was there before
	command  *queued // that it carries out; nil if a program has asked for it
	position uint64  // of the command in its queue
}

// isQueued reports whether an engine carries out the transfer for a queue of a program.
func (t *transfer) isQueued() bool { return t.command != nil && t.command.of != nil }

// source returns the rank whose memory the data of a transfer comes from.
func (t *transfer) source() int32 {
	if t.Action == host.Pull {
		return t.Target
	}
	return t.initiator
}

// sink returns the rank whose memory the data goes to.
func (t *transfer) sink() int32 { return t.initiator + t.Target - t.source() }

// sends returns the port that the data leaves by.
func (t *transfer) sends() int32 {
	if t.Action == host.Pull {
		return t.away
	}
	return t.home
}

// receives returns the port that the data comes to.
func (t *transfer) receives() int32 { return t.home + t.away - t.sends() }

// reads returns where the data lies in the memory of the source.
func (t *transfer) reads() *onesided.Layout {
	if t.Action == host.Pull {
		return t.Far()
	}
	return t.Near()
}

// writes returns where the data goes in the memory of the sink.
func (t *transfer) writes() *onesided.Layout {
	if t.Action == host.Pull {
		return t.Near()
	}
	return t.Far()
}

// begins returns the event with which the side begins that has the data or the word.
func (t *transfer) begins() uint32 {
	if t.Action == host.Change {
		return evTurn
	}
	return evFetch
}
