package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// Collections wait until the heap has grown as said, come the more often beside data then, and as usual at the end.
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
	end := collectAfter(bytes, 3*bytes)
	before := collections()
	if grow(bytes / 2); collections() != before {
		t.Errorf("%d collections until the heap had grown by half", collections()-before)
	}
	grow(bytes)
	for end := time.Now().Add(10 * time.Second); collections() == before; time.Sleep(time.Millisecond) { // one may be under way
		if time.Now().After(end) {
			t.Fatal("no collection when it had grown by more")
		}
	}
	runtime.GC()
	for percent := 0; percent != 25; { // what follows a collection comes a little later
		time.Sleep(time.Millisecond)
		percent = debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
	}
	end()
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("at the end collections come at %d %%; expected 100", percent)
	}
	runtime.KeepAlive(kept)
}

// Who has switched collections off gets none.
func TestNoCollectionsStayNone(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if collectAfter(64<<20, 0)(); debug.SetGCPercent(-1) != -1 {
		t.Error("there are collections")
	}
}

// The more data there is, the less garbage; without data there is as much as usual.
func TestLessGarbageBesideData(t *testing.T) {
	for _, test := range []struct {
		kept, data int64
		want       int
	}{{100, 0, 100}, {100, 25, 80}, {100, 100, 50}, {100, 10_000, 25}, {0, 1, 25}} {
		if got := laterPercent(100, test.kept, test.data); got != test.want {
			t.Errorf("%d bytes kept beside %d of data: %d %%; expected %d", test.kept, test.data, got, test.want)
		}
	}
}
