package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// leastPaged is the smallest growth of the heap, in bytes, for which large pages are worth asking.
const leastPaged = 32 << 20

// paged is how many bytes of the heap have been asked for in large pages.
var paged struct {
	sync.Mutex
	bytes int64
}

// ExpectHeap prepares for so many more bytes in Go's heap: the system is asked to use large pages
// there, where it knows such a request. Memory that is used here and there then misses the
// processor's table of pages less often, and is mapped in far fewer steps. Nothing is taken before
// it is used.
//
// The heap grows by pieces of that size in all, which the program gives back at once, so that the memory
// that is asked for lies in them. kept is how many of the bytes the program makes first and keeps to its end: garbage is
// not collected before the heap has grown by these, see collectAfter. data is how many more it keeps that have no pointers, for
// which there is to be no more garbage. The caller calls end when the program has ended.
func ExpectHeap(bytes, kept, data int64) (end func()) {
	if bytes < leastPaged || bytes > Free()/2 || debug.SetMemoryLimit(-1) < math.MaxInt64 || !raisePaged(bytes) {
		return func() {}
	}
	growHeap(bytes)
	runtime.GC()
	return collectAfter(kept, data)
}

// pieceBytes is the size of the pieces by which the heap grows. Memory from the system is zero. The runtime clears a
// block, and so takes all of it at once, if it begins where there has been garbage: so there are many.
const pieceBytes = 4 << 20

// growHeap makes garbage of so many bytes, which lies in large pages.
func growHeap(bytes int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	pieces := make([][]byte, (bytes+pieceBytes-1)/pieceBytes)
	for i := range pieces {
		pieces[i] = make([]byte, pieceBytes)
		useLargePages(pieces[i])
	}
}

// raisePaged notes that bytes are to be in large pages, and reports false if about as many are:
// memory that the heap has had before would be cleared.
func raisePaged(bytes int64) bool {
	paged.Lock()
	defer paged.Unlock()
	if bytes < 2*paged.bytes {
		return false
	}
	paged.bytes = bytes
	return true
}
