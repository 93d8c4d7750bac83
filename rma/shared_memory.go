package rma

// SharedMemory is a Process that can share memory with others of its host: each of them reads and
// writes it with its own processor. It is optional.
type SharedMemory interface {
	Process

	// Shares reports whether this process and another one can share memory. The relation is
	// transitive, and does not change. It is false for ranks that do not exist.
	Shares(rank int) bool
	// ExposeShared exposes fresh memory, all zero and aligned to 64 bytes, that processes with which
	// this one shares memory can reach. It fails if so much is not left, or bytes is negative.
	ExposeShared(bytes int) (segment int, memory []byte, err error)
	// SharedBy returns memory that a rank has exposed by ExposeShared, until that withdraws it. It fails
	// if this process cannot reach it.
	SharedBy(rank, segment int) ([]byte, error)
	// CopyShared copies data to shared memory of this process, of the same length, by the way that is the fastest for others to read it.
	CopyShared(memory, data []byte)
}
