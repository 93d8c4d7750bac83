package window

import (
	"encoding/binary"
	"fmt"

	"musubi/mpi/internal/reduction"
)

// A message for a window has, behind its envelope, whose context is that of the
// window's communicator and whose id is that of a fetch, little-endian:
//
//	0  wish
//	1  operation, see reduction.ID
//	2  zero, 2 bytes
//	4  runs, 4 bytes
//	8  of each run: index of its first element, and elements, 8 bytes each
//
// Elements follow.
const (
	remoteBytes = 8
	runBytes    = 16
)

// wish is what a message wants of a window.
type wish uint8

const (
	accumulate  wish = iota + 1 // combine elements of the runs with those that follow
	fetch                       // combine them so, and answer with what was there
	compare                     // if the element is the first that follows, replace it by the second; answer with what was there
	fetched                     // answer: what was there
	confirm                     // answer when all before has been done
	confirmed                   // answer
	claim                       // ask for the lock
	claimShared                 // for a shared one
	claimMore                   // for a shared one, by who has another lock of the window
	grant                       // answer: it has the lock
	release                     // it gives the lock back
	posted                      // accesses may begin
	completed                   // they are over
)

// run is elements of a window that follow each other.
type run struct{ at, count int }

// message is a message for a window.
type message struct {
	wish wish
	op   reduction.ID
	runs []byte // encoded
	data []byte // elements
}

// run returns one of the runs.
func (m *message) run(i int) (at, count uint64) {
	b := m.runs[i*runBytes:]
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
}

// encodeMessage writes a message without its elements to the beginning of a buffer.
func encodeMessage(b []byte, a wish, op reduction.ID, runs []run) {
	b[0], b[1], b[2], b[3] = byte(a), byte(op), 0, 0
	binary.LittleEndian.PutUint32(b[4:], uint32(len(runs)))
	for i, r := range runs {
		at := b[remoteBytes+i*runBytes:]
		binary.LittleEndian.PutUint64(at, uint64(r.at))
		binary.LittleEndian.PutUint64(at[8:], uint64(r.count))
	}
}

// decodeMessage reads a message. It fails if it is not one that encodeMessage can have
// written.
func decodeMessage(b []byte) (message, error) {
	if len(b) < remoteBytes {
		return message{}, fmt.Errorf("a message of %d bytes for a window; expected at least %d", len(b), remoteBytes)
	}
	a := message{wish: wish(b[0]), op: reduction.ID(b[1])}
	if a.wish < accumulate || a.wish > completed || a.op > reduction.LastID || b[2] != 0 || b[3] != 0 {
		return message{}, fmt.Errorf("a message for a window with wish %d and operation %d; expected 1 to %d, and 0 to %d", b[0], b[1], completed, reduction.LastID)
	}
	runs := uint64(binary.LittleEndian.Uint32(b[4:]))
	b = b[remoteBytes:]
	if runs*runBytes > uint64(len(b)) {
		return message{}, fmt.Errorf("a message for a window with %d runs in %d bytes", runs, len(b))
	}
	a.runs, a.data = b[:runs*runBytes], b[runs*runBytes:]
	return a, nil
}
