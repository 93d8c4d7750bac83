package mpi

// Options of a job. All its processes need the same.
type Options struct {
	// Rings is how each process receives: in "private" rings, one for every sender, or
	// in one that is "shared" by all. Empty: private if the machine has room for that.
	// Rings that the user of the machine has chosen take the place of either; if they
	// tell of whole messages they have to hold Eager and 32 bytes more.
	Rings string
	// RingBytes is the size of each ring in bytes. 0: as much as is usual.
	RingBytes int
	// Eager is the largest message, in bytes, that is sent without asking whether
	// somebody waits for it. 0: what the machine suggests (rma.Eager), or else 8 KiB;
	// negative: none but empty ones.
	Eager int
}
