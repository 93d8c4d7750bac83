package device

import (
	"musubi/nic"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// model is how the network interfaces of a machine carry out operations.
type model interface {
	// start takes an operation over from a rank, inside the call of its program, and
	// keeps the processor busy for as long as that takes.
	start(r *rank, q *request) (rma.Op, error)
	// handle handles an event of the network interfaces, or a packet that the fabric has
	// delivered or sent.
	handle(ev engine.Event)
	// process returns a rank as its program sees it: with what the interfaces can do
	// beyond rma.Process.
	process(r *rank) rma.Process
	// window returns memory that ranks expose with ExposeWindow.
	window(r *rank, bytes int) ([]byte, error)
	// giveBack takes such memory of a rank back.
	giveBack(r *rank, bytes int)
	// useWindows limits the windows that a rank uses for BOTF.
	useWindows(r *rank, n int) error
	// finish keeps the processor busy with what is left to do for a complete operation
	// that a rank waits for.
	finish(r *rank, id uint32)
	// readRecord is the time to read a record of the status ring.
	readRecord() units.Time
	// take keeps the processor busy with copying an arrival out of the receive area,
	// and copies; without into it only gives the space back.
	take(r *rank, rec *nic.Record, into []byte, as rma.Caching)
	// load keeps the processor busy with copying exposed memory.
	load(r *rank, a rma.Address, access *onesided.Layout, into []byte, as rma.Caching)
	// released notes that there is more room in the rings of a rank.
	released(r *rank)
	// completion and arrival say how a processor sees that its own operation is
	// complete, and that others have written to its memory.
	completion() look
	arrival() look
}

// What follows a model has if it can say or do more.
type (
	// follower is a model that needs to know which memory is exposed.
	follower interface {
		exposed(r *rank, segment, bytes int)
		withdrawn(r *rank, segment, bytes int)
	}
	// blocker is a model that leaves packets in the fabric until a program does something,
	// beyond taking messages out of receive rings.
	blocker interface {
		// blocked says which packets wait, and for what; empty if none does.
		blocked() string
	}
	// waiter is a model in which operations can wait for what other programs start.
	waiter interface {
		// waits says what waits, and for whom; each text may be empty.
		waits() []string
	}
	// conserver is a model with packets, room or operations of its own.
	conserver interface {
		// conserved fails if something is left at the end of a run, or was lost.
		conserved() error
	}
	// counter is a model that counts more than messages and packets.
	counter interface {
		counts() []Count
	}
)
