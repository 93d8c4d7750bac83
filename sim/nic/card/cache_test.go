package card

import "testing"

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
		{"as many lines as it holds", 8, 16, false},
		{"more lines than it holds", 8, 17, true},
		{"nearly as much as it remembers", 256, 4 * cacheMemory, true},
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

// Copies go through one way of the cache: they miss once they are more than that, though the cache
// holds what they wrote.
func TestCopiesGoThroughOneWay(t *testing.T) {
	const size, ways, line = 8192, 8, 64
	u := cardUser{cache: newCache(size, line), copies: newCache(size/ways, line)}
	for _, c := range []struct {
		bytes  int
		missed bool
	}{{size / ways, false}, {size/ways + line, true}} {
		into := make([]byte, c.bytes)
		for range 5 {
			if got := u.copied(into); got != c.missed {
				t.Errorf("copies of %d bytes, a way of %d: missed is %v, want %v", c.bytes, size/ways, got, c.missed)
			}
			if u.cache.touch(into) {
				t.Errorf("the cache of %d bytes does not hold the %d that were copied", size, c.bytes)
			}
		}
	}
}
