package live

import "testing"

// Lines are taken up to the end of a record like the last one, and none that is not free.
func TestLinesAreTakenForTheNextRecord(t *testing.T) {
	const size, n = 4 << 10, 1000
	w, r := newRing(size)
	m := &ringModel{w: w, r: r, tells: true}
	takeAll := func() {
		for w.takeLines() {
		}
	}
	if takeAll(); w.own > lineBytes+aheadBytes {
		t.Errorf("before the first record lines before %d were taken", w.own)
	}
	for range 10 {
		m.put(t, n)
		if takeAll(); w.own < w.head+recordBytes(n) && w.own < w.tail+size {
			t.Errorf("only lines before %d were taken after a record that ends at %d", w.own, w.head)
		}
		m.take(t)
	}
	for put(w, m.first+len(m.lengths), n) {
		m.lengths = append(m.lengths, n)
		takeAll()
	}
	if w.own > w.tail+size {
		t.Errorf("lines before %d were taken in a ring that is free before %d", w.own, w.tail+size)
	}
	for len(m.lengths) > 0 {
		m.take(t)
	}
}

// Lines of long records are left alone while a copier tries both ways, and if it goes past
// the cache.
func TestLinesAreLeftWhereCopiesGoPastTheCache(t *testing.T) {
	for _, c := range []struct {
		bytes  int
		copier copier
		takes  bool
	}{
		{pastBytes - 1, copier{copies: trials, past: true}, true},
		{pastBytes, copier{copies: trials, past: true}, false},
		{pastBytes, copier{copies: trials - 1}, false},
		{pastBytes, copier{copies: trials}, true},
	} {
		w, _ := newRing(64 << 10)
		o := outlet{writer: *w, copier: c.copier}
		put(&o.writer, 0, wordBytes+c.bytes)
		for o.prepare() {
		}
		if takes := o.own > 0; takes != (c.takes || !canCopyPast) {
			t.Errorf("%d bytes, copier %+v: lines were taken: %v; want %v", c.bytes, c.copier, takes, c.takes)
		}
	}
}
