package memory

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// inLargePages returns how many bytes of this process the system has been asked to keep in large
// pages.
func inLargePages(t *testing.T) (total int64) {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	var size int64
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "Size: %d kB", &size); n == 1 {
			continue
		}
		if flags, is := strings.CutPrefix(lines.Text(), "VmFlags:"); is && strings.Contains(flags+" ", " hg ") {
			total += size << 10
		}
	}
	return total
}

// The heap is not taken before it is used, also where there has been garbage: the runtime clears such memory. A process
// of its own tells, as others have garbage from other tests.
func TestExpectHeapTakesNothing(t *testing.T) {
	const heap, own = 256 << 20, "MUSUBI_TEST_OWN_HEAP"
	if os.Getenv(own) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestExpectHeapTakesNothing$")
		cmd.Env = append(os.Environ(), own+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	garbage := make([]byte, 24<<20)
	for i := range garbage {
		garbage[i] = 1
	}
	garbage = nil
	runtime.GC()
	before := resident(t)
	ExpectHeap(heap, 0, 0)()
	if got := resident(t) - before; got > heap/8 {
		t.Errorf("%d bytes have been taken of %d that are expected", got, heap)
	}
}

// The system is asked once for large pages for what the heap will grow by, and not again for as much.
func TestExpectHeapAsksForLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has no large pages to ask for: ", err)
	}
	before := inLargePages(t)
	ExpectHeap(leastPaged-1, 0, 0)()
	if got := inLargePages(t) - before; got != 0 {
		t.Errorf("%d bytes of less than it is worth are in large pages", got)
	}
	const heap = 96 << 20
	for range 3 {
		ExpectHeap(heap, 0, 0)()
		if got := inLargePages(t) - before; got < heap-2*4096 || got > 2*heap {
			t.Errorf("%d bytes are in large pages; expected %d", got, heap)
		}
	}
}

// The system is asked for large pages for many values, and not for few.
func TestLargeAsksForLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has no large pages to ask for: ", err)
	}
	type value [3]uint64
	few, before := leastLarge/int(unsafe.Sizeof(value{})), inLargePages(t)
	if list := Large[value](few); len(list) != few || inLargePages(t) != before {
		t.Errorf("%d values, and %d bytes more in large pages; expected %d, and none", len(list), inLargePages(t)-before, few)
	}
	many := make([][]value, 8) // where one lies, large pages may have been asked for before
	for i := range many {
		many[i] = Large[value](8 * few)
	}
	if got, want := inLargePages(t)-before, int64(len(many)*8*leastLarge)/2; got < want {
		t.Errorf("%d bytes more are in large pages; expected at least %d", got, want)
	}
	runtime.KeepAlive(many)
}

// resident returns how many bytes this process has in memory.
func resident(t *testing.T) int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
