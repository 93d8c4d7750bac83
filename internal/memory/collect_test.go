package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// Collections wait until the heap has grown as said, and come as usual afterwards.
func TestCollectionsWait(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	const bytes, block = 64 << 20, 64 << 10
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumGC
	}
	var kept [][]byte
	grow := func(by int) {
		for range by / block {
			kept = append(kept, make([]byte, block))
		}
	}
	runtime.GC()
	collectAfter(bytes)
	before := collections()
	if grow(bytes / 2); collections() != before {
		t.Errorf("%d collections until the heap had grown by half", collections()-before)
	}
	if grow(bytes); collections() == before {
		t.Error("no collection when it had grown by more")
	}
	runtime.GC()
	for percent := 0; percent != 100; { // what follows a collection comes a little later
		time.Sleep(time.Millisecond)
		percent = debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
	}
	runtime.KeepAlive(kept)
}

// Who has switched collections off gets none.
func TestNoCollectionsStayNone(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if collectAfter(64 << 20); debug.SetGCPercent(-1) != -1 {
		t.Error("there are collections")
	}
}
