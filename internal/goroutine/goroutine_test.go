package goroutine

import (
	"runtime"
	"testing"
)

// Goroutines that live at once have different numbers, and each keeps its own.
func TestGoroutinesDiffer(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("not known on this processor")
	}
	const n = 100
	numbers, release := make(chan [2]uintptr), make(chan struct{})
	for range n {
		go func() {
			before := Current()
			<-release
			runtime.Gosched()
			numbers <- [2]uintptr{before, Current()}
		}()
	}
	close(release)
	seen := map[uintptr]bool{Current(): true}
	var all [][2]uintptr
	for range n {
		all = append(all, <-numbers)
	}
	for _, pair := range all {
		if pair[0] != pair[1] {
			t.Errorf("a goroutine had number %x, then %x", pair[0], pair[1])
		}
	}
	if Current() == 0 || !seen[Current()] {
		t.Errorf("this goroutine has number %x now", Current())
	}
}

func TestTwoGoroutinesHaveDifferentNumbers(t *testing.T) {
	other := make(chan uintptr)
	go func() { other <- Current() }()
	if mine := Current(); mine == <-other && mine != 0 {
		t.Errorf("two goroutines have the number %x", mine)
	}
}
