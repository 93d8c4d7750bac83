package memory

import "unsafe"

// leastLarge is how many bytes are worth large pages, of which each has 2 MiB.
const leastLarge = 4 << 20

// Large returns n values, for which the system is asked to use large pages if they are many: what looks at values here and there
// then misses the processor's table of pages less often.
func Large[T any](n int) []T {
	list := make([]T, n)
	if bytes := uintptr(n) * unsafe.Sizeof(*new(T)); bytes >= leastLarge {
		useLargePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), bytes))
	}
	return list
}
