package window

import (
	"encoding/binary"
	"fmt"

	"musubi/mpi/internal/reduction"
)

// A message for a window has, behind its envelope, whose context is that of the
// window's communicator and whose id is that of a fetch or the rank of a lock, little-endian:
//
//	0  kind
//	1  operation, see reduction.ID
//	2  kind of the elements, for windows of bytes; else 0
//	3  zero
//	4  runs, 4 bytes
//	8  of each run: index of its first element, and elements, 8 bytes each
//
// Elements follow.
const (
	headerBytes = 8
	runBytes    = 16
)

// messageKind is what a message asks of a window, or answers.
type messageKind uint8

const (
	accumulate     messageKind = iota + 1 // combine elements of the runs with those that follow
	fetch                                 // do the same, and answer with the old elements
	compare                               // if the element equals the first that follows, replace it by the second; answer with the old one
	fetched                               // answer to fetch and compare: the old elements
	confirm                               // answer when everything sent before has been done
	confirmed                             // answer to confirm
	lockExclusive                         // request an exclusive lock
	lockShared                            // request a shared lock
	lockSharedMore                        // request a shared lock, while holding another lock of the window
	lockGranted                           // answer: the lock is held
	unlock                                // release the lock
	posted                                // Post has been called: accesses may begin
	completed                             // Complete has been called: accesses are over
	lockBehind                            // of the lock of the rank that the id names: see wordlock.Behind
	lockTurn                              // see wordlock.Turn
	lockPassed                            // see wordlock.Granted

	lastKind = lockPassed
)

// run is elements of a window that follow each other.
type run struct{ at, count int }

// message is a message for a window.
type message struct {
	kind messageKind
	op   reduction.ID
	of   reduction.Kind // of a window of bytes, the kind of the elements that are accessed; else 0
	runs []byte         // encoded
	data []byte         // elements
}

// run returns one of the runs.
func (m *message) run(i int) (at, count uint64) {
	return decodeRun(m.runs[i*runBytes:])
}

func decodeRun(b []byte) (at, count uint64) {
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
}

func appendRun(b []byte, at, count uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, at), count)
}

// encodeMessage writes the header and the runs of a message to the beginning of a buffer.
func encodeMessage(b []byte, a messageKind, op reduction.ID, of reduction.Kind, runs []run) {
	b[0], b[1], b[2], b[3] = byte(a), byte(op), byte(of), 0
	binary.LittleEndian.PutUint32(b[4:], uint32(len(runs)))
	for i, r := range runs {
		at := b[headerBytes+i*runBytes:]
		binary.LittleEndian.PutUint64(at, uint64(r.at))
		binary.LittleEndian.PutUint64(at[8:], uint64(r.count))
	}
}

// decodeMessage reads a message. It fails if it is not one that encodeMessage can have
// written.
func decodeMessage(b []byte) (message, error) {
	if len(b) < headerBytes {
		return message{}, fmt.Errorf("a message of %d bytes for a window; expected at least %d", len(b), headerBytes)
	}
	a := message{kind: messageKind(b[0]), op: reduction.ID(b[1]), of: reduction.Kind(b[2])}
	if a.kind < accumulate || a.kind > lastKind || a.op > reduction.LastID || a.of > reduction.LastKind || b[3] != 0 {
		return message{}, fmt.Errorf("a message for a window of kind %d with operation %d; expected 1 to %d, and 0 to %d", b[0], b[1], lastKind, reduction.LastID)
	}
	runs := uint64(binary.LittleEndian.Uint32(b[4:]))
	b = b[headerBytes:]
	if runs*runBytes > uint64(len(b)) {
		return message{}, fmt.Errorf("a message for a window with %d runs in %d bytes", runs, len(b))
	}
	a.runs, a.data = b[:runs*runBytes], b[runs*runBytes:]
	return a, nil
}
