package host

import (
	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/units"
)

// Model is how the network interfaces of a machine carry out operations.
type Model interface {
	// Start takes an operation over from a rank, inside the call of its program, and
	// keeps the processor busy for as long as that takes.
	Start(r *Process, q *Request) (rma.Op, error)
	// Handle handles an event of the network interfaces, or a packet that the fabric has
	// delivered or sent.
	Handle(ev engine.Event)
	// Process returns a rank as its program sees it: with what the interfaces can do
	// beyond rma.Process.
	Process(r *Process) rma.Process
	// Window returns memory that ranks expose with ExposeWindow.
	Window(r *Process, bytes int) ([]byte, error)
	// GiveBack takes such memory of a rank back.
	GiveBack(r *Process, bytes int)
	// UseWindows limits the windows that a rank uses for BOTF.
	UseWindows(r *Process, n int) error
	// Finish keeps the processor busy with what is left to do for a complete operation
	// that a rank waits for.
	Finish(r *Process, id uint32)
	// ReadRecord is the time to read a record of the status ring.
	ReadRecord() units.Time
	// Take keeps the processor busy with copying an arrival out of the receive area,
	// and copies; without into it only gives the space back.
	Take(r *Process, rec *ring.Record, into []byte, as rma.Caching)
	// Load keeps the processor busy with copying exposed memory.
	Load(r *Process, a rma.Address, access *onesided.Layout, into []byte, as rma.Caching)
	// Released notes that there is more room in the rings of a rank.
	Released(r *Process)
	// Completion and Arrival say how a processor sees that its own operation is
	// complete, and that others have written to its memory.
	Completion() Look
	Arrival() Look
}

// What follows a model has if it can say or do more.
type (
	// Follower is a model that needs to know which memory is exposed.
	Follower interface {
		Exposed(r *Process, segment, bytes int)
		Withdrawn(r *Process, segment, bytes int)
	}
	// Blocker is a model that leaves packets in the fabric until a program does something,
	// beyond taking messages out of receive rings.
	Blocker interface {
		// Blocked says which packets wait, and for what; empty if none does.
		Blocked() string
	}
	// Waiter is a model in which operations can wait for what other programs start.
	Waiter interface {
		// Waits says what waits, and for whom; each text may be empty.
		Waits() []string
	}
	// Conserver is a model with packets, room or operations of its own.
	Conserver interface {
		// Conserved fails if something is left at the end of a run, or was lost.
		Conserved() error
	}
	// Prefetcher is a model of which large jobs have more state than fits in the processor's cache.
	Prefetcher interface {
		// Prefetch brings the operation of an event of the model to the cache. It may be an event that another part handles.
		Prefetch(ev *engine.Event)
		// PrefetchDelivered does so for a packet of the model that will be delivered soon, by its tag.
		PrefetchDelivered(tag uint64)
		// PrefetchBehind and PrefetchBehindDelivered, some events later, bring what the operation tells the place of.
		PrefetchBehind(ev *engine.Event)
		PrefetchBehindDelivered(tag uint64)
		// PrefetchLast, some events later again, brings what lies behind that. It is only called where there is no fabric.
		PrefetchLast(ev *engine.Event)
		// PrefetchLaunch brings what Launch will need soon.
		PrefetchLaunch(r *Process)
	}
	// Counter is a model that counts more than messages and packets.
	Counter interface {
		Counts() []Count
	}
)
