package spill

import (
	"runtime"
	"testing"
)

// withLimit returns an area with some bytes on the heap.
func withLimit(bytes int) *Area {
	a := New()
	a.limit = bytes
	return a
}

// inFile returns how many bytes the file of an area has.
func inFile(a *Area) (bytes int) {
	for _, c := range a.file.chunks {
		bytes += len(c)
	}
	return bytes
}

// Lists have the values that they would have on the heap, whether they grow beside others or not.
func TestLists(t *testing.T) {
	for _, a := range []*Area{nil, New(), withLimit(0), withLimit(100 << 10)} {
		const lists, length = 5, 20_000
		var all [lists][]uint64
		fixed := Make[uint32](a, length)
		for i := range length {
			for k := range all {
				all[k] = Append(a, all[k], uint64(k*length+i))
			}
			if fixed[i] != 0 {
				t.Fatalf("entry %d of a new list is %d", i, fixed[i])
			}
			fixed[i] = uint32(i)
			a.Used(lists * often / 1000)
		}
		for k := range all {
			for i, v := range all[k] {
				if v != uint64(k*length+i) || fixed[i] != uint32(i) {
					t.Fatalf("list %d has %d at %d, and the fixed one %d", k, v, i, fixed[i])
				}
			}
		}
		if a != nil && runtime.GOOS == "linux" && (inFile(a) > 0) != (a.limit < InMemory) {
			t.Errorf("limit of %d bytes: %d in the file", a.limit, inFile(a))
		}
		runtime.KeepAlive(a)
	}
}

// Without a place for the file lists lie on the heap.
func TestNoPlace(t *testing.T) {
	t.Setenv("TMPDIR", "/dev/null")
	a := withLimit(0)
	list := Make[uint64](a, 1<<16)
	list[1<<16-1] = 1
	if inFile(a) != 0 {
		t.Errorf("%d bytes in a file", inFile(a))
	}
}
