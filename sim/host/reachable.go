package host

import (
	"fmt"
	"unsafe"

	"musubi/rma"
)

var _ rma.SharedMemory = (*Process)(nil)

// Shares implements rma.SharedMemory: ranks of one host share memory.
func (r *Process) Shares(rank int) bool {
	if rank < 0 || rank >= len(r.c.Ranks) {
		return false
	}
	return rank == r.number || r.c.NodeOf != nil && r.c.NodeOf[rank] == r.c.NodeOf[r.number]
}

// ExposeShared implements rma.SharedMemory. Programs reach the memory without simulated time.
func (r *Process) ExposeShared(bytes int) (int, []byte, error) {
	const word = 8
	if bytes < 0 {
		return 0, nil, fmt.Errorf("rma: shared memory of %d bytes; expected at least 0", bytes)
	}
	lines := make([][8]uint64, bytes/(8*word)+1)
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(lines))), len(lines)*8*word)[:bytes:bytes]
	return r.Expose(memory), memory, nil
}

// SharedBy implements rma.SharedMemory.
func (r *Process) SharedBy(rank, segment int) ([]byte, error) {
	if !r.Shares(rank) || !r.c.Ranks[rank].isExposed(segment) {
		return nil, fmt.Errorf("rma: SharedBy of segment %d of rank %d, which rank %d does not share", segment, rank, r.number)
	}
	return r.c.Ranks[rank].Segments[segment].Memory, nil
}

// CopyShared implements rma.SharedMemory, without simulated time.
func (r *Process) CopyShared(memory, data []byte) { copy(memory, data) }
