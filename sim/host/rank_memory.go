package host

import (
	"slices"
	"unsafe"
)

// SegmentOf returns the exposed segment that data lies in, or -1.
func (r *Process) SegmentOf(data []byte) int {
	first := addressOf(data)
	return slices.IndexFunc(r.Segments, func(s Segment) bool {
		begin := addressOf(s.Memory)
		return len(data) > 0 && first >= begin && first+uintptr(len(data)) <= begin+uintptr(len(s.Memory))
	})
}

// OffsetOf returns where data begins that lies in an exposed segment.
func (r *Process) OffsetOf(segment int, data []byte) int {
	return int(addressOf(data) - addressOf(r.Segments[segment].Memory))
}

// addressOf returns where data begins in the memory of this program. Only whether
// slices overlap may depend on it, which is the same in every run.
func addressOf(data []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(data))) }
