package rank

import (
	"musubi/live/shm"
	"musubi/live/wire"
	"testing"
	"unsafe"
)

// Lines of long records are left alone while a copier tries both ways, and if it goes past
// the cache.
func TestLinesAreLeftWhereCopiesGoPastTheCache(t *testing.T) {
	for _, c := range []struct {
		bytes  int
		copier shm.Copier
		takes  bool
	}{
		{shm.PastBytes - 1, shm.Copier{Copies: shm.Trials, Past: true}, true},
		{shm.PastBytes, shm.Copier{Copies: shm.Trials, Past: true}, false},
		{shm.PastBytes, shm.Copier{Copies: shm.Trials - 1}, false},
		{shm.PastBytes, shm.Copier{Copies: shm.Trials}, true},
	} {
		memory := make([]uint64, 64<<10/8)
		data := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 64<<10)
		o := outlet{Writer: shm.NewWriter(data, new(shm.Half), new(shm.PairState), false), copier: c.copier}
		body := o.Reserve(shm.WordBytes + c.bytes)
		o.Writer.Publish(wire.Message, len(body), 0)
		for o.prepare() {
		}
		if takes := o.Own > 0; takes != (c.takes || !shm.CanCopyPast) {
			t.Errorf("%d bytes, copier %+v: lines were taken: %v; want %v", c.bytes, c.copier, takes, c.takes)
		}
	}
}
