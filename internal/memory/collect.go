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
	usual int // percentage of collections otherwise
	later int // that of those that follow
}

// leastShare is to which part of the usual percentage that of later collections goes down, as one of so many: each
// collection goes through all pointers.
const leastShare = 4

// collectAfter puts off the next collection of garbage until the heap has grown by so many bytes; the
// following ones come as usual. A program that makes what it keeps has no garbage yet, but the runtime
// would look for it whenever the heap has doubled: a fifth of the time of simulations.
//
// Usually there is as much garbage as there is in use. Of data without pointers, which the runtime need not go through, there
// is as little as of what is kept beside it: collections come the more often. So it is until end is called.
//
// Where the user has switched collections off (GOGC), they stay so.
func collectAfter(bytes, data int64) (end func()) {
	put.Lock()
	defer put.Unlock()
	now := debug.SetGCPercent(-1)
	if now < 0 {
		return func() {}
	}
	if !put.off {
		put.off, put.usual = true, now
	}
	put.later = laterPercent(put.usual, bytes, data)
	debug.SetGCPercent(max(put.usual, int(100*bytes/max(leastHeap, inUse()))))
	put.turn++
	turn := put.turn
	runtime.AddCleanup(new([16]byte), collectAsUsual, turn) // once the collection has found it
	return func() { endCollectAfter(turn) }
}

// laterPercent returns the percentage of collections beside data.
func laterPercent(usual int, kept, data int64) int {
	if data <= 0 {
		return usual
	}
	return max(1, usual/leastShare, int(float64(usual)*float64(kept)/float64(kept+data)))
}

// collectAsUsual lets collections come that collectAfter has put off.
func collectAsUsual(turn int) {
	put.Lock()
	defer put.Unlock()
	if put.off && turn == put.turn {
		debug.SetGCPercent(put.later)
	}
}

// endCollectAfter ends what collectAfter has begun, unless there is another one.
func endCollectAfter(turn int) {
	put.Lock()
	defer put.Unlock()
	if put.off && turn == put.turn {
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
