package shm

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
	if takeAll(); w.own > LineBytes+aheadBytes {
		t.Errorf("before the first record lines before %d were taken", w.own)
	}
	for range 10 {
		m.put(t, n)
		if takeAll(); w.own < w.Head+recordBytes(n) && w.own < w.tail+size {
			t.Errorf("only lines before %d were taken after a record that ends at %d", w.own, w.Head)
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
