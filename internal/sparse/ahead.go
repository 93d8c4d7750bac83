package sparse

import (
	"unsafe"

	"musubi/internal/prefetch"
)

// mostAhead is how many bytes of a block are asked for: the ranks, and the first few values, which are those in use where values are
// forgotten.
const mostAhead = 2 * prefetch.LineBytes

// Prefetch asks the processor's cache for the value of a rank, if it has one, or for those that are looked at to find it.
func (v *Values[T]) Prefetch(rank int32) {
	switch {
	case v.first != nil:
		prefetch.Bytes(unsafe.Pointer(v.first), min(unsafe.Sizeof(*v.first), mostAhead))
	case v.many != nil && v.many.ranged != nil:
		if value := v.inRange(rank); value != nil {
			prefetch.Bytes(unsafe.Pointer(value), unsafe.Sizeof(*value))
		}
	}
}
