package rank

import (
	"musubi/live/tcp"
	"musubi/live/wire"
)

// transport is a way to another rank that is not shared memory, such as a connection. To those that a
// rank shares memory with the way is a ring, which an outlet uses as it is: behind an interface it
// would cost a short message a tenth. So an outlet without a transport is one with a ring. What comes
// back over a transport goes to the inlet, which is a tcp.Receiver.
type transport interface {
	// Write writes the next part of a transfer, if there is room.
	Write(t *wire.Transfer) bool
	// WriteMessage writes a message of two parts that nobody waits for, if there is room.
	WriteMessage(head, data []byte) bool
	// Position is where the last part ends that was written; it counts parts.
	Position() uint64
	// Tell lets the other rank see what has been written.
	Tell()
	// Reach lets the way begin, if it has not begun, and reports whether it has now.
	Reach() bool
	// Fail tells that an operation of the other rank has failed, which ends at a position.
	Fail(end uint64, why wire.Report)
	// IsReading reports whether something of a segment is still to be sent.
	IsReading(segment int) bool
}

var _ transport = (*tcp.Stream)(nil)
