// Package cached copies through the caches of processors.
package cached

import "slices"

// LongBytes is from how many bytes on Copy differs from the built-in copy.
const LongBytes = 1 << 20

// The built-in copy writes past the caches from LongBytes on, on amd64, as what is so long may not fit them. What has up to
// mostCached bytes mostly does, and programs that send and receive it look at it before and after: through the cache it
// takes half as long.
const (
	mostCached = 4 << 20
	chunkBytes = LongBytes / 2
)

// Copy is the built-in copy, but writes through the caches what fits them.
func Copy(to, from []byte) int {
	if isChunked(len(from)) {
		return copyChunks(to, from)
	}
	return copy(to, from)
}

// isChunked reports whether so many bytes are copied in chunks.
func isChunked(n int) bool { return uint(n-LongBytes) <= mostCached-LongBytes }

func copyChunks(to, from []byte) (n int) {
	for chunk := range slices.Chunk(from, chunkBytes) {
		n += copy(to[min(n, len(to)):], chunk)
	}
	return n
}
