package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// leastHeap is the heap, in bytes, that the runtime takes for what is in use where that is less; see
// package runtime on GOGC.
const leastHeap = 4 << 20

// put is the collection that has been put off last.
var put struct {
	sync.Mutex
	turn  int
	off   bool
	usual int // percentage of other collections
}

// collectAfter puts off the next collection of garbage until the heap has grown by so many bytes; the
// following ones come as usual. A program that makes what it keeps has no garbage yet, but the runtime
// would look for it whenever the heap has doubled: a fifth of the time of simulations.
//
// Where the user has switched collections off (GOGC), they stay so.
func collectAfter(bytes int64) {
	put.Lock()
	defer put.Unlock()
	usual := debug.SetGCPercent(-1)
	if usual < 0 {
		return
	}
	debug.SetGCPercent(max(usual, int(100*bytes/max(leastHeap, inUse()))))
	if !put.off {
		put.off, put.usual = true, usual
	}
	put.turn++
	runtime.AddCleanup(new([16]byte), collectAsUsual, put.turn) // once the collection has found it
}

// collectAsUsual ends what collectAfter has begun.
func collectAsUsual(turn int) {
	put.Lock()
	defer put.Unlock()
	if turn == put.turn {
		debug.SetGCPercent(put.usual)
		put.off = false
	}
}

// inUse returns how many bytes the runtime counts as in use: those of the heap, of stacks and of global
// variables, as the last collection has found them.
func inUse() (bytes int64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			bytes += int64(s.Value.Uint64())
		}
	}
	return bytes
}
