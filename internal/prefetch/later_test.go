package prefetch

import "testing"

// What is spread is asked for as often as it has so many lines as a processor waits for, in the order in which it was added; of
// very many pieces the oldest are forgotten.
func TestLaterIsAskedForInTurn(t *testing.T) {
	for _, lines := range []int{1, atOnce - 1, atOnce, atOnce + 1, 5 * atOnce} {
		l := Later{Spread: true}
		l.Add(0, lines)
		l.AddBytes(nil, LineBytes)
		for asked := atOnce; asked <= lines; asked += atOnce {
			l.Ask()
			want := piece{uintptr(asked * LineBytes), lines - asked}
			if got := l.waiting[l.first%pieces]; asked < lines && got != want {
				t.Errorf("%d lines: of the first piece %v waits when %d have been asked for, want %v", lines, got, asked, want)
			}
		}
		if l.first == l.end {
			t.Errorf("%d lines: the last one does not wait before it is asked for", lines)
		}
		if l.Ask(); l.first != l.end {
			t.Errorf("%d lines: %d pieces wait when all have been asked for", lines, l.end-l.first)
		}
	}
	l := Later{Spread: true}
	for i := range 3 * pieces {
		l.Add(uintptr(i*LineBytes), atOnce)
	}
	l.Ask()
	if oldest := l.waiting[l.first%pieces].address / LineBytes; oldest != 2*pieces+1 || l.end-l.first != pieces-1 {
		t.Errorf("of %d pieces number %d is the oldest after a request, and %d wait; want %d, and %d", 3*pieces, oldest, l.end-l.first, 2*pieces+1, pieces-1)
	}
	if l := (Later{}); func() bool { l.Add(0, 1); return l.first != l.end }() {
		t.Error("what is not spread waits")
	}
}
