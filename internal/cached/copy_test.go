package cached

import (
	"bytes"
	"testing"
)

// Copies of all lengths are those of the built-in function.
func TestCopyIsCopy(t *testing.T) {
	from := make([]byte, mostCached+100)
	for i := range from {
		from[i] = byte(i ^ i>>8 ^ i>>16)
	}
	lengths := []int{0, 1, chunkBytes, LongBytes - 1, LongBytes, LongBytes + 1, LongBytes + chunkBytes, mostCached, mostCached + 1}
	for _, n := range lengths {
		for _, room := range lengths {
			got, want := make([]byte, room), make([]byte, room)
			if k := Copy(got, from[:n]); k != copy(want, from[:n]) || !bytes.Equal(got, want) {
				t.Errorf("%d bytes to %d: %d are copied, or others", n, room, k)
			}
		}
	}
}

// Only what the built-in copy would write past the caches, and what fits them, goes in chunks that it writes through them.
func TestWhatIsCopiedInChunks(t *testing.T) {
	for n, want := range map[int]bool{0: false, LongBytes - 1: false, LongBytes: true, mostCached: true, mostCached + 1: false} {
		if isChunked(n) != want {
			t.Errorf("%d bytes are copied in chunks: %v; expected %v", n, !want, want)
		}
	}
	if chunkBytes >= LongBytes {
		t.Errorf("chunks of %d bytes; expected fewer than %d", chunkBytes, LongBytes)
	}
}

func BenchmarkCopy(b *testing.B) {
	from, to := make([]byte, LongBytes), make([]byte, LongBytes)
	b.Run("built-in", func(b *testing.B) {
		b.SetBytes(LongBytes)
		for b.Loop() {
			copy(to, from)
		}
	})
	b.Run("cached", func(b *testing.B) {
		b.SetBytes(LongBytes)
		for b.Loop() {
			Copy(to, from)
		}
	})
}
