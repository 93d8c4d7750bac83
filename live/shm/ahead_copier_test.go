package shm

import (
	"musubi/live/wire"
	"testing"
	"unsafe"
)

// Lines of long records are left alone while a copier tries both ways, and if it goes past
// the cache. So are long records by programs in C.
func TestLinesAreLeftWhereCopiesGoPastTheCache(t *testing.T) {
	for _, c := range []struct {
		bytes  int
		copier Copier
		takes  bool
	}{
		{pastBytes - 1, Copier{copies: trials, past: true}, true},
		{pastBytes, Copier{copies: trials, past: true}, false},
		{pastBytes, Copier{copies: trials - 1}, false},
		{pastBytes, Copier{copies: trials}, true},
	} {
		memory := make([]uint64, 64<<10/8)
		data := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 64<<10)
		e := Endpoint{Out: newWriter(data, new(Half), new(PairState), false), copier: c.copier, lane: 16 << 10}
		body := e.Out.Reserve(WordBytes + c.bytes)
		e.Out.Publish(wire.Message, len(body), 0)
		for e.Prepare() {
		}
		if takes := e.Out.own > 0; takes != (c.takes || !canCopyPast) {
			t.Errorf("%d bytes, copier %+v: lines were taken: %v; want %v", c.bytes, c.copier, takes, c.takes)
		}
		e.limitInC()
		if long, want := e.Out.inC > throughCache, !canCopyPast || c.bytes >= pastBytes && c.takes; long != want {
			t.Errorf("copier %+v: programs in C write %d bytes", c.copier, e.Out.inC)
		}
	}
}
