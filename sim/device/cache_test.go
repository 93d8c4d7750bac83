package device

import (
	"runtime"
	"testing"
)

// Buffers that are used in turn miss once they are more than the cache holds, however
// small each is: it takes a line of its own.
func TestCacheHoldsWhatWasTouchedLast(t *testing.T) {
	const size, line = 1024, 64
	for _, c := range []struct {
		name           string
		bytes, buffers int
		missed         bool
	}{
		{"one", 200, 1, false},
		{"as much as it holds", 256, 4, false},
		{"more than it holds", 256, 5, true},
		{"many times what it holds", 256, 400, true},
		{"as many lines as it holds", 8, 16, false},
		{"more lines than it holds", 8, 17, true},
		{"part of a line", 65, 9, true},
		{"larger than the cache", 1025, 1, true},
		{"nothing", 0, 20, false},
	} {
		cache := newCache(size, line)
		var buffers [][]byte
		for range c.buffers {
			buffers = append(buffers, make([]byte, c.bytes))
		}
		for round := range 10 {
			for _, b := range buffers {
				want := c.missed && (round > 0 || c.bytes > size) // at first they have just been made
				if got := cache.touch(b); got != want {
					t.Fatalf("%s, round %d: missed is %v, want %v", c.name, round, got, want)
				}
			}
		}
	}
	without := newCache(0, line)
	for range 2 {
		if without.touch(make([]byte, 4096)) {
			t.Error("without a size of the cache something missed")
		}
	}
}

// A program that makes a buffer for each message does not fill the memory of the
// simulator, although nothing is forgotten that it could use again.
func TestCacheForgetsBuffersThatAreGone(t *testing.T) {
	cache := newCache(1024, 64)
	kept := make([]byte, 64)
	cache.touch(kept)
	for range 20 {
		for range fewBuffers {
			cache.touch(make([]byte, 64))
		}
		runtime.GC()
	}
	if n := len(cache.last); n > 4*fewBuffers {
		t.Errorf("%d buffers are known after %d that are gone", n, 20*fewBuffers)
	}
	if !cache.touch(kept) {
		t.Error("a buffer that was touched long ago is taken for new")
	}
}
