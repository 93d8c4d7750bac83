package routing

import (
	"runtime"
	"runtime/debug"
	"testing"

	"musubi/internal/nettest"
)

// What is expected is about what balanced paths take: two thirds to three halves.
func TestHeapForIsAboutWhatBalancedPathsTake(t *testing.T) {
	net := nettest.Generate(t, "random:switches=256,degree=10", 1)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := build(t, "dl", net, Options{VCs: 3})
	if !Verify(r).OK() {
		t.Error("not proved")
	}
	runtime.ReadMemStats(&after)
	took, expected := int64(after.TotalAlloc-before.TotalAlloc), heapFor(net)
	if 2*took > 3*expected || 3*took < 2*expected {
		t.Errorf("%d bytes are allocated; expected about %d", took, expected)
	}
}
