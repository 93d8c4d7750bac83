package rank

import (
	"musubi/live/shm"
	"musubi/live/tcp"
	"musubi/live/wire"
)

// endpoint is what a transport implements: a rank's end of the way to one other rank. What comes by
// it goes to the inlet of that rank. Positions count what was written, in units of the transport.
type endpoint interface {
	// Write writes the next part of a transfer, if there is room.
	Write(t *wire.Transfer) bool
	// WriteMessage writes a message of two parts that nobody waits for, if there is room.
	WriteMessage(head, data []byte) bool
	// Tell lets the other rank see what has been written.
	Tell()
	// Reach connects the two ranks on first use. It reports false if they were connected before,
	// or if that has failed.
	Reach() bool
	// Position is where the last part ends that was written.
	Position() uint64
	// IsDone reports whether the other rank has done all before a position, or has failed it.
	// Failures go to the inlet first.
	IsDone(position uint64) bool
	// Fail tells the other rank that its operation has failed that ends with the part that is being
	// taken, a body of n bytes. It reports false if that has to wait.
	Fail(n int, why wire.Report) bool
	// IsReading reports whether memory of a segment is still to be sent.
	IsReading(segment int) bool
	// EagerBytes is the longest message that is sent before it is expected.
	EagerBytes() int
}

var (
	_ endpoint = (*shm.Endpoint)(nil)
	_ endpoint = (*tcp.Stream)(nil)
)
