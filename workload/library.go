package workload

import "musubi/units"

// Library is what passing messages costs where a library does it by PUSH and by the processor's
// own writes, as MPICH-SCore on PM does on RHiNET-2. Short messages are eager: they are written to
// memory that the receiver keeps for the sender, and copied on both sides. Of a long one a request
// comes first. When the receiver looks, it asks for the data, which then goes to its place without
// a copy (rendezvous).
type Library struct {
	Send, Receive units.Time // of the processor, for each message
	Eager         int        // bytes of the longest message that is eager
	PIO           int        // bytes of the longest that the processor writes to the interface itself
}
